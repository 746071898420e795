// What is usual, in the words of a list.
import assert from "node:assert/strict";
import { test } from "node:test";
import { priceHistoryText, usualText } from "../../../../src/present/offer/price-history.ts";

test("a price is below, above or about what one usually sees, and nothing is said of what isn't known", () => {
  assert.equal(usualText(0.352, 0.4), "12% below usual");
  assert.equal(usualText(0.5, 0.4), "25% above usual");
  assert.equal(usualText(0.405, 0.4), "about the usual price");
  assert.equal(usualText(undefined, 0.4), undefined);
  assert.equal(usualText(0.4, undefined), undefined);
});

test("a history is bars, the usual price, the range and since when", () => {
  const points = [0.3, 0.4, 0.35].map((median, at) => ({ at, low: 0.2, median }));
  const text = priceHistoryText({
    ...{ samples: 3, median: 0.31, low: 0.24, high: 0.41, points },
    since: new Date(2026, 10, 3, 12).getTime(),
  });
  assert.equal(text, "▁█▄ usually $0.31/GPU·h ($0.24–$0.41) since Nov 3");
});
