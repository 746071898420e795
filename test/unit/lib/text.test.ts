// Texts of strangers made fit to be shown, and numbers.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { formatNumber, setTranslator, takeEnd, toLabel, toPlainText } from "../../../src/lib/text.ts";

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

test("numbers have a point for decimals in every language, and nothing else has one", () => {
  const table = [
    ["en", "1,622", "205.3"],
    ["de", "1\u202f622", "205.3"],
    ["zh-cn", "1,622", "205.3"],
  ] as const;
  try {
    for (const [language, grouped, decimal] of table) {
      setTranslator((message) => message, language);
      assert.deepEqual([formatNumber(1622), formatNumber(205.3)], [grouped, decimal], language);
    }
  } finally {
    setTranslator((message) => message);
  }
});
