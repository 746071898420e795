// Uploading a folder to an instance and downloading from one: loaded with the first of them.
import { downloadToFolder } from "./download-command.ts";
import { uploadFolder } from "./upload-command.ts";

export const transfers = { uploadFolder, downloadToFolder };
