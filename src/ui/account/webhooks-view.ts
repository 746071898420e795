// The list of webhooks, each with the events it is configured for.
import type { Webhook } from "../../domain/account/webhook.ts";
import type { Row } from "../../domain/base/wire.ts";
import { contexts, views } from "../../ids.ts";
import { buildWebhookDetails, buildWebhookRow } from "../../present/account/webhooks.ts";
import type { WebhooksService } from "../../services/account/webhooks.ts";
import type { RowMemory } from "../../services/core/row-memory.ts";
import type { Scheduler } from "../../services/core/scheduler.ts";
import type { SessionService } from "../../services/core/session.ts";
import { quietList } from "../list/list-rhythm.ts";
import { ListView } from "../list/list-view.ts";
import type { Node } from "../list/rows.ts";

type WebhookNode = Node<Row<Webhook>>;

interface Services {
  readonly session: SessionService;
  readonly scheduler: Scheduler;
  readonly rowMemory: RowMemory;
  readonly webhooks: WebhooksService;
}

export function createWebhooksView({ session, scheduler, rowMemory, webhooks }: Services) {
  return new ListView({
    ...quietList,
    id: views.webhooks,
    why: contexts.webhooks,
    session,
    scheduler,
    rowMemory,
    collection: webhooks.collection,
    draw: ({ rows }, tag, staleSince) =>
      rows.map(
        (row): WebhookNode => ({
          view: buildWebhookRow({ value: row.value, tag, staleSince, now: scheduler.clock.now() }),
          of: row,
          children: buildWebhookDetails(row.value, tag).map((view) => ({ view, of: undefined, children: [] })),
        }),
      ),
    count: ({ rows }) => rows.length,
    unreadable: ({ unreadable }) => unreadable,
  });
}
