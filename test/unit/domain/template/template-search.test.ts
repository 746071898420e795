// A template search as it is typed: every documented field and operator, what can't be read, and the way back.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { Filters, OPERATORS } from "../../../../src/domain/offer/filter.ts";
import {
  describeSearch,
  listOperators,
  readCondition,
  SEARCH_FIELDS,
  toTypedValue,
} from "../../../../src/domain/template/template-search.ts";

const cases = SEARCH_FIELDS.flatMap((field) => listOperators(field).map((operator) => ({ field, operator })));

describe("template search", () => {
  test("the sixteen fields of the document, each with the operators that mean something", () => {
    assert.equal(SEARCH_FIELDS.length, 16);
    assert.deepEqual(listOperators("recommended"), ["eq", "neq"]);
    assert.deepEqual(listOperators("count_created"), OPERATORS);
  });

  test("what is read can be typed again and means the same", () => {
    const typed = fc.oneof(
      fc.constantFrom("true", "false", "2026-07-01", "17", "0.5", "-3", "a b", "a, b", "1,2", "x=y"),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.constantFrom(...cases), typed, ({ field, operator }, text) => {
        let condition: ReturnType<typeof readCondition>;
        try {
          condition = readCondition(field, operator, text);
        } catch (error) {
          assert.match(String(error), /Enter /);
          return;
        }
        Filters.parse({ [field]: condition });
        assert.deepEqual(readCondition(field, operator, toTypedValue(field, condition[operator])), condition);
      }),
      { numRuns: 2000 },
    );
  });

  test("values have the type of their field: a tag of digits is text, a count is a number, a day is seconds", () => {
    assert.deepEqual(readCondition("tag", "eq", " 2026 "), { eq: "2026" });
    assert.deepEqual(readCondition("count_created", "gte", "100"), { gte: 100 });
    assert.deepEqual(readCondition("created_at", "lt", "2026-07-01"), { lt: 1_782_864_000 });
    assert.deepEqual(readCondition("name", "in", "a, b ,"), { in: ["a", "b"] });
    for (const [field, text] of [
      ["count_created", "many"],
      ["count_created", "1.5"],
      ["id", "1e3"],
      ["recommended", "yes"],
      ["created_at", "2026-13-01"],
      ["name", " "],
    ] as const)
      assert.throws(() => readCondition(field, "eq", text), /Enter /);
  });

  test("a search is described in one line", () => {
    assert.equal(
      describeSearch({ recommended: { eq: true }, created_at: { gte: 1_782_864_000 }, name: { notin: ["a", "b"] } }),
      "recommended = true · created_at ≥ 2026-07-01 · name ∉ a, b",
    );
  });
});
