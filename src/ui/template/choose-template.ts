// Choosing a template from what the sidebar already knows.

import type { Row } from "../../domain/base/wire.ts";
import type { Template } from "../../domain/template/template.ts";
import { t, toPlainText } from "../../lib/text.ts";
import { formatTemplateImage, formatTemplateName } from "../../present/template/templates.ts";
import { getLast, getPart } from "../../services/core/loaded.ts";
import type { TemplateGroups } from "../../services/template/template-lists.ts";
import type { TemplatesService } from "../../services/template/templates.ts";
import { type Choice, createSeparator } from "../kit/ask/pick.ts";

/**
 * Own, recommended, popular. Asks the service only if nothing was read yet, and passes on each list as it arrives.
 * @throws AppError if they can't be read.
 */
export async function listTemplateChoices<T>(
  { collection }: TemplatesService,
  wrap: (template: Template) => T,
  partly: (choices: Choice<T>[]) => void,
): Promise<Choice<T>[]> {
  const { store } = collection;
  const showPart = () => {
    const part = getPart(store.current);
    if (part) partly(choicesOf(part.value, wrap));
  };
  showPart();
  const listening = store.onDidChange(showPart);
  try {
    await collection.getKnown();
  } finally {
    listening.dispose();
  }
  const groups = getLast(store.current)?.value;
  if (groups) return choicesOf(groups, wrap);
  if (store.current.state === "failed") throw store.current.error;
  return [];
}

function choicesOf<T>({ own, recommended, popular }: TemplateGroups, wrap: (template: Template) => T): Choice<T>[] {
  const part = (name: string, rows: readonly Row<Template>[]): Choice<T>[] =>
    rows.length === 0 ? [] : [createSeparator(name), ...rows.map((row) => toTemplateChoice(row.value, wrap))];
  return [...part(t("Mine"), own), ...part(t("Recommended"), recommended), ...part(t("Popular"), popular)];
}

export function toTemplateChoice<T>(template: Template, wrap: (template: Template) => T): Choice<T> {
  const about = toPlainText(template.desc ?? "", 120);
  return {
    label: formatTemplateName(template),
    description: formatTemplateImage(template),
    ...(about === "" ? {} : { detail: about }),
    value: wrap(template),
  };
}
