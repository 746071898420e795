// A label as it is typed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseLabel } from "../../../../src/domain/instance/label.ts";
import { assertRejected } from "../../support.ts";

test("label", () => {
  assert.equal(parseLabel("  a b "), "a b");
  for (const [typed, shape] of [
    ["x".repeat(101), /too long/],
    ["a\nb", /line break/],
    ["vsc-x", /another name/],
  ] as const)
    assertRejected(() => parseLabel(typed), shape);
});
