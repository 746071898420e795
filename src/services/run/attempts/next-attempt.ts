// What the next attempt at a run begins with, once its last one is over.
import type { Attempt } from "../../../domain/run/attempt.ts";
import type { RunLimits } from "../../../domain/run/run-limits.ts";
import type { RunDraft } from "../../../domain/run/run-plan.ts";
import { type EarlyResults, findCostEnd, isLost, type RunRecord } from "../../../domain/run/run-record.ts";
import type { EarlierUpload } from "../results/earlier-results.ts";

/** The instance of the attempt before. `queued`: it waits for its GPU, and starts on its own once it has it. */
export type Before = "gone" | "stopped" | "queued";

/** What the next attempt at a run begins with. */
export interface NextAttempt {
  /** The last one, which is over. */
  readonly run: RunRecord;
  readonly draft: RunDraft;
  /** The limits that were agreed to, if it continues automatically with what is left of them. */
  readonly agreed?: RunLimits | undefined;
  /** All that were made. */
  readonly attempts: readonly Attempt[];
  readonly before: Before;
  /** $/h of the disk of the instance before, if it is still there. */
  readonly diskPrice: number | undefined;
  /** What is here of its results, and what of it goes to the next instance. */
  readonly early: EarlyResults | undefined;
  readonly upload: EarlierUpload | undefined;
}

/**
 * It cost money until it ended, or what it rented did; at least until it was seen to work last, or its command ended, where no one knows what
 * came after that.
 */
export function toAttempt(run: RunRecord, price: number | undefined, now: number): Attempt {
  const { id, instance, at, rented, state, early } = run;
  const begun = rented?.at ?? at;
  const priced = price === undefined ? {} : { price };
  if (state.kind !== "ended")
    return { run: id, instance, at: begun, end: Math.min(early?.at ?? begun, now), ...priced, atLeast: true };
  const { rental } = state;
  const isEndKnown = isLost(run) || rental?.kind === "destroyed" || rental?.kind === "stopped";
  return { run: id, instance, at: begun, end: findCostEnd(state), ...priced, ...(isEndKnown ? {} : { atLeast: true }) };
}
