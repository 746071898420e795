// What the person is shown before a command runs on all instances of a group.
import type { WhenDone } from "../base/when-done.ts";
import type { RunLimits } from "../run/run-limits.ts";
import type { Engine, OnFailure } from "../run/run-record.ts";
import type { RunUpload } from "../run/run-upload.ts";
import type { GroupFacts } from "./group-facts.ts";

export interface JobFacts {
  readonly group: GroupFacts;
  readonly engine: Engine;
  readonly onFailure: OnFailure;
  readonly whenDone: WhenDone;
  readonly list: RunUpload;
  readonly command: string;
  readonly setup: string;
  readonly remote: string;
  readonly results: readonly string[];
  readonly resultsEveryMinutes?: number | undefined;
  /** Names of secrets that each of them gets. */
  readonly secrets: readonly string[];
  readonly limits: RunLimits;
}
