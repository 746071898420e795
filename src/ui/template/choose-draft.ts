// Choosing among unsaved drafts of a template.
import { t } from "../../lib/text.ts";
import { buildDraftChoice } from "../../present/template/drafts.ts";
import type { FoundDraft } from "../../services/template/draft-store.ts";
import type { DraftAlternative } from "../../services/template/template-edits.ts";
import { pickOne } from "../kit/ask/pick.ts";
import { BACK } from "../kit/ask/steps.ts";

/** The draft to continue with, or `other`; undefined if nothing was chosen. */
export async function chooseDraft(
  drafts: readonly FoundDraft[],
  other: DraftAlternative,
): Promise<FoundDraft | "other" | undefined> {
  const alternatives: Readonly<Record<DraftAlternative, { readonly title: string; readonly label: string }>> = {
    empty: { title: t("New Template"), label: `$(add) ${t("Empty Form")}` },
    stored: { title: t("Edit Template"), label: `$(cloud) ${t("Saved Version")}` },
    open: { title: t("Edit Template"), label: `$(window) ${t("Open Form")}` },
  };
  const { title, label } = alternatives[other];
  const choices = drafts.map((draft) => ({ ...buildDraftChoice(draft), value: draft }));
  const chosen = await pickOne<FoundDraft | "other">({
    title,
    placeholder: t("Restore unsaved changes?"),
    choices: [...choices, { label, value: "other" }],
  });
  return chosen === BACK ? undefined : chosen;
}
