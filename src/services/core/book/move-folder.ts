// Moves a folder of write-once files to where all editors of this user share them.
import { link, readdir, readFile, rm, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { publishFile, syncFolder } from "./publish.ts";
import { replaceFile } from "./replace-file.ts";

/**
 * Moves what isn't there yet; of two files of a name that differ, the one that is there holds, and the other stays where it is. Windows of
 * other editors read it in the meantime, and this one may die at any step: so `isRoot` tells the files that something is done by, which go last,
 * and are removed first. An auto-stop without the note that it is over would be carried out again.
 * @throws the disk's error. What wasn't moved is moved the next time.
 */
export async function moveFolder(from: string, to: string, isRoot: (name: string) => boolean): Promise<void> {
  const found = await readdir(from, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  // What begins with a dot isn't whole yet, or belongs to a turn.
  const names = found.filter((file) => file.isFile() && !file.name.startsWith(".")).map(({ name }) => name);
  const placed: string[] = [];
  for (const name of [...names.filter((one) => !isRoot(one)), ...names.filter(isRoot)])
    if (await placeFile(join(from, name), join(to, name))) placed.push(name);
  // A disk may forget a name that it hasn't been told to keep.
  if (placed.length > 0) await syncFolder(to);
  for (const name of placed.reverse()) await rm(join(from, name), { force: true });
}

/** @returns whether all of it is there now. */
async function placeFile(from: string, to: string): Promise<boolean> {
  try {
    // Links don't work to another disk, or on some.
    return (await linkFile(from, to)) || (await copyFile(from, to));
  } catch (error) {
    // Another window has moved it just now.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

/** @returns false if it is there, or can't be linked to. */
const linkFile = (from: string, to: string): Promise<boolean> =>
  link(from, to).then(
    () => true,
    () => false,
  );

/** @returns whether all of it is there now. */
async function copyFile(from: string, to: string): Promise<boolean> {
  const [text, { atime, mtime }] = await Promise.all([readFile(from, "utf8"), stat(from)]);
  if (!(await publishFile(to, text))) return await completeFile(to, text);
  // Its time says how old it is.
  await utimes(to, atime, mtime);
  return true;
}

/** A window that dies while it copies leaves the beginning. @returns whether all of it is there. */
async function completeFile(path: string, text: string): Promise<boolean> {
  if (!(await stat(path)).isFile()) return false;
  const there = await readFile(path, "utf8");
  if (there === text) return true;
  if (!text.startsWith(there)) return false;
  await replaceFile({ path, text });
  return true;
}
