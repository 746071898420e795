// Texts of strangers made fit to be shown.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { takeEnd, toLabel, toPlainText } from "../../../src/lib/text.ts";

test("nothing invisible and no icon survives in a label", () => {
  assert.equal(toPlainText("a\u202eb\u0000c\nd"), "abc d");
  assert.ok(!toLabel("$(trash) x").includes("$(trash)"));
  assert.equal([...toPlainText("x".repeat(10_000))].length, 200);
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => assert.doesNotMatch(toPlainText(text), /[\p{Cc}\p{Cf}]/u)),
  );
});

test("the end of a text has whole lines, or whole words of a long one", () => {
  for (const [text, end] of [
    ["all of it", "all of it"],
    ["some lines\nof a long text", "of a long text"],
    ["one line that is far too long", "is far too long"],
    ["x".repeat(40), ""],
    ["one line that is far too long\n", "is far too long"],
  ] as const)
    assert.equal(takeEnd(text, 20).trim(), end);
});
