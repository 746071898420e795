// Searching templates by words, over what the lists of the sidebar hold. The service's exact filters are a button away.
import type { Row } from "../../domain/base/wire.ts";
import type { Template } from "../../domain/template/template.ts";
import { findByWords } from "../../domain/template/template-words.ts";
import { t, toLabel } from "../../lib/text.ts";
import { getPart } from "../../services/core/loaded.ts";
import type { TemplatesService } from "../../services/template/templates.ts";
import { findAsYouType } from "../kit/ask/find.ts";
import type { Choice } from "../kit/ask/pick.ts";
import { toTemplateChoice } from "./choose-template.ts";

type FoundTemplate = "filters" | { readonly act: "open" | "launch"; readonly row: Row<Template> };

/** More lines than anyone reads. */
const MOST = 200;

/** @returns undefined for Escape. */
export function findTemplate(templates: TemplatesService): Promise<FoundTemplate | undefined> {
  const { store } = templates.collection;
  void templates.collection.getKnown();
  return findAsYouType<FoundTemplate>({
    title: t("Search Templates"),
    placeholder: t("Search names, images, and descriptions"),
    choices: (typed) => linesFor(templates, typed),
    isLoading: () => store.current.state === "loading",
    onDidChange: store.onDidChange,
    button: { icon: "filter", tooltip: t("Search with the service's filters"), answer: "filters" },
    lineButton: {
      icon: "rocket",
      tooltip: t("Launch Instance from Template…"),
      answer: (found) => (found === "filters" ? found : { ...found, act: "launch" }),
    },
  });
}

function linesFor(templates: TemplatesService, typed: string): Choice<FoundTemplate>[] {
  const { current } = templates.collection.store;
  const rows = new Map(templates.all.map((row) => [row.value.hash_id, row]));
  const found = findByWords(
    [...rows.values()].map(({ value }) => value),
    typed,
  ).slice(0, MOST);
  if (found.length > 0)
    return found.flatMap((template) => {
      const row = rows.get(template.hash_id);
      return row ? [toTemplateChoice(template, (): FoundTemplate => ({ act: "open", row }))] : [];
    });
  if (current.state === "failed" && !getPart(current))
    return [{ label: `$(error) ${toLabel(current.error.message, 300)}` }];
  return [{ label: current.state === "loading" ? t("Loading…") : t("No listed template contains these words.") }];
}
