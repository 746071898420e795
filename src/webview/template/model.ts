// The page's state: the stored version, the typed one, its problems, and what is in progress.
import { listUnsavedFields } from "../../domain/template/template-changes.ts";
import {
  comesWithSsh,
  FORM_SECTIONS,
  type ReadForm,
  readForm,
  TEMPLATE_DRAFT_FIELDS,
  type TemplateField,
  type TemplateForm,
} from "../../domain/template/template-form.ts";
import { findMissingToken, lintForm, type Problem } from "../../domain/template/template-lint.ts";
import type { PageState, Supply } from "../../protocol/template-page.ts";
import { isNewRow, type NewRow } from "../kit/new-row.ts";

export interface Model {
  readonly state: PageState;
  readonly form: TemplateForm;
  readonly read: ReadForm;
  readonly problems: readonly Problem[];
  readonly changed: readonly TemplateField[];
  /** Fields the person has visited. Problems of other fields aren't shown yet. */
  readonly touched: ReadonlySet<TemplateField>;
  /** The row that was just added and is being filled in. What it lacks isn't shown yet. */
  readonly newRow: NewRow | undefined;
  /** The filter whose field is being typed. It stays a text box, even if the text so far is another field's name. */
  readonly typedFilter: number | undefined;
  /** Direct SSH as it was last in a mode that has it: the image's own entrypoint turns it off. */
  readonly directSsh: boolean;
  /** True once a save was attempted: from then on, everything missing is shown. */
  readonly tried: boolean;
  readonly busy: "saving" | "settling" | "tags" | undefined;
  /** What the host couldn't do, and for which request. */
  readonly failure:
    | { readonly of: Model["busy"]; readonly message: string; readonly field: string | undefined }
    | undefined;
  /** Undefined while unknown. */
  readonly supply: Supply | { readonly failed: string } | undefined;
}

type Given = Partial<Omit<Model, "read" | "problems" | "changed" | "directSsh">>;

/** What choosing a mode changes. SSH access follows the mode; anyone who wants something else can change it afterward. */
export function chooseMode({ form, directSsh }: Model, runtype: TemplateForm["runtype"]): Partial<TemplateForm> {
  const changes = { runtype, use_ssh: comesWithSsh(runtype) };
  if (comesWithSsh(runtype) === comesWithSsh(form.runtype)) return changes;
  return { ...changes, ssh_direct: comesWithSsh(runtype) && directSsh };
}

/** The next model, with everything derived from the form recomputed. */
export function updateTemplateModel(before: Model | undefined, given: Given & Pick<Model, "state" | "form">): Model {
  const { state, form } = given;
  const read = readForm(form);
  const changed = listUnsavedFields(state.base, form, read);
  const held = isHeld({ state });
  const unchanged = held ? TEMPLATE_DRAFT_FIELDS.filter((field) => !changed.includes(field)) : [];
  return {
    touched: new Set(),
    newRow: undefined,
    typedFilter: undefined,
    tried: false,
    busy: undefined,
    failure: undefined,
    supply: undefined,
    ...before,
    ...given,
    read,
    changed,
    directSsh: comesWithSsh(form.runtype)
      ? form.ssh_direct
      : (before?.directSsh ?? (comesWithSsh(state.base.runtype) && state.base.ssh_direct)),
    problems: [...lintForm(form, read, new Set(unchanged)), ...(held ? [] : findMissingToken(form))],
  };
}

/** The problems to show now. A missing value isn't reported before the person has visited the field, or left a new row. */
export function listShown({ problems, touched, newRow, tried, changed }: Model): readonly Problem[] {
  const isDue = ({ severity, field, row }: Problem) =>
    severity !== "error" || tried || (!isNewRow(newRow, field, row) && (touched.has(field) || changed.includes(field)));
  return problems.filter(isDue);
}

const placed = new WeakMap<Model, ReadonlyMap<string, readonly Problem[]>>();

/** The problems of one field, or of one of its rows. Grouped once per model rather than once per row. */
export function listShownAt(model: Model, field: TemplateField, row?: number): readonly Problem[] {
  const known = placed.get(model) ?? Map.groupBy(listShown(model), (problem) => `${problem.field} ${problem.row}`);
  placed.set(model, known);
  return known.get(`${field} ${row}`) ?? [];
}

const ORDER: readonly TemplateField[] = Object.values(FORM_SECTIONS).flat();
/** In the order of the form. */
export const listErrors = ({ problems }: Model): readonly Problem[] =>
  problems
    .filter(({ severity }) => severity === "error")
    .sort((one, other) => ORDER.indexOf(one.field) - ORDER.indexOf(other.field));
export const isNew = ({ state }: Model): boolean => state.hash === undefined;
/** Whether the service has the template. If so, a save sends only the changes. */
export const isHeld = ({ state }: Pick<Model, "state">): boolean =>
  state.hash !== undefined && state.conflict?.kind !== "deleted";
/** A template that isn't stored yet can be created as it is. */
export const maySave = (model: Model): boolean => !isHeld(model) || isUnsaved(model);
/** Whether filters and disk can be read. If not, machines aren't counted, not even for the last readable input. */
export const isCountable = (model: Model): boolean =>
  ![...model.read.problems, ...listErrors(model)].some(
    ({ field }) => field === "extra_filters" || field === "recommended_disk_space",
  );
/** A new template counts as unsaved from the first change on. */
export const isUnsaved = ({ changed }: Model): boolean => changed.length > 0;
