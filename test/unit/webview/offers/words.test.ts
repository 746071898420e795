// What the cells of the table of offers say.
import assert from "node:assert/strict";
import { test } from "node:test";
import { formatValue } from "../../../../src/webview/offers/words.ts";

test("a price has as many digits as others of its size, and is nothing only if it is", () => {
  const prices = [0, 1e-6, 0.00004, 0.00006, 0.0123, 0.3, 1234.5].map((value) => formatValue("downCost", value));
  assert.deepEqual(prices, ["$0", "<$0.0001", "<$0.0001", "$0.0001", "$0.0123", "$0.300", "$1,234.50"]);
  assert.equal(formatValue("downCost", Number.NaN), "–");
});

test("a difference from the usual price has a sign only if there is one", () => {
  const shares = [0, -0.0001, 0.004, -0.12, 0.3].map((value) => formatValue("usual", value));
  assert.deepEqual(shares, ["0%", "0%", "0%", "−12%", "+30%"]);
});
