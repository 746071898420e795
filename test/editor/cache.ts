// Where the editor's big parts are kept between runs (outside the checkout), and how one is put there whole or not at all.

import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rename, rm, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";

/** A folder of the cache: `$CLOUD_GPU_CACHE`, else `$XDG_CACHE_HOME` or `~/.cache`, plus `cloud-gpu`. */
export function cacheFolder(...parts: string[]): string {
  const own = process.env.CLOUD_GPU_CACHE;
  const shared = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
  return join(own || shared, "cloud-gpu", ...parts);
}

/** One line on standard error; standard output belongs to reports. */
export function say(line: string): void {
  process.stderr.write(`editor: ${line}\n`);
}

/** Does one stage of work and then says in one line what it was and how long it took. */
export async function stage<T>(what: string, work: () => Promise<T>): Promise<T> {
  const start = performance.now();
  const result = await work();
  say(`${what} (${((performance.now() - start) / 1000).toFixed(1)} s)`);
  return result;
}

/**
 * Returns `folder`, filling it first where it doesn't exist. `fill` works in a sibling that is renamed into place when complete,
 * so a folder that exists is a whole one. Two processes may do this at once: the later one drops its work and uses the earlier one's.
 */
export async function prepareOnce(folder: string, fill: (staging: string) => Promise<void>): Promise<string> {
  if (existsSync(folder)) return folder;
  await mkdir(dirname(folder), { recursive: true });
  await sweepAbandoned(folder);
  const staging = await mkdtemp(`${folder}.part-`);
  try {
    await fill(staging);
    await rename(staging, folder).catch((error: unknown) => {
      if (!existsSync(folder)) throw error;
    });
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
  return folder;
}

/** Removes what interrupted runs left. An hour is far more than any stage takes, so no one is at work in those. */
async function sweepAbandoned(folder: string): Promise<void> {
  const parent = dirname(folder);
  for (const name of await readdir(parent)) {
    if (!name.startsWith(`${basename(folder)}.part-`)) continue;
    const path = join(parent, name);
    const age =
      Date.now() -
      (await stat(path)
        .catch(() => undefined)
        .then((found) => found?.mtimeMs ?? Date.now()));
    if (age > 3_600_000) await rm(path, { recursive: true, force: true });
  }
}
