// Choosing a template from what the sidebar already knows.

import type { Row } from "../../domain/base/wire.ts";
import type { Template } from "../../domain/template/template.ts";
import { plain, t } from "../../lib/text.ts";
import { templateImage, templateName } from "../../present/template/templates.ts";
import { lastOf } from "../../services/core/loaded.ts";
import type { TemplatesService } from "../../services/template/templates.ts";
import { type Choice, separator } from "../kit/steps.ts";

/** Own, recommended, popular. Asks the service only if nothing was read yet. @throws AppError if it can't be read. */
export async function templateChoices<T>(
  templates: TemplatesService,
  wrap: (template: Template) => T,
): Promise<Choice<T>[]> {
  const { store } = templates.collection;
  await templates.collection.known();
  const groups = lastOf(store.current)?.value;
  if (!groups) {
    if (store.current.state === "failed") throw store.current.error;
    return [];
  }
  const part = (name: string, rows: readonly Row<Template>[]): Choice<T>[] =>
    rows.length === 0 ? [] : [separator(name), ...rows.map((row) => choice(row.value, wrap))];
  return [
    ...part(t("Mine"), groups.own),
    ...part(t("Recommended"), groups.recommended),
    ...part(t("Popular"), groups.popular),
  ];
}

function choice<T>(template: Template, wrap: (template: Template) => T): Choice<T> {
  const about = plain(template.desc ?? "", 120);
  return {
    label: templateName(template),
    description: templateImage(template),
    ...(about === "" ? {} : { detail: about }),
    value: wrap(template),
  };
}
