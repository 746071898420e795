// What the page knows: what is stored, what is typed, what is wrong with it, and what is going on.
import { unsavedFields } from "../../domain/template/template-changes.ts";
import {
  type ReadForm,
  readForm,
  TEMPLATE_DRAFT_FIELDS,
  type TemplateField,
  type TemplateForm,
} from "../../domain/template/template-form.ts";
import { lint, missingToken, type Problem } from "../../domain/template/template-lint.ts";
import type { PageState, Supply } from "../../protocol/template-page.ts";

export interface Model {
  readonly state: PageState;
  readonly form: TemplateForm;
  readonly read: ReadForm;
  readonly problems: readonly Problem[];
  readonly changed: readonly TemplateField[];
  /** Fields the person has been in: before that nothing is held against them. */
  readonly touched: ReadonlySet<TemplateField>;
  /** True once saving was tried: then everything that is missing is said. */
  readonly tried: boolean;
  readonly busy: "saving" | "settling" | "tags" | undefined;
  /** What the host could not do, and what it was asked for. */
  readonly failure:
    | { readonly of: Model["busy"]; readonly message: string; readonly field: string | undefined }
    | undefined;
  /** Undefined while it is not known. */
  readonly supply: Supply | { readonly failed: string } | undefined;
}

type Given = Partial<Omit<Model, "read" | "problems" | "changed">>;

/** The next model, with everything that follows from the form worked out anew. */
export function next(before: Model | undefined, given: Given & Pick<Model, "state" | "form">): Model {
  const { state, form } = given;
  const read = readForm(form);
  const changed = unsavedFields(state.base, form, read);
  const held = isHeld({ state });
  const unchanged = held ? TEMPLATE_DRAFT_FIELDS.filter((field) => !changed.includes(field)) : [];
  return {
    touched: new Set(),
    tried: false,
    busy: undefined,
    failure: undefined,
    supply: undefined,
    ...before,
    ...given,
    read,
    changed,
    problems: [...lint(form, read, new Set(unchanged)), ...(held ? [] : missingToken(form))],
  };
}

/** The problems a person should see now: what is only missing waits until they have been there. */
export function shown({ problems, touched, tried, changed }: Model): readonly Problem[] {
  const isDue = ({ severity, field }: Problem) =>
    severity !== "error" || tried || touched.has(field) || changed.includes(field);
  return problems.filter(isDue);
}

const placed = new WeakMap<Model, ReadonlyMap<string, readonly Problem[]>>();

/** Those of one field, or of one row of it: parted once for each model, not once for each row. */
export function shownAt(model: Model, field: TemplateField, row?: number): readonly Problem[] {
  const known = placed.get(model) ?? Map.groupBy(shown(model), (problem) => `${problem.field} ${problem.row}`);
  placed.set(model, known);
  return known.get(`${field} ${row}`) ?? [];
}

export const errors = ({ problems }: Model): readonly Problem[] =>
  problems.filter(({ severity }) => severity === "error");
export const isNew = ({ state }: Model): boolean => state.hash === undefined;
/** Whether the service has it: a save sends what changed, not all of it. */
const isHeld = ({ state }: Pick<Model, "state">): boolean =>
  state.hash !== undefined && state.conflict?.kind !== "deleted";
/** What is stored nowhere can be created as it stands. */
export const maySave = (model: Model): boolean => !isHeld(model) || isUnsaved(model);
/** Whether filters and disk can be read: else machines are not counted, not even by what was typed before. */
export const isCountable = ({ read }: Model): boolean =>
  !read.problems.some(({ field }) => field === "extra_filters" || field === "recommended_disk_space");
/** A new template is unsaved from its first letter on, not before. */
export const isUnsaved = ({ changed }: Model): boolean => changed.length > 0;
