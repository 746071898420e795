// What was confirmed at the summary of a run that rents: the renting, and what it is for.
import type { WhenDone } from "../../domain/base/when-done.ts";
import type { RunDraft } from "../../domain/run/run-plan.ts";
import type { RunUpload } from "../../domain/run/run-upload.ts";
import type { Rental } from "../launch/launch-steps.ts";
import type { NextAttempt } from "./attempts/next-attempt.ts";

export interface ConfirmedRental {
  readonly rental: Rental;
  readonly draft: RunDraft;
  readonly list: RunUpload;
  readonly whenDone: WhenDone;
  readonly stopsItself: boolean;
  /** What it goes on with, if it began on another instance. */
  readonly next?: NextAttempt | undefined;
}
