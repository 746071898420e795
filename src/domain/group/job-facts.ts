// What the person is shown before a command runs on all instances of a group.
import type { Afterward } from "../base/afterward.ts";
import type { RunLimits } from "../run/run-limits.ts";
import type { Engine, OnFailure } from "../run/run-record.ts";
import type { RunUpload } from "../run/run-upload.ts";
import type { GroupFacts } from "./group-facts.ts";

export interface JobFacts {
  readonly group: GroupFacts;
  readonly engine: Engine;
  readonly onFailure: OnFailure;
  readonly afterward: Afterward;
  readonly list: RunUpload;
  readonly command: string;
  readonly setUp: string;
  readonly remote: string;
  readonly results: readonly string[];
  readonly limits: RunLimits;
}
