// What the parts of the form for background jobs draw from, and what they can do.
import type { JobsField, JobsForm, JobsProblem } from "../../domain/host/jobs-form.ts";
import type { FormPage, ShownProblem } from "../kit/controls.ts";
import type { NewRow } from "../kit/new-row.ts";
import type { JobsModel } from "./model.ts";

type TextOfJobs = Exclude<JobsField, "env" | "args_kind" | "use_ssh">;

/** A problem with the part of its row that it is about. */
export type PlacedJobsProblem = ShownProblem & Pick<JobsProblem, "part">;

export interface JobsFormPage extends FormPage<JobsField, TextOfJobs> {
  readonly model: JobsModel;
  readonly problemsOf: (field: JobsField, row?: number) => readonly PlacedJobsProblem[];
  /** `newRow`: added by these changes, and about to be filled in. */
  readonly set: (changes: Partial<JobsForm>, newRow?: NewRow) => void;
  readonly leaveRow: () => void;
  readonly chooseMachine: () => void;
}
