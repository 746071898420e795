// What the person is shown before something runs on a machine that is up.
import type { Globs } from "../base/glob.ts";
import type { InstanceAutoStop } from "../instance/auto-stop.ts";
import type { UploadFacts } from "../transfer/upload-list.ts";
import type { RunLimits } from "./run-limits.ts";
import type { RunRecord } from "./run-record.ts";
import type { RunUpload } from "./run-upload.ts";

export interface RunFacts extends UploadFacts {
  readonly list: RunUpload;
  readonly command: string;
  readonly setup: string;
  readonly results?: Globs | undefined;
  readonly resultsEveryMinutes?: number | undefined;
  /** Names of secrets that it gets. */
  readonly secrets: readonly string[];
  readonly limits: RunLimits;
  /** $/h of the machine; undefined if it isn't known. */
  readonly price: number | undefined;
  /** Other runs on the machine that aren't over. */
  readonly others: readonly RunRecord[];
  /** An earlier run has the machine stop itself. */
  readonly stopsItself: boolean;
  /** What ends the machine besides, and the time at which that was read, in epoch milliseconds. */
  readonly autoStop?: { readonly end: InstanceAutoStop; readonly now: number };
}
