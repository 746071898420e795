// A bid as it is typed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseBid } from "../../../../src/domain/offer/bid.ts";
import { assertRejected, OFFER } from "../../support.ts";

test("bid", () => {
  assert.equal(parseBid("$0.35", OFFER), 0.35);
  for (const [typed, shape] of [
    ["0", /out of range/],
    ["0.3", /wouldn't start/],
    ["0,35", /decimal point/],
    ["1e-9", /isn't a number/],
    ["999", /out of range/],
    ["0.3555", /three decimal places/],
    ["NaN", /isn't a number/],
  ] as const) {
    assertRejected(() => parseBid(typed, OFFER), shape);
  }
});
