// Webhooks in words: hostile records, and no secret of an address.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Webhook } from "../../../../src/domain/account/webhook.ts";
import { buildWebhookDetails, buildWebhookRow } from "../../../../src/present/account/webhooks.ts";

const NOW = 1_800_000_000_000;

describe("a webhook's row", () => {
  const row = (fields: object) =>
    buildWebhookRow({ value: Webhook.parse({ id: 7, ...fields }), tag: "t", staleSince: undefined, now: NOW });

  test("is named by its name, else by where it leads, else by its id", () => {
    assert.equal(row({ name: "Chat", webhook_url: "https://a.b/c" }).label, "Chat");
    assert.equal(row({ name: null, webhook_url: "https://a.b/c" }).label, "a.b");
    assert.equal(row({ name: " ", webhook_url: "no address" }).label, "Webhook 7");
  });

  test("shows nothing of a hostile record but text, and its id holds nothing that changes", () => {
    const hostile = row({
      name: `\u202Egpj$(trash)\n${"x".repeat(10_000)}`,
      webhook_url: "javascript:alert(1)",
      event_types: ["client:a\u202Eb", "__proto__", 7],
      created_at: 1e308,
      updated_at: "yesterday",
    });
    assert.ok(hostile.label.length <= 61 && !/\u202E|\n|\$\(/.test(hostile.label));
    assert.doesNotMatch(JSON.stringify(hostile), /Invalid Date|NaN|undefined|\\u202/i);
    assert.equal(hostile.id, row({ name: "other", created_at: 5 }).id);
  });

  test("unfolds to events once each, address and dates; an address holds no secret", () => {
    const value = Webhook.parse({
      id: 7,
      webhook_url: "https://me:pw@hooks.slack.com/services/T024BE7LD/XXXXXXXXXXXXXXXXXXXXXXXX?token=abc#frag",
      event_types: ["host:machine_offline", "host:machine_offline", "outbid"],
      created_at: NOW / 1000 - 3 * 86_400,
    });
    const details = buildWebhookDetails(value, "t").map(({ label, description }) => `${label}: ${description}`);
    assert.deepEqual(details.slice(0, 3), [
      "Machine offline: host:machine_offline",
      "Outbid: outbid",
      "Address: https://hooks.slack.com/services/T024BE7LD/••••?••••#••••",
    ]);
    assert.equal(new Set(buildWebhookDetails(value, "t").map(({ id }) => id)).size, details.length);
  });
});
