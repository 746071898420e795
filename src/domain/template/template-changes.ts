// The differences between two drafts of a template, and merging three (interface 4.7: only changed fields are sent).
import {
  readForm,
  TEMPLATE_DRAFT_FIELDS,
  type TemplateField,
  type TemplateForm,
  type WholeDraft,
} from "./template-form.ts";

/** Equal for values with the same meaning: the order of keys in an object doesn't matter. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, item]) => [name, canonical(item)]);
}

const isText = (value: unknown) => typeof value === "string";

/** Texts, which may be long, are compared directly. */
const same = (a: unknown, b: unknown): boolean =>
  a === b || (!(isText(a) && isText(b)) && JSON.stringify(canonical(a)) === JSON.stringify(canonical(b)));

/** A draft or a form: anything with the fields of a template. */
type Fields = Readonly<Record<TemplateField, unknown>>;

/** The fields that differ, in the order of the form. */
export function listChangedFields(from: Fields, to: Fields): TemplateField[] {
  return TEMPLATE_DRAFT_FIELDS.filter((field) => !same(from[field], to[field]));
}

/** The fields of a form that differ from the stored version or can't be read. */
export function listUnsavedFields(stored: TemplateForm, form: TemplateForm, read = readForm(form)): TemplateField[] {
  const changed = listChangedFields(readForm(stored).draft, read.draft);
  const unreadable = read.problems.map(({ field }) => field).filter((field) => !same(stored[field], form[field]));
  return TEMPLATE_DRAFT_FIELDS.filter((field) => changed.includes(field) || unreadable.includes(field));
}

/**
 * The changed fields with their new values: the body of an edit without its hash. A password that wasn't typed is
 * unchanged.
 */
export function pickChanges(from: WholeDraft, to: WholeDraft): Partial<WholeDraft> {
  return pick(to, listChangedFields(from, to));
}

function pick<T extends Fields>(of: T, fields: readonly TemplateField[]): Partial<T> {
  return Object.fromEntries(fields.map((field) => [field, of[field]])) as Partial<T>;
}

interface Merged<T> {
  /** Mine where I changed it, theirs elsewhere. */
  readonly merged: T;
  /** Changed there. */
  readonly theirs: readonly TemplateField[];
  /** Changed in both places, and differently. */
  readonly both: readonly TemplateField[];
}

/** Applies my changes to another version of the same base. Forms keep typed text that can't be read yet. */
export function mergeChanges<T extends Fields>(base: T, mine: T, theirs: T): Merged<T> {
  const changedHere = listChangedFields(base, mine);
  const changedThere = listChangedFields(base, theirs);
  return {
    merged: { ...theirs, ...pick(mine, changedHere) },
    theirs: changedThere,
    both: changedThere.filter((field) => changedHere.includes(field) && !same(mine[field], theirs[field])),
  };
}

/** The changed version, with the other's wording wherever both mean the same: typed text stays as it was typed. */
export function keepWording<T extends Fields>(typed: T, typedMeans: Fields, result: T, resultMeans: Fields): T {
  const kept = TEMPLATE_DRAFT_FIELDS.filter((field) => same(typedMeans[field], resultMeans[field]));
  return { ...result, ...pick(typed, kept) };
}
