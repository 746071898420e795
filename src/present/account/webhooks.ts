// A webhook as a row: its name, events, age, and its address with secrets masked.
import type { Webhook } from "../../domain/account/webhook.ts";
import { commands } from "../../ids.ts";
import { maskAddress } from "../../lib/redact.ts";
import { formatTime, t, toLabel, toPlainText } from "../../lib/text.ts";
import { detailRow, known, type RowView } from "../base/row.ts";
import { ageText, dateText } from "../base/when.ts";

/** Its name, or else its address. */
export function webhookName({ id, name, webhook_url }: Webhook): string {
  const own = toLabel(name ?? "", 60);
  if (own !== "") return own;
  if (webhook_url !== undefined && URL.canParse(webhook_url))
    return toLabel(new URL(webhook_url).host, 60) || String(id);
  return t("Webhook {0}", id);
}

export function webhookAddress({ webhook_url }: Webhook): string {
  return webhook_url === undefined ? t("no address") : toPlainText(maskAddress(webhook_url), 300);
}

/** `client:low_disk_space` is "Low disk space". */
export function eventName(type: string): string {
  const words = toLabel(type.slice(type.lastIndexOf(":") + 1).replaceAll("_", " "), 60);
  return words === "" ? t("unnamed event") : words.charAt(0).toUpperCase() + words.slice(1);
}

export interface WebhookFacts {
  readonly value: Webhook;
  readonly tag: string;
  readonly staleSince: number | undefined;
  /** Epoch milliseconds. */
  readonly now: number;
}

export function webhookRow({ value, tag, staleSince, now }: WebhookFacts): RowView {
  const name = webhookName(value);
  const events = value.event_types.map(eventName).join(", ") || t("no events");
  const age = ageText(value.created_at, now);
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
  return known([
    [t("Webhook"), value.id],
    [t("Address"), webhookAddress(value)],
    [t("Events"), toPlainText(value.event_types.join(", "), 300)],
    [t("Created"), dateText(value.created_at)],
    [t("Updated"), dateText(value.updated_at)],
  ]);
}

/** The rows below it. Duplicate events show once. */
export function webhookDetails(value: Webhook, tag: string): RowView[] {
  const id = `webhook ${tag} ${value.id}`;
  return [
    ...[...new Set(value.event_types)].map((type) =>
      detailRow(`${id} event ${type}`, eventName(type), toLabel(type, 60)),
    ),
    detailRow(`${id} address`, t("Address"), toLabel(webhookAddress(value), 300)),
    ...known([
      [t("Created"), dateText(value.created_at)],
      [t("Updated"), dateText(value.updated_at)],
    ]).map(([name, text]) => detailRow(`${id} ${name}`, name, text)),
  ];
}
