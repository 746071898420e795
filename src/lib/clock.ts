// The clock the services use, so that a test can run days in seconds.
import { sleep } from "./task.ts";

export interface Clock {
  /** Wall clock in epoch milliseconds: for display and for comparing days, never for durations. */
  now(): number;
  /** Milliseconds that only increase, even if the wall clock is changed. */
  elapsed(): number;
  /** Resolves after `ms` milliseconds, or rejects with the signal's reason as soon as it aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const realClock: Clock = { now: () => Date.now(), elapsed: () => performance.now(), sleep };

/** Never resolves. @throws the signal's reason. */
export function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
