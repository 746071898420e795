// What goes up for a run: its folder by the folder's own rules, and the data folders in it, which those rules may leave out.
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { isWithin } from "../../domain/base/data-folders.ts";
import { AppError } from "../../domain/base/error.ts";
import type { RunPlan } from "../../domain/run/run-plan.ts";
import type { DataUpload, RunUpload } from "../../domain/run/run-upload.ts";
import { isSecretPath, type UploadList } from "../../domain/transfer/upload-list.ts";
import { t, toPlainText } from "../../lib/text.ts";
import { listUpload } from "../transfer/list-upload.ts";

/**
 * What of a folder is uploaded for a run. `report` hears how many files were found so far.
 * @throws AppError `rejected` for a data folder that can't be uploaded, and as `listUpload` does; the signal's reason.
 */
export async function listRun(
  { folder, data = [] }: Pick<RunPlan, "folder" | "data">,
  signal: AbortSignal,
  report: (files: number) => void = () => undefined,
): Promise<RunUpload> {
  for (const path of data) await assertFolder(folder, path);
  const main = leaveOut(data, await listUpload(folder, signal, report));
  const lists: DataUpload[] = [];
  let all: UploadList = main;
  for (const path of data) {
    const before = all.files.length;
    const list = await listUpload(join(folder, path), signal, (files) => report(before + files));
    if (list.files.length === 0)
      throw new AppError(
        "rejected",
        t(
          "The data folder “{0}” has no files to upload. Check its .gitignore and .cloudgpuignore.",
          toPlainText(path, 100),
        ),
      );
    lists.push({ path, files: list.files.length, bytes: list.bytes });
    all = joined(all, path, list);
  }
  return { ...all, main: { files: main.files.length, bytes: main.bytes }, data: lists };
}

/** A link could lead anywhere, and what it leads to would be uploaded. */
async function assertFolder(folder: string, path: string): Promise<void> {
  const shown = toPlainText(path, 100);
  const parts = path.split("/");
  if (parts.some((part) => isSecretPath(part, true)))
    throw new AppError("rejected", t("The data folder “{0}” may contain secrets, so it isn't uploaded.", shown));
  for (const at of parts.keys()) {
    const found = await lstat(join(folder, ...parts.slice(0, at + 1))).catch(() => undefined);
    if (found?.isSymbolicLink())
      throw new AppError("rejected", t("The data folder “{0}” is a link, or inside one, so it isn't uploaded.", shown));
    if (!found?.isDirectory()) throw new AppError("rejected", t("The data folder “{0}” doesn't exist.", shown));
  }
}

function leaveOut(data: readonly string[], list: UploadList): UploadList {
  if (data.length === 0) return list;
  const isMain = (path: string) => !data.some((folder) => isWithin(folder, path));
  const files = list.files.filter(({ path }) => isMain(path));
  return {
    ...list,
    files,
    folders: list.folders.filter(isMain),
    bytes: files.reduce((sum, { size }) => sum + size, 0),
    secrets: list.secrets.filter(isMain),
    unreadable: list.unreadable.filter(isMain),
  };
}

/** `more` lies at a path in the folder of the list. */
function joined(list: UploadList, path: string, more: UploadList): UploadList {
  const inside = (name: string) => `${path}/${name}`;
  const parts = path.split("/");
  const ways = parts.map((_, at) => parts.slice(0, at + 1).join("/")).filter((way) => !list.folders.includes(way));
  return {
    files: [...list.files, ...more.files.map((file) => ({ ...file, path: inside(file.path) }))],
    folders: [...list.folders, ...ways, ...more.folders.map(inside)],
    bytes: list.bytes + more.bytes,
    secrets: [...list.secrets, ...more.secrets.map(inside)],
    links: list.links + more.links,
    specials: list.specials + more.specials,
    unreadable: [...list.unreadable, ...more.unreadable.map(inside)],
  };
}
