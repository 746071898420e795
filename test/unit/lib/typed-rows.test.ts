// What is typed finds rows by their words, in any order, and by numbers with their units.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { isShownAsTyped, matchesTyped } from "../../../src/lib/typed-rows.ts";

const ROW = {
  label: "$(star) 2× RTX 4090, 24 GB",
  description: "$0.296/h  ·  99.2%  ·  Tokyo, Japan",
  detail: "verified  ·  16 CPUs  ·  128 GB RAM  ·  CUDA 12.4",
};

const CASES: readonly [typed: string, isFound: boolean][] = [
  ["", true],
  ["  ", true],
  ["4090 japan", true],
  ["japan 4090", true],
  ["JAPAN  rtx", true],
  ["24gb", true],
  ["24gb cuda", true],
  ["128gb", true],
  ["16cpus", true],
  ["28gb", false],
  ["28gb ram", false],
  ["12.4", true],
  ["2.4 cuda", false],
  ["090", true],
  ["star", false],
  ["4090 norway", false],
  ["japan verified 24 gb $0.296", true],
];

describe("what is typed", () => {
  for (const [typed, isFound] of CASES)
    test(`“${typed}” ${isFound ? "finds" : "doesn't find"} the row`, () =>
      assert.equal(matchesTyped(ROW, typed), isFound));

  test("finds whatever the editor shows by itself", () => {
    const word = fc.constantFrom("a", "A1", "24", "4 GB", " ", ".", "b c");
    const text = fc.array(word, { maxLength: 6 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(text, text, text, (label, description, typed) => {
        const row = { label, description };
        assert.ok(!isShownAsTyped(row, typed) || matchesTyped(row, typed));
      }),
    );
  });

  test("finds a row by its words in whichever order", () => {
    const word = fc.stringMatching(/^[a-z]{1,6}$/);
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 8 }), fc.integer({ min: 0, max: 7 }), (words, at) => {
        const row = { label: words.slice(0, at).join(" "), detail: words.slice(at).join(" · ") };
        assert.ok(matchesTyped(row, words.toReversed().join("  ")));
      }),
    );
  });
});
