// What a form begins with.
import { listChangedFields } from "../../domain/template/template-changes.ts";
import { FIRST_TEMPLATE, readForm, toForm } from "../../domain/template/template-form.ts";
import { createDraftKey, type StoredDraft } from "./draft-store.ts";
import type { EditStart } from "./template-edit.ts";
import type { Stored } from "./template-saves.ts";

/** A form as it was stored, on top of its base. A difference from the service's current version is found later. */
export function toEditStart(known: Stored | undefined, draft: StoredDraft | undefined): EditStart {
  const stored = draft?.base
    ? { id: draft.base.id, hash: draft.base.hash, draft: readForm(draft.base.form).draft }
    : known;
  const base = toForm(stored?.draft ?? FIRST_TEMPLATE);
  const form = draft?.form ?? base;
  const key = draft?.key ?? createDraftKey();
  const isRestored = draft !== undefined && listChangedFields(base, form).length > 0;
  const notice = isRestored ? ({ kind: "restored", at: draft.at, withheld: draft.withheld ?? [] } as const) : undefined;
  return { key, root: draft?.root ?? key, stored, form, at: draft?.at, withheld: draft?.withheld, notice };
}
