// A webhook as a row: its name, events, age, and its address with secrets masked.
import type { Webhook } from "../../domain/account/webhook.ts";
import { commands } from "../../ids.ts";
import { maskAddress } from "../../lib/redact.ts";
import { formatTime, t, toLabel, toPlainText } from "../../lib/text.ts";
import { buildDetailRow, listKnownFacts, type RowView } from "../base/row.ts";
import { formatAge, formatDate } from "../base/when.ts";

/** Its name, or else its address. */
export function formatWebhookName({ id, name, webhook_url }: Webhook): string {
  const own = toLabel(name ?? "", 60);
  if (own !== "") return own;
  if (webhook_url !== undefined && URL.canParse(webhook_url))
    return toLabel(new URL(webhook_url).host, 60) || String(id);
  return t("Webhook {0}", id);
}

export function formatWebhookAddress({ webhook_url }: Webhook): string {
  return webhook_url === undefined ? t("no address") : toPlainText(maskAddress(webhook_url), 300);
}

/** `client:low_disk_space` is "Low disk space". */
export function formatEventName(type: string): string {
  const words = toLabel(type.slice(type.lastIndexOf(":") + 1).replaceAll("_", " "), 60);
  return words === "" ? t("unnamed event") : words.charAt(0).toUpperCase() + words.slice(1);
}

interface WebhookFacts {
  readonly value: Webhook;
  readonly tag: string;
  readonly staleSince: number | undefined;
  /** Epoch milliseconds. */
  readonly now: number;
}

export function buildWebhookRow({ value, tag, staleSince, now }: WebhookFacts): RowView {
  const name = formatWebhookName(value);
  const events = value.event_types.map(formatEventName).join(", ") || t("no events");
  const age = formatAge(value.created_at, now);
  const stale = staleSince === undefined ? undefined : t("as of {0}", formatTime(staleSince));
  return {
    id: `webhook ${tag} ${value.id}`,
    label: name,
    description: [stale, toPlainText(events, 120), age].filter(Boolean).join(" · "),
    icon: "bell",
    opens: commands.webhookShow,
    color: staleSince === undefined ? undefined : "disabledForeground",
    context: value.webhook_url === undefined ? "webhook" : "webhook canCopyUrl",
    accessible: [t("{0}, webhook", name), stale, toPlainText(events, 300), age].filter(Boolean).join(", "),
    tooltip: () => ({ title: name, facts: webhookFacts(value) }),
    folded: true,
  };
}

function webhookFacts(value: Webhook): [string, string][] {
  return listKnownFacts([
    [t("Webhook"), value.id],
    [t("Address"), formatWebhookAddress(value)],
    [t("Events"), toPlainText(value.event_types.join(", "), 300)],
    [t("Created"), formatDate(value.created_at)],
    [t("Updated"), formatDate(value.updated_at)],
  ]);
}

/** The rows below it. Duplicate events show once. */
export function buildWebhookDetails(value: Webhook, tag: string): RowView[] {
  const id = `webhook ${tag} ${value.id}`;
  return [
    ...[...new Set(value.event_types)].map((type) =>
      buildDetailRow(`${id} event ${type}`, formatEventName(type), toLabel(type, 60)),
    ),
    buildDetailRow(`${id} address`, t("Address"), toLabel(formatWebhookAddress(value), 300)),
    ...listKnownFacts([
      [t("Created"), formatDate(value.created_at)],
      [t("Updated"), formatDate(value.updated_at)],
    ]).map(([name, text]) => buildDetailRow(`${id} ${name}`, name, text)),
  ];
}
