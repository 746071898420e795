// Attempts at a run: its command goes on elsewhere once an instance is lost, with the results so far. Each has an instance of its own.
import * as z from "zod";
import { InstanceId, RunId } from "../base/id.ts";
import type { RunLimits } from "./run-limits.ts";

/** One that is over. */
export const Attempt = z.object({
  run: RunId,
  instance: InstanceId,
  /** Epoch milliseconds from which it cost money, and until which. */
  at: z.number(),
  end: z.number(),
  /** $/h. */
  price: z.number().optional(),
  /** It may have gone on after that. */
  atLeast: z.literal(true).optional(),
});
export type Attempt = z.infer<typeof Attempt>;

/** A run's record has room for them. */
export const MOST_ATTEMPTS = 500;

const HOUR = 3_600_000;

/** What they cost together, in dollars. `isWhole`: each price and each end is known. */
export function calculateAttemptsCost(attempts: readonly Attempt[]): {
  readonly cost: number;
  readonly isWhole: boolean;
} {
  const costs = attempts.map(({ at, end, price }) =>
    price === undefined ? undefined : (price * Math.max(0, end - at)) / HOUR,
  );
  return {
    cost: costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0),
    isWhole: !costs.includes(undefined) && !attempts.some(({ atLeast }) => atLeast),
  };
}

/** Hours for which no other instance is rented: most of them would pass while it starts. */
const LEAST_HOURS = 10 / 60;

/**
 * The limits of the next attempt, which is made without a question: what the last one left of its own. Whatever isn't known counts as used.
 * `most`: $/h of the next instance at most.
 * @returns undefined if too little is left, or no one knows how much.
 */
export function findLimitsLeft(
  { maxHours, maxCost, maxAttempts = 1, ...rest }: RunLimits,
  { at, end, price, atLeast }: Attempt,
  { now, most }: { readonly now: number; readonly most: number },
): RunLimits | undefined {
  if (maxAttempts < 2 || (maxCost !== undefined && price === undefined)) return undefined;
  // By a clock that was set back, no one knows.
  if (now < at || (end < at && !atLeast)) return undefined;
  const used = ((atLeast ? Math.max(now, end) : end) - at) / HOUR;
  // In whole minutes and cents, as someone would type them.
  const hours = maxHours === undefined ? undefined : Math.floor((maxHours - (now - at) / HOUR) * 60) / 60;
  const cost = maxCost === undefined ? undefined : Math.floor((maxCost - used * (price ?? 0)) * 100) / 100;
  if (Math.min(hours ?? Infinity, (cost ?? Infinity) / most) < LEAST_HOURS) return undefined;
  return {
    ...rest,
    ...(hours === undefined ? {} : { maxHours: hours }),
    ...(cost === undefined ? {} : { maxCost: cost }),
    maxAttempts: maxAttempts - 1,
  };
}
