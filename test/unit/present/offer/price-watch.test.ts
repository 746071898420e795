// Watched prices in words.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { anySearch } from "../../../../src/domain/offer/offer-search.ts";
import type { WatchGoal } from "../../../../src/domain/offer/price-watch.ts";
import {
  buildGoalPrompt,
  buildWatchLine,
  describeGoal,
  describePriceNotice,
  formatWatchTitle,
} from "../../../../src/present/offer/price-watch.ts";
import { offerOf } from "../../support.ts";

const NOW = new Date(2026, 10, 25, 14, 0).getTime();
const MINUTE = 60_000;
const GOAL: WatchGoal = { kind: "price", most: 0.3 };
const search = { ...anySearch, filters: { ...anySearch.filters, gpu_name: { eq: "RTX 4090" } } };
const offer = offerOf({
  ...{ id: 1, machine_id: 2, gpu_name: "RTX 4090", num_gpus: 1, dph_total: 0.29, reliability: 0.991 },
  geolocation: "Germany, DE",
});

describe("a price that was reached", () => {
  test("is told with what was waited for, the reliability and the place", () => {
    const text = describePriceNotice({ search, goal: GOAL }, offer);
    assert.equal(text, "RTX 4090 from $0.29/h (yours: ≤ $0.30/h), reliability 99.1%, Germany.");
  });

  test("is told by GPU, with the number of GPUs, and as interruptible, where it is", () => {
    const goal: WatchGoal = { kind: "gpuPrice", most: 0.3 };
    const large = offerOf({ ...offer, num_gpus: 4, dph_total: 1, reliability: undefined, geolocation: undefined });
    const text = describePriceNotice({ search: { ...search, type: "bid" }, goal }, large);
    assert.equal(
      text,
      "4× RTX 4090 from $0.25/GPU·h (yours: ≤ $0.30/GPU·h), reliability unknown, location unknown, interruptible.",
    );
  });

  test("shows a hostile name as one short line", () => {
    const text = describePriceNotice(
      { search, goal: GOAL },
      offerOf({ ...offer, gpu_name: `a\u202e\n${"b".repeat(9999)}` }),
    );
    assert.ok(text.length < 200 && !/[\u202e\n]/.test(text), text);
  });
});

test("a goal names its unit, and the reliability if that counts", () => {
  assert.equal(describeGoal(GOAL), "≤ $0.30/h");
  assert.equal(describeGoal({ kind: "gpuPrice", most: 1.25 }), "≤ $1.25/GPU·h");
  assert.equal(describeGoal({ kind: "reliability", most: 0.3, least: 0.995 }), "≤ $0.30/h, reliability ≥ 99.5%");
  assert.match(describeGoal({ kind: "reliability", most: 0.3, least: 0.99999 }), /reliability ≥ 99\.999%$/);
});

test("a price is asked for with how it stands, and nothing is said of that if the service couldn't be asked", () => {
  const asked = (seen: { price: number | undefined } | undefined) => buildGoalPrompt(GOAL, seen, 8);
  assert.equal(
    asked({ price: 0.34 }),
    "Maximum price per hour, in dollars. Right now: from $0.34/h. Prices include 8 GB of disk.",
  );
  assert.match(asked({ price: undefined }), / No offers match right now\. /);
  assert.equal(asked(undefined), "Maximum price per hour, in dollars. Prices include 8 GB of disk.");
});

test("a watch is called after its GPU and filters, or any machine", () => {
  assert.equal(formatWatchTitle({ search }), "RTX 4090 · verified only · on-demand");
  assert.equal(formatWatchTitle({ search: { ...search, filters: {}, type: "bid" } }), "any machine · interruptible");
});

describe("a row says", () => {
  const line = (over: object) =>
    buildWatchLine({
      ...{ watch: { search, goal: GOAL }, look: undefined, snoozedUntil: undefined, minutes: 10 },
      now: NOW,
      ...over,
    });
  const look = { at: NOW - 3 * MINUTE, next: NOW + 7 * MINUTE, isMet: false, best: { price: 0.34 } };

  test("the price of now, the last look and the next", () => {
    const { label, description, detail } = line({ look });
    assert.equal(label, "$(bell) RTX 4090 · verified only · on-demand");
    assert.equal(description, "≤ $0.30/h  ·  now from $0.34/h");
    assert.equal(detail, "last check 13:57  ·  next check 14:07  ·  checks every 10 min while VS Code is open");
  });

  test("that it was reached, is snoozed, finds nothing, failed, or is new", () => {
    assert.match(line({ look: { ...look, isMet: true, best: { price: 0.2 } } }).description, /reached: \$0\.20\/h$/);
    const snoozed = line({ look, snoozedUntil: NOW + 30 * MINUTE });
    assert.match(snoozed.label, /^\$\(bell-slash\)/);
    assert.match(snoozed.description, /snoozed until 14:30 {2}· {2}now from \$0\.34\/h$/);
    assert.match(line({ look, snoozedUntil: NOW - 1 }).description, /now from \$0\.34\/h$/);
    assert.match(line({ look: { ...look, best: undefined } }).description, /no offers match right now$/);
    const failed = line({ look: { ...look, best: undefined, problem: "Too many requests.\n[a](command:b)" } });
    assert.match(failed.description, /couldn't check: Too many requests\. \[a\]\(command:b\)$/);
    assert.match(line({}).description, /not checked yet$/);
    assert.match(line({ look: { ...look, next: NOW } }).detail, /next check now/);
  });
});
