// Uploading a folder to an instance and downloading from one: loaded with the first of them.
import type { ConnectionServices } from "./connection-services.ts";
import { downloadToFolder } from "./download-command.ts";
import { uploadFolder } from "./upload-command.ts";

export async function runUpload(services: ConnectionServices, args: readonly unknown[]): Promise<void> {
  await uploadFolder(services, args);
}

export async function runDownload(services: ConnectionServices, args: readonly unknown[]): Promise<void> {
  await downloadToFolder(services, args);
}
