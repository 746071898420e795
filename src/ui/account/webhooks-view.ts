// The list of webhooks, each with the events it is configured for.
import type { Webhook } from "../../domain/account/webhook.ts";
import type { Row } from "../../domain/base/wire.ts";
import { contexts, views } from "../../ids.ts";
import { webhookDetails, webhookRow } from "../../present/account/webhooks.ts";
import type { WebhooksService } from "../../services/account/webhooks.ts";
import type { Scheduler } from "../../services/core/scheduler.ts";
import type { SessionService } from "../../services/core/session.ts";
import { quietList } from "../kit/list-rhythm.ts";
import { ListView } from "../kit/list-view.ts";
import type { Node } from "../kit/rows.ts";

type WebhookNode = Node<Row<Webhook>>;

interface Services {
  readonly session: SessionService;
  readonly scheduler: Scheduler;
  readonly webhooks: WebhooksService;
}

export function createWebhooksView({ session, scheduler, webhooks }: Services) {
  return new ListView({
    ...quietList,
    id: views.webhooks,
    why: contexts.webhooks,
    session,
    scheduler,
    collection: webhooks.collection,
    draw: ({ rows }, tag, staleSince) =>
      rows.map(
        (row): WebhookNode => ({
          view: webhookRow({ value: row.value, tag, staleSince, now: scheduler.clock.now() }),
          of: row,
          children: webhookDetails(row.value, tag).map((view) => ({ view, of: undefined, children: [] })),
        }),
      ),
    count: ({ rows }) => rows.length,
    unreadable: ({ unreadable }) => unreadable,
  });
}
