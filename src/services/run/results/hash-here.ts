// What is in a place of this computer that a result is for.
import { createHash } from "node:crypto";
import { createReadStream, type Stats } from "node:fs";
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";

/** SHA-256. @throws the disk's error. */
export async function hashFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}

/** What is by a path in a folder: undefined if there is nothing, `other` for anything but a file, also on the way there. */
export async function statHere(folder: string, path: readonly string[]): Promise<Stats | "other" | undefined> {
  for (const depth of path.keys()) {
    const met = await lstat(join(folder, ...path.slice(0, depth))).catch(() => undefined);
    if (!met) return undefined;
    if (!met.isDirectory()) return "other";
  }
  const met = await lstat(join(folder, ...path)).catch(() => undefined);
  return met === undefined || met.isFile() ? met : "other";
}

/** SHA-256 of a file by its path in a folder; otherwise as `statHere`. */
export async function hashHere(folder: string, path: readonly string[]): Promise<string | undefined> {
  const met = await statHere(folder, path);
  return typeof met === "object" ? await hashFile(join(folder, ...path)).catch(() => "other") : met;
}
