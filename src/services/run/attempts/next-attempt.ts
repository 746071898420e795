// What the next attempt at a run begins with, once its last one is over.
import type { Attempt } from "../../../domain/run/attempt.ts";
import type { RunLimits } from "../../../domain/run/run-limits.ts";
import type { RunDraft } from "../../../domain/run/run-plan.ts";
import type { EarlyResults, RunRecord } from "../../../domain/run/run-record.ts";
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
