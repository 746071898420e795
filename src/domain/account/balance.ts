// What an account has left, and for how long.

/** As the service said it last. */
export interface Balance {
  /** Dollars. */
  readonly credit: number | undefined;
  /** Dollars per hour that the service bills, for disks and volumes as well. */
  readonly rate: number | undefined;
  /** Epoch milliseconds of the reading. */
  readonly at: number;
}

/** Hours. A balance that lasts shorter is warned of. */
export const LOW_HOURS = 0.5;

/**
 * Hours until the balance is used up, 0 if it is; undefined if a part of it isn't known or nothing is billed. `rate` is the sum of the
 * rows, in dollars per hour. The higher of the two rates counts: the service may not bill yet what is still starting, and no row shows
 * what volumes cost. `now` in epoch milliseconds.
 */
export function calculateHoursLeft(
  { credit, rate: billed, at }: Balance,
  rate: number | undefined,
  now: number,
): number | undefined {
  if (credit === undefined || (billed !== undefined && billed <= 0)) return undefined;
  const spent = Math.max(billed ?? 0, rate ?? 0);
  if (spent <= 0) return undefined;
  return Math.max(0, credit / spent - Math.max(0, now - at) / 3_600_000);
}
