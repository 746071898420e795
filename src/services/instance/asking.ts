// When instances are asked again, each on its own, what they show of what stops them.

/** Of one instance, in this window. */
export interface Asking {
  /** The order that it was asked about. */
  name: string;
  tries: number;
  /** Monotonic milliseconds. */
  nextAt: number;
}

/** Milliseconds until an instance that couldn't be asked, or didn't show it, is asked again; the last one for good. */
const AGAIN = [20_000, 60_000, 300_000, 1_800_000] as const;

/** Milliseconds until the next one, after so many tries. */
export const calculateAskingPause = (tries: number): number => AGAIN[Math.min(tries, AGAIN.length - 1)] ?? 0;

/** Milliseconds until the first of them is due; undefined without any. `now` in monotonic milliseconds. */
export function findNextAsking(askings: readonly Asking[], now: number): number | undefined {
  const waits = askings.map(({ nextAt }) => Math.max(0, nextAt - now));
  return waits.length === 0 ? undefined : Math.min(...waits);
}
