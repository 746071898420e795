// A clock that moves only when a test says so, from one sleeper to the next: between two of them, everything that was set off comes to
// rest first. However busy the machine is, nothing is late by this clock.
import { subscribe } from "node:diagnostics_channel";
import { type Clock, sleep } from "../../src/lib/clock.ts";

/** Real milliseconds that watched folders have after each step. */
const REST = 3;
/** Real milliseconds after which something that never ends is no reason to wait. */
const PATIENCE = 5000;

/** HTTP requests of this process that haven't ended. */
const open = new Set<object>();
subscribe("undici:request:create", (message) => open.add((message as { request: object }).request));
for (const end of ["trailers", "error"])
  subscribe(`undici:request:${end}`, (message) => open.delete((message as { request: object }).request));

interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
}

export function steppedClock() {
  const began = Date.now();
  const sleepers = new Set<Sleeper>();
  let elapsed = 0;
  let shifted = 0;
  const clock: Clock = {
    now: () => began + elapsed + shifted,
    elapsed: () => elapsed,
    sleep: (ms, signal) =>
      new Promise<void>((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const stop = () => {
          sleepers.delete(sleeper);
          reject(signal?.reason);
        };
        const wake = () => {
          sleepers.delete(sleeper);
          signal?.removeEventListener("abort", stop);
          resolve();
        };
        const sleeper = { at: elapsed + Math.max(0, ms), wake };
        sleepers.add(sleeper);
        signal?.addEventListener("abort", stop, { once: true });
      }),
  };
  const step = async (most: number) => {
    const next = Math.min(...[...sleepers].map(({ at }) => at));
    elapsed = Math.min(Math.max(next, elapsed + 1), most);
    for (const { at, wake } of [...sleepers]) if (at <= elapsed) wake();
    await comeToRest();
  };
  return {
    clock,
    /** UTC epoch seconds: the wall clock as it would be without `shift`. */
    worldNow: () => (began + elapsed) / 1000,
    /** As if the computer had slept so many milliseconds, or as if its clock had been set, forward or back. */
    shift: (ms: number) => {
      shifted += ms;
    },
    /** Lets so many milliseconds pass. */
    pass: async (ms: number) => {
      await comeToRest();
      for (const end = elapsed + ms; elapsed < end; ) await step(end);
    },
  };
}

/** Whether a request, or a file that is read, written or closed, hasn't ended. */
const isAtWork = () => open.size > 0 || process.getActiveResourcesInfo().some((one) => /^(FSReq|CloseReq)/.test(one));

async function comeToRest(): Promise<void> {
  const end = performance.now() + PATIENCE;
  for (let calm = 0; calm < 2 && performance.now() < end; calm = isAtWork() ? 0 : calm + 1) await sleep(REST);
  // What was waited for that long without an end isn't waited for again.
  open.clear();
}
