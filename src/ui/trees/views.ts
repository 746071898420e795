// The lists of the sidebar: which service fills them and how their rows are grouped.

import type { Row } from "../../domain/base/wire.ts";
import type { LaunchRecord } from "../../domain/launch/launch-record.ts";
import type { Template } from "../../domain/template/template.ts";
import { describeSearch } from "../../domain/template/template-search.ts";
import { contexts, settings, views } from "../../ids.ts";
import { plain, t } from "../../lib/text.ts";
import type { RowView } from "../../present/base/row.ts";
import { instanceRow } from "../../present/instance/instances.ts";
import { launchRow } from "../../present/launch/launches.ts";
import { templateRow } from "../../present/template/templates.ts";
import { lastOf } from "../../services/core/loaded.ts";
import type { SessionService } from "../../services/core/session.ts";
import type { InstanceOrders } from "../../services/instance/instance-orders.ts";
import type { InstanceRow, InstancesService } from "../../services/instance/instances.ts";
import type { LaunchWatch } from "../../services/launch/launch-watch.ts";
import type { Found, TemplateGroups, TemplatesService } from "../../services/template/templates.ts";
import { milliseconds } from "../ports.ts";
import { ListView } from "./list-view.ts";
import type { Node } from "./rows.ts";

const fast = () => milliseconds(settings.refreshActive, 5, 2, 60);
const slow = () => milliseconds(settings.refreshIdle, 30, 10, 3600);

/** A launch whose end is open stands where its instance will stand. */
export type InstanceNode = Node<InstanceRow | LaunchRecord>;
export type TemplateNode = Node<Row<Template>>;

export function createInstancesView(
  session: SessionService,
  instances: InstancesService,
  watch: LaunchWatch,
  orders: InstanceOrders,
) {
  return new ListView({
    id: views.instances,
    why: contexts.instances,
    session,
    collection: instances.collection,
    rhythm: { fast, slow },
    unsettled: () => instances.unsettled,
    // What is rented costs money whether the list is in sight or not, and what is not read yet may be rented.
    keeps: () => instances.rows.length > 0 || lastOf(instances.collection.store.current)?.value.complete !== true,
    onDidChangeLook: orders.onDidChange,
    canSelectMany: true,
    draw: ({ rows }, tag, staleSince) =>
      rows.map((row): InstanceNode => {
        const order = orders.stageOf(row.value.id);
        return { view: instanceRow({ ...row, tag, staleSince, order }), of: row, children: [] };
      }),
    count: ({ rows }) => rows.length,
    unreadable: ({ unreadable }) => unreadable,
    complete: ({ complete }) => complete,
    remark: ({ listed, unread }) =>
      unread
        ? t("The list has not been read yet; more may be there.")
        : listed
          ? undefined
          : t("This service has no list of instances. Those launched here are shown, and those you track by their id."),
    own: {
      rows: (tag) =>
        [...watch.doubled, ...watch.atRisk].map(
          (record): InstanceNode => ({ view: launchRow(record, tag), of: record, children: [] }),
        ),
      onDidChange: watch.onDidChange,
    },
  });
}

/** Templates change rarely and three searches fill the list, so it is read ten times less often. */
export function createTemplatesView(session: SessionService, templates: TemplatesService) {
  return new ListView({
    id: views.templates,
    why: contexts.templates,
    session,
    collection: templates.collection,
    rhythm: { fast, slow: () => slow() * 10 },
    unsettled: () => false,
    canSelectMany: false,
    draw: (groups, tag, staleSince) => templateGroups(groups, tag, staleSince, templates.owned(groups.own)),
    count: ({ own, recommended, popular, found }) => own.length + recommended.length + popular.length + (found ? 1 : 0),
    unreadable: ({ unreadable }) => unreadable,
    complete: () => true,
  });
}

/** What was searched for first, then the lists everybody has; a list without rows is not shown. */
export function templateGroups(
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
  const view: RowView = {
    id: `group ${tag} ${key}`,
    label: name,
    description: String(rows.length),
    icon: "",
    color: undefined,
    context: "group",
    accessible: t("{0}, {1} templates", name, rows.length),
  };
  const children = rows.map(
    (row): TemplateNode => ({ view: templateRow(row.value, tag, staleSince, isOwn(row)), of: row, children: [] }),
  );
  return { view, of: undefined, children };
}

/** What was searched for, with a way to end it. A template may stand in another list as well, so its row has a name of its own. */
function searchGroup(
  { filters, rows }: Found,
  tag: string,
  staleSince: number | undefined,
  isOwn: (row: Row<Template>) => boolean,
): TemplateNode {
  const { view } = group(t("Search"), "search", [], tag, staleSince, isOwn);
  const said = plain(describeSearch(filters), 300);
  return {
    view: {
      ...view,
      description: `${rows.length} · ${said}`,
      context: "search",
      accessible: t("{0}, {1} templates", t("Search {0}", said), rows.length),
      tooltip: () => ({ title: t("Search"), facts: [["select_filters", plain(JSON.stringify(filters), 1000)]] }),
    },
    of: undefined,
    children: rows.map((row) => ({
      view: templateRow(row.value, `${tag} found`, staleSince, isOwn(row)),
      of: row,
      children: [],
    })),
  };
}
