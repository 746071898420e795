// A webhook as a page: where it sends what, with secrets masked.
import type { Webhook } from "../../domain/account/webhook.ts";
import type { Presence } from "../../domain/base/presence.ts";
import { maskAddresses, redactForReading } from "../../lib/redact.ts";
import { formatTime, t, toLabel } from "../../lib/text.ts";
import { formatRecordJson } from "../base/record.ts";
import { buildPageSection, type RecordPage } from "../base/record-page.ts";
import { formatAge, formatDate } from "../base/when.ts";
import { formatEventName, formatWebhookAddress, formatWebhookName } from "./webhooks.ts";

interface Shown {
  readonly value: Webhook;
  readonly raw: Readonly<Record<string, unknown>>;
  /** Wall clock milliseconds of the last list that had it. */
  readonly seenAt: number | undefined;
  /** Wall clock milliseconds. */
  readonly now: number;
  readonly presence: Presence;
}

export function buildWebhookPage({ value, raw, seenAt, now, presence }: Shown): RecordPage {
  const age = formatAge(value.created_at, now);
  const created = formatDate(value.created_at);
  const shown = typeof raw.webhook_url === "string" ? { webhook_url: formatWebhookAddress(value) } : {};
  return {
    title: formatWebhookName(value),
    status: [t("Webhook {0}", value.id), seenAt === undefined ? undefined : t("as of {0}", formatTime(seenAt))]
      .filter(Boolean)
      .join(" · "),
    remarks: remarksOf(presence),
    commands: [],
    sections: [
      buildPageSection(t("Delivery"), [[t("Address"), formatWebhookAddress(value), value.webhook_url]]),
      buildPageSection(
        t("Events"),
        [...new Set(value.event_types)].map((type): [string, string] => [formatEventName(type), toLabel(type, 60)]),
      ),
      buildPageSection(t("Times"), [
        [t("Created"), created === undefined || age === undefined ? created : t("{0} ({1} ago)", created, age)],
        [t("Updated"), formatDate(value.updated_at)],
        [t("Webhook"), value.id, String(value.id)],
      ]),
    ].filter((section) => section !== undefined),
    record: () => formatRecordJson(redactForReading({ ...raw, ...shown }, maskAddresses)),
  };
}

function remarksOf(presence: Presence): string[] {
  if (presence === "ended") return [t("This webhook no longer exists on the service. Showing the last known data.")];
  if (presence === "missing") return [t("The service's last list was incomplete and didn't include this webhook.")];
  return [];
}
