// Durable write-once files in folders that all windows share.
import { type FileHandle, mkdir, open, readdir, readFile, rm } from "node:fs/promises";
import { dirname } from "node:path";
import type * as z from "zod";

/** The few disk operations a journal needs, so that a test can substitute a disk that fails or dies halfway. */
export interface Disk {
  /** Creates a file durably; it must not exist yet. @returns false if it exists. */
  create(path: string, text: string): Promise<boolean>;
  /** Names in a folder. Creates the folder if it is missing. */
  names(folder: string): Promise<readonly string[]>;
  read(path: string): Promise<string>;
  remove(path: string): Promise<void>;
}

export const realDisk: Disk = {
  create: async (path, text) => {
    const file = await openNew(path);
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

/** Creates an empty file, to be written and closed. @returns undefined if it exists. @throws the disk's error. */
export async function openNew(path: string): Promise<FileHandle | undefined> {
  return await open(path, "wx", 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "EEXIST") return undefined;
    throw error;
  });
}

/** Error codes from file systems that can't sync a folder: network mounts, and some in containers. */
const NO_FOLDER_SYNC = new Set(["EINVAL", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);

/**
 * A new name is durable only after its folder has been synced too. Windows has no such call, and some file systems
 * refuse it. The file itself is on disk by then, and they offer no more than that.
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

/** Creates a file with an object, or none. @returns false if it exists. @throws the disk's error. */
export async function createObject(disk: Disk, path: string, content: unknown): Promise<boolean> {
  try {
    return await disk.create(path, JSON.stringify(content));
  } catch (error) {
    // All of it may be there although the disk failed, or an empty file that hides the one before.
    await disk.remove(path).catch(() => undefined);
    throw error;
  }
}

/** Undefined if there is none, or one that is empty, damaged, or written by a newer version. @throws the disk's error. */
export async function readObject<T>(disk: Disk, path: string, schema: z.ZodType<T>): Promise<T | undefined> {
  const text = await disk.read(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "EISDIR") return "";
    throw error;
  });
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
