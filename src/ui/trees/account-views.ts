// The lists beside machines and templates: webhooks, workergroups under their endpoints, and a host's own side.

import type { Webhook } from "../../domain/account/webhook.ts";
import type { Row } from "../../domain/base/wire.ts";
import type { Volume, VolumeOffer } from "../../domain/host/volume.ts";
import { contexts, settings, views } from "../../ids.ts";
import { t } from "../../lib/text.ts";
import { webhookDetails, webhookRow } from "../../present/account/webhooks.ts";
import type { RowView } from "../../present/base/row.ts";
import { answerRow, hostActionRows, listingRow, volumeRow } from "../../present/host/host.ts";
import { endpointName, workergroupDetails, workergroupRow } from "../../present/serverless/workergroups.ts";
import type { WebhooksService } from "../../services/account/webhooks.ts";
import type { SessionService } from "../../services/core/session.ts";
import type { HostLists, HostService } from "../../services/host/host.ts";
import type { WorkergroupRow, WorkergroupsService } from "../../services/serverless/workergroups.ts";
import { milliseconds } from "../ports.ts";
import { ListView } from "./list-view.ts";
import type { Node } from "./rows.ts";

type WebhookNode = Node<Row<Webhook>>;
type WorkergroupNode = Node<WorkergroupRow>;
type HostNode = Node<Row<Volume> | Row<VolumeOffer>>;

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
    view: groupRow(
      `endpoint ${tag} ${key}`,
      name,
      rows.length,
      t("{0}, endpoint, workergroups: {1}", name, rows.length),
    ),
    of: undefined,
    children: rows.map((row) => ({
      view: workergroupRow(row, { tag, staleSince }),
      of: row,
      children: workergroupDetails(row, tag).map((view) => ({ view, of: undefined, children: [] })),
    })),
  };
}

/** A heading over rows, with how many there are. */
function groupRow(id: string, name: string, count: number, accessible: string): RowView {
  return {
    id,
    label: name,
    description: String(count),
    icon: "",
    color: undefined,
    context: "group",
    accessible,
  };
}

export function createHostView(session: SessionService, host: HostService) {
  return new ListView({
    ...listView,
    id: views.host,
    why: contexts.host,
    session,
    collection: host.collection,
    draw: hostLists,
    count: ({ volumes, listings }) => volumes.length + listings.length,
    unreadable: ({ unreadable }) => unreadable,
    remark: ({ without }) => {
      if (without === undefined) return undefined;
      return without === "unsupported"
        ? t("This service does not list volumes; one can be unlisted by its id.")
        : t("The API key may not list volumes; one can be unlisted by its id.");
    },
    own: {
      rows: (tag) => {
        const answer = host.lastAnswer;
        return [...hostActionRows(tag), ...(answer ? [answerRow(answer, tag)] : [])].map(
          (view): HostNode => ({ view, of: undefined, children: [] }),
        );
      },
      onDidChange: host.onDidAnswer,
    },
  });
}

function hostLists({ volumes, listings }: HostLists, tag: string, staleSince: number | undefined): HostNode[] {
  const lists: HostNode[] = [
    {
      view: groupRow(
        `host ${tag} listings`,
        t("For rent"),
        listings.length,
        t("Volumes for rent: {0}", listings.length),
      ),
      of: undefined,
      children: listings.map((row) => ({ view: listingRow(row.value, tag, staleSince), of: row, children: [] })),
    },
    {
      view: groupRow(`host ${tag} volumes`, t("Your volumes"), volumes.length, t("Your volumes: {0}", volumes.length)),
      of: undefined,
      children: volumes.map((row) => ({ view: volumeRow(row.value, tag, staleSince), of: row, children: [] })),
    },
  ];
  return lists.filter(({ children }) => children.length > 0);
}
