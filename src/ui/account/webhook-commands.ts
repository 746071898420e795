// Webhook commands: read them, and copy their target address.
import * as vscode from "vscode";
import type { Webhook } from "../../domain/account/webhook.ts";
import { AppError } from "../../domain/base/error.ts";
import type { Row } from "../../domain/base/wire.ts";
import { t } from "../../lib/text.ts";
import { webhookAddress, webhookName } from "../../present/account/webhooks.ts";
import { recordText } from "../../present/base/record.ts";
import { clock } from "../../present/base/state.ts";
import { lastOf } from "../../services/core/loaded.ts";
import { flashStatus } from "../kit/messages.ts";
import { target } from "../kit/targets.ts";
import type { AccountServices } from "./account-services.ts";

async function chosen(
  { webhooks, session }: AccountServices,
  title: string,
  given: unknown,
): Promise<Row<Webhook> | undefined> {
  session.signedIn();
  return target<Row<Webhook>>(
    {
      title,
      placeholder: t("Which webhook?"),
      collection: webhooks.collection,
      rows: () => webhooks.rows,
      choice: (row) => ({ label: webhookName(row.value), description: webhookAddress(row.value), value: row }),
      none: t("The account has no webhooks."),
    },
    given,
  );
}

export async function showWebhook(services: AccountServices, [given]: readonly unknown[]): Promise<void> {
  const row = await chosen(services, t("Show Webhook"), given);
  if (!row) return;
  const read = lastOf(services.webhooks.collection.store.current)?.at;
  const { webhook_url } = row.raw;
  const shown = typeof webhook_url === "string" ? { webhook_url: webhookAddress(row.value) } : {};
  await services.documents.show(
    `${t("Webhook {0}", row.value.id)}.jsonc`,
    recordText(
      [
        `${t("Webhook {0}", row.value.id)}: ${webhookName(row.value)}`,
        ...(read === undefined ? [] : [t("As of {0}", clock(read))]),
        t("Secrets are masked, those in the address, too. Copy Webhook URL copies it whole."),
      ],
      { ...row.raw, ...shown },
    ),
  );
}

export async function copyWebhookUrl(services: AccountServices, [given]: readonly unknown[]): Promise<void> {
  const row = await chosen(services, t("Copy Webhook URL"), given);
  if (!row) return;
  const url = row.value.webhook_url;
  if (url === undefined) throw new AppError("not-found", t("The service shows no address for this webhook."));
  await vscode.env.clipboard.writeText(url);
  flashStatus(t("Copied the address of {0}", webhookName(row.value)), 4000);
}
