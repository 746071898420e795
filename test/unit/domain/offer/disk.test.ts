// A disk as it is typed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseDisk } from "../../../../src/domain/offer/disk.ts";
import { assertRejected, OFFER } from "../../support.ts";

test("disk", () => {
  assert.equal(parseDisk("8", OFFER), 8);
  for (const [typed, shape] of [
    ["7.9", /too small/],
    ["0", /too small/],
    ["-8", /not a number/],
    ["1e9", /not a number/],
    ["", /not a number/],
    ["101", /more than/],
    ["8,5", /decimal point/],
  ] as const) {
    assertRejected(() => parseDisk(typed, OFFER), shape);
  }
});
