// Turns among windows that change one file: who creates the turn's file has it, and removes it afterwards.
import { rm, stat } from "node:fs/promises";
import type { Clock } from "../../lib/clock.ts";
import { openNew } from "./disk.ts";

/** Milliseconds between looks: a change takes a moment. */
const PAUSE = 10;
/** Milliseconds after which a turn was left by a window that is gone. */
const LEFT = 5000;

/**
 * Does something while no other window does anything in the same turn. The turn's file is in a folder that exists.
 * @throws the disk's error; what `work` throws.
 */
export async function takeTurn<T>(path: string, clock: Clock, work: () => Promise<T>): Promise<T> {
  await waitForTurn(path, clock);
  try {
    return await work();
  } finally {
    await rm(path, { force: true }).catch(() => undefined);
  }
}

async function waitForTurn(path: string, clock: Clock): Promise<void> {
  let seen: number | undefined;
  let since = clock.elapsed();
  while (!(await isTaken(path))) {
    const made = await stat(path).then(
      ({ mtimeMs }) => mtimeMs,
      () => undefined,
    );
    if (made !== seen) [seen, since] = [made, clock.elapsed()];
    else if (clock.elapsed() - since > LEFT) await rm(path, { force: true });
    await clock.sleep(PAUSE);
  }
}

async function isTaken(path: string): Promise<boolean> {
  const file = await openNew(path);
  await file?.close();
  return file !== undefined;
}
