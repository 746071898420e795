// Durable write-once files in folders that all windows share.
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import type * as z from "zod";
import { publishFile } from "./publish.ts";

/** The few disk operations a journal needs, so that a test can substitute a disk that fails or dies halfway. */
export interface Disk {
  /** Creates a file durably, with all of its text or not at all; it must not exist yet. @returns false if it exists. */
  create(path: string, text: string): Promise<boolean>;
  /** Names in a folder. Creates the folder if it is missing. */
  names(folder: string): Promise<readonly string[]>;
  read(path: string): Promise<string>;
  remove(path: string): Promise<void>;
}

export const realDisk: Disk = {
  create: (path, text) => publishFile(path, text),
  names: async (folder) => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return readdir(folder);
  },
  read: (path) => readFile(path, "utf8"),
  remove: (path) => rm(path, { force: true }),
};

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
