// Moves a folder of write-once files to where all editors of this user share them.
import { link, readdir, readFile, rm, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { publishFile } from "./publish.ts";

/**
 * Moves what isn't there yet; of two files of a name, the one that is there holds. Windows of other editors read it meanwhile, and this one
 * may die at any step: so `isRoot` tells the files that something is done by, which go last. An end without the note that it is over would
 * be carried out again.
 * @throws the disk's error. What wasn't moved is moved the next time.
 */
export async function moveFolder(from: string, to: string, isRoot: (name: string) => boolean): Promise<void> {
  const found = await readdir(from, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  // What begins with a dot isn't whole yet, or belongs to a turn.
  const names = found.filter((file) => file.isFile() && !file.name.startsWith(".")).map(({ name }) => name);
  for (const name of [...names.filter((one) => !isRoot(one)), ...names.filter(isRoot)])
    await moveFile(join(from, name), join(to, name));
}

async function moveFile(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Another window has moved it just now.
    if (code === "ENOENT") return;
    // Another disk, or one without links.
    if (code !== "EEXIST") await copyFile(from, to);
  }
  await rm(from, { force: true });
}

async function copyFile(from: string, to: string): Promise<void> {
  const [text, { atime, mtime }] = await Promise.all([readFile(from, "utf8"), stat(from)]);
  // Its time says how old it is.
  if (await publishFile(to, text)) await utimes(to, atime, mtime);
}
