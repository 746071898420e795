// The list of templates: search results, the account's own, and the lists that everyone has.
import type { Row } from "../../domain/base/wire.ts";
import type { Template } from "../../domain/template/template.ts";
import { describeSearch } from "../../domain/template/template-search.ts";
import { contexts, views } from "../../ids.ts";
import { t, toPlainText } from "../../lib/text.ts";
import { formatTemplateCount } from "../../present/base/counts.ts";
import { buildGroupRow } from "../../present/base/row.ts";
import { buildTemplateRow } from "../../present/template/templates.ts";
import type { RowMemory } from "../../services/core/row-memory.ts";
import type { Scheduler } from "../../services/core/scheduler.ts";
import type { SessionService } from "../../services/core/session.ts";
import type { FoundTemplates, TemplateGroups } from "../../services/template/template-lists.ts";
import type { TemplatesService } from "../../services/template/templates.ts";
import { quietList } from "../list/list-rhythm.ts";
import { ListView } from "../list/list-view.ts";
import type { Node } from "../list/rows.ts";

type TemplateNode = Node<Row<Template>>;

interface Services {
  readonly session: SessionService;
  readonly scheduler: Scheduler;
  readonly rowMemory: RowMemory;
  readonly templates: TemplatesService;
}

/** Templates change rarely and three searches fill the list, so it is read ten times less often. */
export function createTemplatesView({ session, scheduler, rowMemory, templates }: Services) {
  return new ListView({
    ...quietList,
    id: views.templates,
    why: contexts.templates,
    session,
    scheduler,
    rowMemory,
    collection: templates.collection,
    draw: (groups, tag, staleSince) => buildTemplateGroups(groups, tag, staleSince, templates.listOwned(groups.own)),
    count: ({ own, recommended, popular, found }) => own.length + recommended.length + popular.length + (found ? 1 : 0),
    unreadable: ({ unreadable }) => unreadable,
  });
}

/** Search results first, then the lists that everyone has. An empty list isn't shown. */
export function buildTemplateGroups(
  { own, recommended, popular, found }: TemplateGroups,
  tag: string,
  staleSince: number | undefined,
  isOwn: (row: Row<Template>) => boolean,
): TemplateNode[] {
  return [
    ...(found ? [searchGroup(found, tag, staleSince, isOwn)] : []),
    group(t("Mine"), "own", own, tag, staleSince, isOwn),
    group(t("Recommended"), "recommended", recommended, tag, staleSince, isOwn),
    group(t("Popular"), "popular", popular, tag, staleSince, isOwn),
  ].filter((node) => node.children.length > 0 || node.view.context.includes("search"));
}

function group(
  name: string,
  key: string,
  rows: readonly Row<Template>[],
  tag: string,
  staleSince: number | undefined,
  isOwn: (row: Row<Template>) => boolean,
): TemplateNode {
  const view = buildGroupRow(
    `group ${tag} ${key}`,
    name,
    rows.length,
    t("{0}, {1}", name, formatTemplateCount(rows.length)),
  );
  const children = rows.map(
    (row): TemplateNode => ({ view: buildTemplateRow(row.value, tag, staleSince, isOwn(row)), of: row, children: [] }),
  );
  return { view, of: undefined, children };
}

/**
 * The search results, with a way to clear them. A template may also be in another list, so its row needs a separate ID.
 */
function searchGroup(
  { filters, rows }: FoundTemplates,
  tag: string,
  staleSince: number | undefined,
  isOwn: (row: Row<Template>) => boolean,
): TemplateNode {
  const { view } = group(t("Search"), "search", [], tag, staleSince, isOwn);
  const said = toPlainText(describeSearch(filters), 300);
  return {
    view: {
      ...view,
      description: `${rows.length} · ${said}`,
      context: "search",
      isPassing: true,
      accessible: t("{0}, {1}", t("Search {0}", said), formatTemplateCount(rows.length)),
      tooltip: () => ({ title: t("Search"), facts: [["select_filters", toPlainText(JSON.stringify(filters), 1000)]] }),
    },
    of: undefined,
    children: rows.map((row) => ({
      view: buildTemplateRow(row.value, `${tag} found`, staleSince, isOwn(row)),
      of: row,
      children: [],
    })),
  };
}
