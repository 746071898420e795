// The lists of what an account has set up elsewhere: webhooks, and workergroups under their endpoints.
import type { Webhook } from "../../domain/account.ts";
import type { Row } from "../../domain/wire.ts";
import { contexts, settings, views } from "../../ids.ts";
import { t } from "../../lib/text.ts";
import { webhookDetails, webhookRow } from "../../present/webhooks.ts";
import { endpointName, workergroupDetails, workergroupRow } from "../../present/workergroups.ts";
import type { SessionService } from "../../services/session.ts";
import type { WebhooksService } from "../../services/webhooks.ts";
import type { WorkergroupRow, WorkergroupsService } from "../../services/workergroups.ts";
import { milliseconds } from "../ports.ts";
import { ListView } from "./list-view.ts";
import type { Node } from "./rows.ts";

type WebhookNode = Node<Row<Webhook>>;
type WorkergroupNode = Node<WorkergroupRow>;

/** What changes by hand and rarely is read ten times less often than what moves. */
const rhythm = {
  fast: () => milliseconds(settings.refreshActive, 5, 2, 60),
  slow: () => milliseconds(settings.refreshIdle, 30, 10, 3600) * 10,
};
const listView = { rhythm, unsettled: () => false, canSelectMany: false, complete: () => true } as const;

export function createWebhooksView(session: SessionService, webhooks: WebhooksService) {
  return new ListView({
    ...listView,
    id: views.webhooks,
    why: contexts.webhooks,
    session,
    collection: webhooks.collection,
    draw: ({ rows }, tag, staleSince) =>
      rows.map(
        (row): WebhookNode => ({
          view: webhookRow({ value: row.value, tag, staleSince, now: Date.now() }),
          of: row,
          children: webhookDetails(row.value, tag).map((view) => ({ view, of: undefined, children: [] })),
        }),
      ),
    count: ({ rows }) => rows.length,
    unreadable: ({ unreadable }) => unreadable,
  });
}

export function createWorkergroupsView(session: SessionService, workergroups: WorkergroupsService) {
  return new ListView({
    ...listView,
    id: views.workergroups,
    why: contexts.workergroups,
    session,
    collection: workergroups.collection,
    draw: ({ rows }, tag, staleSince) => endpoints(rows, tag, staleSince),
    count: ({ rows }) => rows.length,
    unreadable: ({ unreadable }) => unreadable,
  });
}

function endpoints(rows: readonly WorkergroupRow[], tag: string, staleSince: number | undefined): WorkergroupNode[] {
  const groups = Map.groupBy(rows, ({ value }) => `${value.endpoint_id ?? ""} ${value.endpoint_name ?? ""}`);
  return [...groups].flatMap(([key, members]) => {
    const [first] = members;
    return first ? [endpoint(endpointName(first.value), key, members, tag, staleSince)] : [];
  });
}

function endpoint(
  name: string,
  key: string,
  rows: readonly WorkergroupRow[],
  tag: string,
  staleSince: number | undefined,
): WorkergroupNode {
  return {
    view: {
      id: `endpoint ${tag} ${key}`,
      label: name,
      description: String(rows.length),
      icon: "",
      color: undefined,
      context: "group",
      accessible: t("{0}, endpoint, workergroups: {1}", name, rows.length),
      tooltip: { title: "", facts: [] },
    },
    of: undefined,
    children: rows.map((row) => ({
      view: workergroupRow(row, { tag, staleSince }),
      of: row,
      children: workergroupDetails(row, tag).map((view) => ({ view, of: undefined, children: [] })),
    })),
  };
}
