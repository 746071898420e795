import assert from "node:assert/strict";
import { test } from "node:test";
import { formatPercent, toPercent } from "../../../../src/domain/base/percent.ts";

test("a share never reads as more than it is", () => {
  const shares = [0, 0.29, 0.953, 0.9996, 0.99999, 1];
  assert.deepEqual(shares.map(formatPercent), ["0.0%", "29.0%", "95.3%", "99.9%", "99.9%", "100.0%"]);
});

test("a percentage that was typed is said as it was", () => {
  for (const typed of [1, 28.7, 57, 58.1, 99.95, 99.999, 100]) assert.equal(toPercent(typed / 100), typed);
});
