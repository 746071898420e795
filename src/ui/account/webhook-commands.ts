// Webhook commands: read them, and copy their target address.
import type { Webhook } from "../../domain/account/webhook.ts";
import { AppError } from "../../domain/base/error.ts";
import type { Row } from "../../domain/base/wire.ts";
import { views } from "../../ids.ts";
import { t } from "../../lib/text.ts";
import { buildWebhookPage } from "../../present/account/webhook-page.ts";
import { formatWebhookAddress, formatWebhookName } from "../../present/account/webhooks.ts";
import { LastSeen } from "../../services/core/last-seen.ts";
import { getLast } from "../../services/core/loaded.ts";
import { copyText } from "../kit/messages.ts";
import { runOnRow } from "../kit/run-command.ts";
import { filterOwnRows, findTarget } from "../list/targets.ts";
import type { AccountServices } from "./account-services.ts";

async function chosen(
  { webhooks, session, selections }: AccountServices,
  title: string,
  given: unknown,
): Promise<Row<Webhook> | undefined> {
  const account = session.requireSignedIn();
  return findTarget<Row<Webhook>>(
    {
      title,
      placeholder: t("Which webhook?"),
      collection: webhooks.collection,
      rows: () => webhooks.rows,
      selected: filterOwnRows(account, selections.listFor(views.webhooks)),
      choice: (row) => ({
        label: formatWebhookName(row.value),
        description: formatWebhookAddress(row.value),
        value: row,
      }),
      none: t("This account has no webhooks."),
    },
    given,
  );
}

export async function showWebhook(services: AccountServices, [given]: readonly unknown[]): Promise<void> {
  const { session, webhooks, scheduler, records } = services;
  const account = session.requireSignedIn();
  const row = await chosen(services, t("Show Webhook"), given);
  if (!row) return;
  session.assertStill(account);
  const { id } = row.value;
  const { store } = webhooks.collection;
  records.show(`webhook ${id}`, () => {
    const seen = new LastSeen(row);
    return {
      draw: () => {
        const { row: last, ...when } = seen.look(getLast(store.current), ({ value }) => value.id === id);
        return buildWebhookPage({ ...last, ...when, now: scheduler.clock.now() });
      },
      run: (command) => runOnRow(command, { of: { value: { id } }, account }),
      onDidChange: store.onDidChange,
    };
  });
}

export async function copyWebhookUrl(services: AccountServices, [given]: readonly unknown[]): Promise<void> {
  const row = await chosen(services, t("Copy Webhook URL"), given);
  if (!row) return;
  const url = row.value.webhook_url;
  if (url === undefined) throw new AppError("not-found", t("The service didn't provide an address for this webhook."));
  await copyText(url, t("Copied the address of {0}", formatWebhookName(row.value)));
}
