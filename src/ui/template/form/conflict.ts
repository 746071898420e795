// What others changed in a template that is being edited here, as reported to its page.
import { merge } from "../../../domain/template/template-changes.ts";
import { formOf, type TemplateForm } from "../../../domain/template/template-form.ts";
import type { Conflict } from "../../../protocol/template-page.ts";
import type { Stored } from "../../../services/template/template-saves.ts";

export type Trouble = { readonly kind: "changed"; readonly theirs: Stored } | { readonly kind: "deleted" };

export function conflictOf(base: TemplateForm, form: TemplateForm, trouble: Trouble): Conflict {
  if (trouble.kind === "deleted") return { kind: "deleted" };
  const { theirs, both } = merge(base, form, formOf(trouble.theirs.draft));
  return { kind: "changed", fields: [...theirs], both: [...both] };
}
