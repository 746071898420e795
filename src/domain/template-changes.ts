// What differs between two drafts of a template, and three of them brought together (interface 4.7: only changed fields are sent).
import { TEMPLATE_DRAFT_FIELDS, type TemplateField, type WholeDraft } from "./template-form.ts";

/** The same for values that say the same: the order of keys in an object says nothing. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, item]) => [name, canonical(item)]);
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(canonical(a)) === JSON.stringify(canonical(b));

/** The fields that are different, in the order of the form. */
export function changedFields(from: WholeDraft, to: WholeDraft): TemplateField[] {
  return TEMPLATE_DRAFT_FIELDS.filter((field) => !same(from[field], to[field]));
}

/** The changed fields with their new values: the body of an edit without its hash. An untyped password is unchanged. */
export function changes(from: WholeDraft, to: WholeDraft): Partial<WholeDraft> {
  return pick(to, changedFields(from, to));
}

function pick(draft: WholeDraft, fields: readonly TemplateField[]): Partial<WholeDraft> {
  return Object.fromEntries(fields.map((field) => [field, draft[field]]));
}

export interface Merged {
  /** Mine where I changed it, theirs elsewhere. */
  readonly draft: WholeDraft;
  /** Changed there and not here. */
  readonly theirs: readonly TemplateField[];
  /** Changed in both places, and differently. */
  readonly both: readonly TemplateField[];
}

/** Brings my changes onto what others made of the same base. */
export function merge(base: WholeDraft, mine: WholeDraft, theirs: WholeDraft): Merged {
  const changedHere = new Set(changedFields(base, mine));
  const changedThere = changedFields(base, theirs);
  return {
    draft: { ...theirs, ...pick(mine, [...changedHere]) },
    theirs: changedThere.filter((field) => !changedHere.has(field)),
    both: changedThere.filter((field) => changedHere.has(field) && !same(mine[field], theirs[field])),
  };
}
