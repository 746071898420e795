// Files that are written once and durably, in folders that all windows share.
import { mkdir, open, readdir, readFile, rm } from "node:fs/promises";
import { dirname } from "node:path";

/** The few things a journal asks of a disk, so that a test can put one in its place that fails or dies half way. */
export interface Disk {
  /** Makes a file that must not exist yet, durably. @returns false where it exists. */
  create(path: string, text: string): Promise<boolean>;
  /** Names in a folder, which is made where it is missing. */
  names(folder: string): Promise<readonly string[]>;
  read(path: string): Promise<string>;
  remove(path: string): Promise<void>;
}

export const realDisk: Disk = {
  create: async (path, text) => {
    const file = await open(path, "wx", 0o600).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "EEXIST") return undefined;
      throw error;
    });
    if (!file) return false;
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await syncFolder(dirname(path));
    return true;
  },
  names: async (folder) => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return readdir(folder);
  },
  read: (path) => readFile(path, "utf8"),
  remove: (path) => rm(path, { force: true }),
};

/** What file systems that cannot write a folder out answer: network mounts, and some in containers. */
const NO_FOLDER_SYNC = new Set(["EINVAL", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);

/**
 * A new name lasts only once its folder has been written, too. Windows knows no such call, and some file systems refuse
 * it: the file itself is on the disk by then, and that is all they offer.
 */
export async function syncFolder(path: string, openFolder: typeof open = open): Promise<void> {
  if (process.platform === "win32") return;
  const folder = await openFolder(path, "r");
  try {
    await folder.sync();
  } catch (error) {
    if (!NO_FOLDER_SYNC.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
  } finally {
    await folder.close();
  }
}
