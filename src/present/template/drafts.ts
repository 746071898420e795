// An unsaved draft of a template as a choice.
import { toDisplayName } from "../../domain/template/template.ts";
import { listChangedFields } from "../../domain/template/template-changes.ts";
import { FIRST_TEMPLATE, type TemplateForm, toForm } from "../../domain/template/template-form.ts";
import { formatDateTime, t, toLabel } from "../../lib/text.ts";

interface Draft {
  readonly form: TemplateForm;
  /** What was being edited, as it was then. Absent for a template that doesn't exist yet. */
  readonly base?: { readonly form: TemplateForm } | undefined;
  /** Wall clock milliseconds of the last change. */
  readonly at: number;
}

interface DraftChoice {
  readonly label: string;
  readonly description: string;
  readonly detail?: string;
}

export function buildDraftChoice(draft: Draft): DraftChoice {
  const { form, base, at } = draft;
  const name = toLabel(toDisplayName(form.name.trim() || form.image, 60));
  return {
    label: `$(edit) ${name}`,
    description: t("unsaved, {0}", formatDateTime(at)),
    ...(base ? { detail: changesOf(draft) } : {}),
  };
}

/** Distinguishes drafts of one template. Values are shown only for fields that contain no secrets. */
function changesOf({ form, base }: Draft): string {
  const shown: readonly string[] = ["name", "desc", "image", "tag"];
  return listChangedFields(base?.form ?? toForm(FIRST_TEMPLATE), form)
    .map((field) => (shown.includes(field) ? `${field}: ${toLabel(String(form[field]), 60)}` : field))
    .join(", ");
}
