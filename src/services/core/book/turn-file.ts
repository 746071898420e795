// Turns among windows that change one file: who creates the turn's file has it, and removes it afterwards if it is still theirs.
import { readFile, rm, stat } from "node:fs/promises";
import type { Clock } from "../../../lib/clock.ts";
import { openNew } from "./publish.ts";

/** Milliseconds between looks: a change takes a moment. */
const PAUSE = 10;
/** Milliseconds after which a turn was left by a window that is gone. */
const LEFT = 5000;

/**
 * Does something while no other window does anything in the same turn. The turn's file is in a folder that exists.
 * @throws the disk's error; what `work` throws.
 */
export async function takeTurn<T>(path: string, clock: Clock, work: () => Promise<T>): Promise<T> {
  const token = crypto.randomUUID();
  await waitForTurn(path, token, clock);
  try {
    return await work();
  } finally {
    // Where this took too long, the turn may be another window's by now.
    const holder = await readFile(path, "utf8").catch(() => undefined);
    if (holder === token) await rm(path).catch(() => undefined);
  }
}

async function waitForTurn(path: string, token: string, clock: Clock): Promise<void> {
  let seen: number | undefined;
  let since = clock.elapsed();
  while (!(await isTaken(path, token))) {
    const made = await stat(path).then(
      ({ mtimeMs }) => mtimeMs,
      () => undefined,
    );
    if (made !== seen) [seen, since] = [made, clock.elapsed()];
    else if (clock.elapsed() - since > LEFT) await rm(path, { force: true });
    await clock.sleep(PAUSE);
  }
}

async function isTaken(path: string, token: string): Promise<boolean> {
  const file = await openNew(path);
  if (!file) return false;
  try {
    await file.writeFile(token);
    return true;
  } catch (error) {
    await rm(path).catch(() => undefined);
    throw error;
  } finally {
    await file.close();
  }
}
