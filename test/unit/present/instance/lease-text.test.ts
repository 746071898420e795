// What is said of ends promises no more than a window that is open.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Instance } from "../../../../src/domain/instance/instance.ts";
import type { LeaseEnding } from "../../../../src/domain/instance/lease.ts";
import { endedText, leaseNoticeText } from "../../../../src/present/instance/lease-notices.ts";
import { endFact, endWords, hoursText, wishSentence, wishText } from "../../../../src/present/instance/lease-text.ts";

const NOW = new Date(2026, 10, 24, 14, 0).getTime();
const HOUR = 3_600_000;
const until = NOW + 4 * HOUR;
const INSTANCE = Instance.parse({ id: 5, label: "mine", actual_status: "running", dph_total: 0.82 });

describe("an end", () => {
  test("is short in a row, and whole elsewhere", () => {
    const words = (ending: LeaseEnding) => endWords({ until, ending }, NOW);
    assert.deepEqual((["remind", "stop", "destroy"] as const).map(words), [
      "reminder 18:00",
      "stops 18:00",
      "destroyed 18:00",
    ]);
    assert.equal(endFact({ until, ending: "stop" }, NOW), "18:00, then stopped if a window is open and signed in");
    assert.equal(endWords(undefined, NOW), undefined);
  });
  test("of another day has its date, and one that passed says so", () => {
    assert.match(endWords({ until: until + 24 * HOUR, ending: "stop" }, NOW) ?? "", /^stops Wed, Nov 25, 18:00$/);
    assert.equal(endWords({ until: NOW - HOUR, ending: "stop" }, NOW), "end passed 13:00");
    assert.equal(endFact({ until: NOW - HOUR, ending: "stop" }, NOW), "13:00, which has passed");
  });
  test("that is wished for is what will be, from the rental on", () => {
    assert.equal(wishText(undefined, NOW), "no end");
    assert.equal(
      wishText({ hours: 4, ending: "destroy" }, NOW),
      "4 h after the rental, then destroyed if a window is open and signed in",
    );
    assert.equal(wishText({ until, ending: "remind" }, NOW), "18:00, with a reminder if a window is open");
    assert.match(
      wishSentence({ hours: 4, ending: "destroy" }, NOW) ?? "",
      /destroyed with its disk at 18:00 if a window/,
    );
  });
  test("is told by what it does and what it costs", () => {
    const text = (kind: "soon" | "over" | "overdue", ending: LeaseEnding) =>
      leaseNoticeText(kind, { instance: INSTANCE, end: { until, ending }, launchPrice: undefined }, NOW);
    assert.equal(
      text("soon", "destroy"),
      "mine (5) will be destroyed with its disk at 18:00 if a window is open then.",
    );
    assert.equal(text("over", "remind"), "The end that you set for mine (5) has come. It still costs $0.82/h.");
    assert.match(
      text("overdue", "stop"),
      /should have ended at 18:00, but no window could end it\. It still costs \$0\.82/,
    );
  });
  test("that failed says that it is tried again", () => {
    const result = { id: 5, kind: "destroy", outcome: "failed", reason: "The service is down." } as const;
    assert.equal(
      endedText(INSTANCE, { until, ending: "destroy" }, result, NOW),
      "Instance mine (5) may still exist and cost money. The service is down. Cloud GPU tries again for a few minutes, then asks you.",
    );
  });
});

test("spans are shown in the unit that fits", () => {
  assert.deepEqual([1, 1.5, 24, 48, 0.25].map(hoursText), ["1 h", "90 min", "24 h", "2 d", "15 min"]);
});
