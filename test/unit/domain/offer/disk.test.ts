// A disk as it is typed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseDisk } from "../../../../src/domain/offer/disk.ts";
import { assertRejected, OFFER } from "../../support.ts";

test("disk", () => {
  assert.equal(parseDisk("8", OFFER), 8);
  for (const [typed, shape] of [
    ["7.9", /at least 8 GB is required/],
    ["0", /at least 8 GB is required/],
    ["-8", /isn't a number/],
    ["1e9", /isn't a number/],
    ["", /isn't a number/],
    ["101", /too large/],
    ["8,5", /decimal point/],
  ] as const) {
    assertRejected(() => parseDisk(typed, OFFER), shape);
  }
});
