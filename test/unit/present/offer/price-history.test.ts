// What is usual, in the words of a list.
import assert from "node:assert/strict";
import { test } from "node:test";
import { describePriceHistory, formatUsual } from "../../../../src/present/offer/price-history.ts";

test("a price is below, above or about what one usually sees, and nothing is said of what isn't known", () => {
  assert.equal(formatUsual(0.352, 0.4), "12% below usual");
  assert.equal(formatUsual(0.5, 0.4), "25% above usual");
  assert.equal(formatUsual(0.405, 0.4), "about the usual price");
  assert.equal(formatUsual(undefined, 0.4), undefined);
  assert.equal(formatUsual(0.4, undefined), undefined);
});

test("a history is bars, the usual price, the range and since when", () => {
  const points = [0.3, 0.4, 0.35].map((median, at) => ({ at, low: 0.2, median }));
  const text = describePriceHistory({
    ...{ samples: 3, median: 0.31, low: 0.24, high: 0.41, points },
    since: new Date(2026, 10, 3, 12).getTime(),
  });
  assert.equal(text, "▁█▄ usually $0.31/GPU·h ($0.24–$0.41) since Nov 3");
});
