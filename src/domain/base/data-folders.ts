// Folders with what a command reads, which aren't uploaded again as long as they don't change. Paths in the uploaded folder.
import * as z from "zod";
import { t, toPlainText } from "../../lib/text.ts";
import { isPathInside } from "./glob.ts";

/** Folders, and characters of a path. */
const MOST = { folders: 5, characters: 500 };

/** What is never uploaded. */
const NEVER = new Set([".git", ".cloud-gpu"]);

/** What is wrong with a path; undefined if nothing is. */
function findPathMistake(path: string): string | undefined {
  const shown = toPlainText(path, 60);
  if (path.length > MOST.characters) return t("“{0}” is longer than {1} characters.", shown, MOST.characters);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  if (/[\u0000-\u001f\u007f\ufffd]/.test(path)) return t("“{0}” contains an invalid character.", shown);
  if (!isPathInside(path))
    return t(
      "“{0}” isn't inside the uploaded folder. Enter a relative path with slashes, such as “{1}”.",
      shown,
      "data",
    );
  return path.split("/").some((part) => NEVER.has(part.toLowerCase()))
    ? t("“{0}” can't be uploaded.", shown)
    : undefined;
}

/** Whether a path is the folder's, or below it. */
export const isWithin = (folder: string, path: string): boolean => path === folder || path.startsWith(`${folder}/`);

const Folder = z
  .string({ error: () => t("Enter a list of up to {0} folders, such as “data”.", MOST.folders) })
  .transform((path, context) => {
    const trimmed = path.replace(/^(?:\.\/)+/, "").replace(/\/$/, "");
    const message = findPathMistake(trimmed);
    if (message !== undefined) context.addIssue({ code: "custom", message });
    return trimmed;
  });

export const DataFolders = z
  .array(Folder, { error: () => t("Enter a list of up to {0} folders, such as “data”.", MOST.folders) })
  .max(MOST.folders, {
    error: () => t("Enter a list of up to {0} folders, such as “data”.", MOST.folders),
    abort: true,
  })
  .superRefine((folders, context) => {
    for (const [at, path] of folders.entries()) {
      const other = folders.find((one, index) => index !== at && isWithin(one, path) && (one !== path || index < at));
      if (other === undefined) continue;
      const [inner, outer] = [toPlainText(path, 60), toPlainText(other, 60)];
      const message =
        other === path
          ? t("{0} is listed twice.", inner)
          : t("“{0}” is inside “{1}”, which is listed too.", inner, outer);
      context.addIssue({ code: "custom", message, path: [at] });
    }
  });
