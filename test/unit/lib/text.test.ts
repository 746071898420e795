// Texts of strangers made fit to be shown.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { toLabel, toPlainText } from "../../../src/lib/text.ts";

test("nothing invisible and no icon survives in a label", () => {
  assert.equal(toPlainText("a\u202eb\u0000c\nd"), "abc d");
  assert.ok(!toLabel("$(trash) x").includes("$(trash)"));
  assert.equal([...toPlainText("x".repeat(10_000))].length, 200);
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => assert.doesNotMatch(toPlainText(text), /[\p{Cc}\p{Cf}]/u)),
  );
});
