// Texts of strangers made fit to be shown.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { label, plain } from "../../../src/lib/text.ts";

test("nothing invisible and no icon survives in a label", () => {
  assert.equal(plain("a\u202eb\u0000c\nd"), "abc d");
  assert.ok(!label("$(trash) x").includes("$(trash)"));
  assert.equal([...plain("x".repeat(10_000))].length, 200);
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => assert.doesNotMatch(plain(text), /[\p{Cc}\p{Cf}]/u)));
});
