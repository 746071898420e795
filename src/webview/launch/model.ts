// The page's state: what is typed, what is wrong with it, and what the host makes of it.
import { LAUNCH_FIELDS, type LaunchField, type LaunchForm } from "../../domain/launch/launch-form.ts";
import {
  type LaunchProblem,
  listOwnFields,
  type ReadLaunchForm,
  readLaunchForm,
} from "../../domain/launch/read-launch-form.ts";
import type { LaunchPageState, LaunchPreview } from "../../protocol/launch-page.ts";
import { isNewRow, type NewRow } from "../kit/new-row.ts";

export interface LaunchModel {
  readonly state: LaunchPageState;
  readonly form: LaunchForm;
  readonly read: ReadLaunchForm;
  /** Fields that aren't the template's or the default. */
  readonly own: ReadonlySet<LaunchField>;
  /** Fields the person has visited. What others lack isn't shown yet. */
  readonly touched: ReadonlySet<LaunchField>;
  /** The row that was just added and is being filled in. What it lacks isn't shown yet. */
  readonly newRow: NewRow | undefined;
  /** True once the person tried to go on: from then on, everything missing is shown. */
  readonly tried: boolean;
  readonly busy: "review" | "tags" | "volume" | "saveAs" | undefined;
  readonly failure: { readonly message: string; readonly field: string | undefined } | undefined;
  readonly preview: LaunchPreview | undefined;
}

type Given = Partial<Omit<LaunchModel, "read" | "own">>;

/** The next model, with everything derived from the form computed again. */
export function updateLaunchModel(
  before: LaunchModel | undefined,
  given: Given & Pick<LaunchModel, "state" | "form">,
): LaunchModel {
  const { state, form } = given;
  const isSame = before?.form === form && before.state === state;
  return {
    touched: new Set(),
    newRow: undefined,
    tried: false,
    busy: undefined,
    failure: undefined,
    preview: undefined,
    ...before,
    ...given,
    read: isSame ? before.read : readLaunchForm(form, state.context),
    own: isSame ? before.own : new Set(listOwnFields(form, state.context.base)),
  };
}

/** The problems to show now at a field, or at a row of its table. A missing value isn't one before the person was there. */
export function listShownLaunchProblems(
  { read, touched, newRow, tried, own }: LaunchModel,
  field: LaunchField,
  row?: number,
): readonly LaunchProblem[] {
  const isDue = ({ severity }: LaunchProblem) =>
    severity !== "error" || tried || (!isNewRow(newRow, field, row) && (touched.has(field) || own.has(field)));
  return read.problems.filter((problem) => problem.field === field && problem.row === row && isDue(problem));
}

/** In the order of the form. */
export const listLaunchErrors = ({ read }: LaunchModel): readonly LaunchProblem[] =>
  read.problems.filter(({ severity }) => severity === "error");

export const isKnownField = (field: string | undefined): field is LaunchField =>
  LAUNCH_FIELDS.some((one) => one === field);
