// The page's state: what is typed, what is wrong with it, and what became of the last attempt.
import { isTyped, type JobsField, type JobsForm, type JobsProblem, readJobsForm } from "../../domain/host/jobs-form.ts";
import type { ChosenMachine } from "../../protocol/jobs-page.ts";
import { isNewRow, type NewRow } from "../kit/new-row.ts";

export interface JobsModel {
  readonly form: JobsForm;
  /** In the order of the form. */
  readonly problems: readonly JobsProblem[];
  /** Fields the person has visited. Problems of other fields aren't shown yet. */
  readonly touched: ReadonlySet<JobsField>;
  /** The row that was just added and is being filled in. What it lacks isn't shown yet. */
  readonly newRow: NewRow | undefined;
  /** True once the person tried to create: from then on, everything missing is shown. */
  readonly tried: boolean;
  readonly busy: "creating" | "choosing" | undefined;
  /** What the host couldn't do, and for which request. `unconfirmed`: it was done, or not. */
  readonly failure:
    | {
        readonly of: "creating" | "choosing" | "unconfirmed";
        readonly message: string;
        readonly field: string | undefined;
      }
    | undefined;
  /** The last machine that was chosen from the list. */
  readonly machine: ChosenMachine | undefined;
  readonly isRestored: boolean;
}

/** The next model, with the form read again if it changed. */
export function updateJobsModel(before: JobsModel | undefined, given: Partial<Omit<JobsModel, "problems">>): JobsModel {
  const whole = {
    touched: new Set<JobsField>(),
    newRow: undefined,
    tried: false,
    busy: undefined,
    failure: undefined,
    machine: undefined,
    isRestored: false,
    ...before,
    ...given,
  };
  const form = given.form ?? before?.form;
  if (form === undefined) throw new RangeError("The first model needs a form.");
  const problems = before && given.form === undefined ? before.problems : readJobsForm(form).problems;
  return { ...whole, form, problems };
}

/** The problems to show now. A missing value isn't reported before the person has visited the field, or left a new row. */
export function listShownProblems({ problems, touched, newRow, tried }: JobsModel, field: JobsField, row?: number) {
  if (!tried && (!touched.has(field) || isNewRow(newRow, field, row))) return [];
  return problems.filter((one) => one.field === field && one.row === row);
}

/** The first field of an empty form has the focus: leaving it is no mistake. */
export const isUntouched = ({ form, tried }: JobsModel): boolean => !tried && !isTyped(form);
