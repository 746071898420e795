// How far back something must be before it is tidied away.

/** Milliseconds. */
const STAYS = 30 * 86_400_000;

/**
 * Nothing that was written after this is tidied away, in epoch milliseconds: 30 days before the newest of a folder. This computer's clock
 * may be ahead right now, but not by what a window wrote before.
 */
export function findTidyLimit(times: Iterable<number>): number {
  let newest = Number.NEGATIVE_INFINITY;
  for (const at of times) newest = Math.max(newest, at);
  return newest - STAYS;
}
