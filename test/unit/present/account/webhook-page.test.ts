// A webhook's page: its address is masked where it is shown and whole where it is copied.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Webhook } from "../../../../src/domain/account/webhook.ts";
import type { Presence } from "../../../../src/domain/base/presence.ts";
import { buildWebhookPage } from "../../../../src/present/account/webhook-page.ts";

const NOW = 1_800_000_000_000;
const URL_WITH_SECRET = "https://hooks.example.com/services/T024CANARYinTheAddress";

const page = (fields: Record<string, unknown>, presence: Presence = "listed") =>
  buildWebhookPage({ value: Webhook.parse({ id: 7, ...fields }), raw: fields, seenAt: NOW, now: NOW, presence });

test("the address is copied whole and shown without its secret, also in the record", () => {
  const { sections, record } = page({ webhook_url: URL_WITH_SECRET, webhook_secret: "shh-very-secret" });
  const [address] = sections.flatMap(({ facts }) => facts);
  assert.equal(address?.copies, URL_WITH_SECRET);
  assert.doesNotMatch(`${address?.value} ${record()}`, /CANARY|shh/);
});

test("dates say how long ago, and what isn't known is left out", () => {
  const text = (shown: ReturnType<typeof page>) =>
    shown.sections.flatMap(({ facts }) => facts.map(({ name, value }) => `${name}: ${value}`)).join("\n");
  assert.match(text(page({ created_at: NOW / 1000 - 3 * 86_400 })), /^Created: .*\(3 days ago\)$/m);
  assert.doesNotMatch(text(page({ created_at: "yesterday" })), /Created|Invalid/);
});

test("one that is gone says so", () => {
  assert.deepEqual(page({}).remarks, []);
  assert.match(page({}, "ended").remarks.join(), /no longer exists on the service/);
  assert.match(page({}, "missing").remarks.join(), /last list was incomplete and didn't include this webhook/);
});
