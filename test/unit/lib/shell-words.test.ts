// Shell words: the cases are what Python's shlex.split gives.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { quoteWord, splitWords } from "../../../src/lib/shell-words.ts";

describe("shell words (interface 4.1)", () => {
  const cases: readonly [text: string, words: string[]][] = [
    ["", []],
    [" \t\r\n ", []],
    ["a  b\tc\nd", ["a", "b", "c", "d"]],
    ["''", [""]],
    [`a'b'"c"d`, ["abcd"]],
    [`'a\\\\b'"'"`, ["a\\\\b'"]],
    [String.raw`"\a \" \\ \$"`, [String.raw`\a " \ \$`]],
    [String.raw`a\ b \' \\`, ["a b", "'", "\\"]],
    ["$'a' $x `y` #z", ["$a", "$x", "`y`", "#z"]],
    ["a\u00a0b\u2028c", ["a\u00a0b\u2028c"]],
    ["a\\\nb", ["a\nb"]],
  ];
  for (const [text, words] of cases) {
    test(JSON.stringify(text), () => assert.deepEqual(splitWords(text), words));
  }

  for (const text of ["'", '"', "\\", 'a "b', "a 'b", "a\\", '"\\', '"\\"']) {
    test(`${JSON.stringify(text)} cannot be read`, () => assert.throws(() => splitWords(text), SyntaxError));
  }

  test("what is quoted is read back, 10,000 lists of words", () => {
    const unit = fc.oneof(fc.constantFrom(..."'\"\\$ \t\n\r`#ab"), fc.string({ unit: "binary", maxLength: 1 }));
    fc.assert(
      fc.property(fc.array(fc.string({ unit })), (words) => {
        assert.deepEqual(splitWords(words.map(quoteWord).join(" ")), words);
      }),
      { numRuns: 10_000 },
    );
  });

  test("a megabyte of anything is read without overflow", () => {
    const million = 1_000_000;
    assert.equal(splitWords("a ".repeat(million / 2)).length, million / 2);
    assert.equal(splitWords(`"${"\\\\".repeat(million)}"`)[0]?.length, million);
    assert.equal(splitWords("''".repeat(million)).length, 1);
  });
});
