// Replaces a file as a whole: a program that reads it sees the old text or the new one, also if this one is killed in between.
import { randomBytes } from "node:crypto";
import { chmod, open, readdir, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { type Clock, realClock } from "../../../lib/clock.ts";
import { syncFolder } from "./publish.ts";

/** Windows refuses while a virus scanner or another program has the file open, which passes. */
const PASSING = new Set(["EPERM", "EBUSY", "EACCES"]);
const TRIES = process.platform === "win32" ? 10 : 1;
/** Milliseconds. */
const PAUSE = 100;
/** Milliseconds after which a temporary file was left behind by a program that is gone. */
const LEFT = 10 * 60_000;

interface Replacement {
  readonly path: string;
  readonly text: string;
  /** Permissions, 0600 if not given. */
  readonly mode?: number;
  /** Asked when the new text is on the disk, right before it takes the place of the old one. @throws to leave that. */
  readonly check?: () => Promise<void>;
}

/** Writes beside the file, then renames. @throws the disk's error; the file is as it was then. */
export async function replaceFile(
  { path, text, mode = 0o600, check }: Replacement,
  clock: Clock = realClock,
): Promise<void> {
  const folder = dirname(path);
  await removeLeftovers(path, clock);
  const temporary = `${path}.cloud-gpu-${randomBytes(6).toString("hex")}`;
  try {
    const file = await open(temporary, "wx", mode);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    // Whatever the process's mask is.
    await chmod(temporary, mode);
    await check?.();
    await renameOver(temporary, path, clock);
  } catch (error) {
    await rm(temporary).catch(() => undefined);
    throw error;
  }
  await syncFolder(folder);
}

async function renameOver(from: string, to: string, clock: Clock): Promise<void> {
  for (let turn = 1; ; turn += 1) {
    try {
      return await rename(from, to);
    } catch (error) {
      if (turn >= TRIES || !PASSING.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
      await clock.sleep(PAUSE);
    }
  }
}

/** Removes temporary files of this file that no one finishes. */
async function removeLeftovers(path: string, clock: Clock): Promise<void> {
  const folder = dirname(path);
  const own = `${basename(path)}.cloud-gpu-`;
  for (const name of await readdir(folder).catch(() => [])) {
    if (!name.startsWith(own) || !/^[0-9a-f]{12}$/.test(name.slice(own.length))) continue;
    const left = join(folder, name);
    const age = await stat(left).then(
      ({ mtimeMs }) => clock.now() - mtimeMs,
      () => 0,
    );
    if (age > LEFT) await rm(left).catch(() => undefined);
  }
}
