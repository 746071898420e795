// Attempts at a run: its command goes on elsewhere once an instance is lost, with the results so far. Each has an instance of its own.
import * as z from "zod";
import { InstanceId, RunId } from "../base/id.ts";

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
