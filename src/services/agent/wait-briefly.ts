// How long an agent waits for what the person agreed to.
import type { Clock } from "../../lib/clock.ts";

/** Milliseconds. */
const WAITS_MS = 30_000;

interface Told<T> {
  /** What the agent is told of what takes longer. It goes on in front of the person. */
  readonly late: T;
  readonly failed: T;
  /** The person agreed to it, and expects it to be done: they are told of each failure, whether or not the agent still waits. */
  readonly tellError: (error: unknown) => void;
}

export async function waitBriefly<T>(clock: Clock, work: Promise<T>, { late, failed, tellError }: Told<T>): Promise<T> {
  const over = new AbortController();
  const done = work.catch((error) => {
    tellError(error);
    return failed;
  });
  try {
    return await Promise.race([done, clock.sleep(WAITS_MS, over.signal).then(() => late)]);
  } finally {
    over.abort();
  }
}
