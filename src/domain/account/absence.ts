// What happened to the account's instances while no window looked.
import type { Reading, SeenInstance } from "./ledger.ts";
import { type Spent, sumSpent, traceSpending } from "./spending.ts";

export interface Absence {
  /** Epoch milliseconds of the last reading before and of the first one after. */
  readonly from: number;
  readonly to: number;
  readonly spent: Spent;
  /** Gone since. */
  readonly ended: readonly SeenInstance[];
  /** Held stopped now, and wasn't before. */
  readonly stopped: readonly SeenInstance[];
  /** Rented since, somewhere else. */
  readonly begun: readonly SeenInstance[];
  /** Everything that is billed now. */
  readonly billed: readonly SeenInstance[];
}

/** Milliseconds. Who was away for less knows what runs. */
const SHORTEST = 3_600_000;

/**
 * What is to be told to someone who comes back: undefined if no one was away for long, or if nothing was spent and nothing changed.
 * `startedAt` is when this window was opened, in epoch milliseconds.
 */
export function findAbsence(readings: readonly Reading[], startedAt: number): Absence | undefined {
  const sorted = [...readings].sort((one, other) => one.at - other.at);
  const before = sorted.findLast(({ at, hasGaps }) => at < startedAt && !hasGaps);
  const after = sorted.find(({ at, hasGaps }) => at >= startedAt && !hasGaps);
  const last = sorted.findLast(({ at }) => at < startedAt);
  if (!before || !after || !last || after.at - last.at < SHORTEST) return undefined;
  const spent = sumSpent(traceSpending(readings, last.at, after.at));
  const known = [...before.seen.values()];
  const now = [...after.seen.values()];
  const absence = {
    from: last.at,
    to: after.at,
    spent,
    ended: known.filter(({ id }) => !after.seen.has(id)),
    stopped: now.filter(
      ({ id, isStopped }) => isStopped && before.seen.get(id)?.isStopped === undefined && before.seen.has(id),
    ),
    begun: now.filter(({ id }) => !before.seen.has(id)),
    billed: now,
  };
  const hasNews = known.length > 0 || absence.begun.length > 0;
  return hasNews ? absence : undefined;
}
