// The one source of time: nothing else in the extension host reads a clock or sets a timer, so a test can run days in seconds. Only a
// request's deadline is real time always.

export interface Clock {
  /** Wall clock in epoch milliseconds: for display and for comparing days, never for durations. */
  now(): number;
  /** Milliseconds that only increase, even if the wall clock is changed. */
  elapsed(): number;
  /** Resolves after `ms` milliseconds, or rejects with the signal's reason as soon as it aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const realClock: Clock = { now: () => Date.now(), elapsed: () => performance.now(), sleep };

/** Resolves after `ms` milliseconds, or rejects with the signal's reason as soon as it aborts. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}

/** Never resolves. @throws the signal's reason. */
export function waitForAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

interface Within {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Milliseconds without a sign of life. */
  readonly ms: number;
  readonly late: () => Error;
}

/** Does something that is given up if it takes too long; `goOn` gives it that time again. @throws what `late` makes; as `work` does. */
export async function workWithin<T>(
  { clock, signal, ms, late }: Within,
  work: (signal: AbortSignal, goOn: () => void) => Promise<T>,
): Promise<T> {
  const [abort, over] = [new AbortController(), new AbortController()];
  let goesOn = false;
  const watch = async () => {
    do {
      goesOn = false;
      await clock.sleep(ms, over.signal);
    } while (goesOn);
    abort.abort(late());
  };
  watch().catch(() => undefined);
  try {
    return await work(AbortSignal.any([signal, abort.signal]), () => {
      goesOn = true;
    });
  } finally {
    over.abort();
  }
}

/**
 * Whether a time is less than `span` from now, all in milliseconds. In both directions: a clock may have been set back since, and what seems
 * to come must not count for ever.
 */
export const isNear = (now: number, at: number, span: number): boolean => Math.abs(now - at) < span;
