// Filters: each operator, and all of them against a second, naive reading of interface 4.2; never bent by JSON.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import {
  type Condition,
  Filters,
  matchesFilters,
  meetsCondition,
  OPERATORS,
} from "../../../../src/domain/offer/filter.ts";

const RUNS = { numRuns: 10_000 };
/** Few values, so that they often meet. */
const scalar = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc.constantFrom(0.5, 1e300, true, false, "", "a", "b", "ab", "1", "true"),
);
const condition: fc.Arbitrary<Condition> = fc.record(
  {
    eq: scalar,
    neq: scalar,
    lt: scalar,
    lte: scalar,
    gt: scalar,
    gte: scalar,
    in: fc.array(scalar, { maxLength: 4 }),
    notin: fc.array(scalar, { maxLength: 4 }),
  },
  { requiredKeys: [], noNullPrototype: true },
);
const field = fc.constantFrom("a", "b", "gpu_name", "constructor", "toString");
const filters = fc
  .array(fc.tuple(field, condition), { maxLength: 4 })
  .map((list) => Object.fromEntries(list) as Filters);
const actual = fc.oneof(scalar, fc.constantFrom(undefined, null, Number.NaN), fc.array(scalar, { maxLength: 2 }));

/** Only two numbers or two texts have an order. */
function order(a: unknown, b: unknown): "below" | "same" | "above" | "none" {
  const comparable =
    (typeof a === "number" && typeof b === "number") || (typeof a === "string" && typeof b === "string");
  if (!comparable) return "none";
  const [x, y] = [a as number, b as number];
  if (x < y) return "below";
  if (x > y) return "above";
  return x === y ? "same" : "none";
}

/** The shape as a person would explain it, one operator at a time. */
function naive(value: unknown, wanted: Condition): boolean {
  const { eq, neq, lt, lte, gt, gte, in: among, notin } = wanted;
  if (eq !== undefined && value !== eq) return false;
  if (neq !== undefined && value === neq) return false;
  if (lt !== undefined && order(value, lt) !== "below") return false;
  if (lte !== undefined && !["below", "same"].includes(order(value, lte))) return false;
  if (gt !== undefined && order(value, gt) !== "above") return false;
  if (gte !== undefined && !["above", "same"].includes(order(value, gte))) return false;
  if (among !== undefined && !among.some((one) => one === value)) return false;
  return notin === undefined || !notin.some((one) => one === value);
}

describe("filters (interface 4.2, 4.5)", () => {
  test("one condition holds where the naive reading says so", () => {
    fc.assert(
      fc.property(actual, condition, (value, wanted) =>
        assert.equal(meetsCondition(value, wanted), naive(value, wanted)),
      ),
      RUNS,
    );
  });

  test("a record matches where every field does", () => {
    fc.assert(
      fc.property(fc.dictionary(field, actual), filters, (record, wanted) => {
        const read = (from: object, name: string) => (Object.hasOwn(from, name) ? Reflect.get(from, name) : undefined);
        const expected = Object.keys(wanted).every((name) => naive(read(record, name), wanted[name] ?? {}));
        assert.equal(matchesFilters(record, wanted, read), expected);
      }),
      RUNS,
    );
  });

  test("each operator and its opposite never agree on a value of one kind", () => {
    const opposites = [
      ["eq", "neq"],
      ["lt", "gte"],
      ["lte", "gt"],
    ] as const;
    fc.assert(
      fc.property(fc.constantFrom(...opposites), fc.integer(), fc.integer(), ([one, other], value, wanted) => {
        assert.notEqual(meetsCondition(value, { [one]: wanted }), meetsCondition(value, { [other]: wanted }));
      }),
      RUNS,
    );
  });

  test("through JSON and the schema they come back the same; no other operator passes", () => {
    fc.assert(
      fc.property(filters, fc.string(), (wanted, operator) => {
        assert.deepEqual(Filters.parse(JSON.parse(JSON.stringify(wanted))), { ...wanted });
        const known = (OPERATORS as readonly string[]).includes(operator);
        if (!known) assert.equal(Filters.safeParse({ a: { [operator]: 1 } }).success, false, operator);
      }),
      RUNS,
    );
  });
});

describe("filters (interface 4.2, 4.5)", () => {
  const cases: readonly [operator: (typeof OPERATORS)[number], wanted: never, yes: unknown[], no: unknown[]][] = [
    ["eq", 3 as never, [3], [2, "3", undefined]],
    ["neq", 3 as never, [2, undefined], [3]],
    ["lt", 3 as never, [2], [3, 4, undefined, "2"]],
    ["lte", 3 as never, [2, 3], [4]],
    ["gt", 3 as never, [4], [3, undefined]],
    ["gte", 3 as never, [3, 4], [2]],
    ["in", ["a", "b"] as never, ["a"], ["c", undefined]],
    ["notin", ["a", "b"] as never, ["c", undefined], ["a"]],
  ];
  for (const [operator, wanted, yes, no] of cases) {
    test(operator, () => {
      const holds = (value: unknown) =>
        matchesFilters({ value }, { value: { [operator]: wanted } }, (record) => record.value);
      for (const value of yes) assert.equal(holds(value), true, `${value}`);
      for (const value of no) assert.equal(holds(value), false, `${value}`);
    });
  }

  test("two operators are a range; all fields must hold", () => {
    const read = (record: Record<string, unknown>, field: string) => record[field];
    assert.equal(matchesFilters({ a: 2, b: "x" }, { a: { gte: 1, lt: 3 }, b: { eq: "x" } }, read), true);
    assert.equal(matchesFilters({ a: 3, b: "x" }, { a: { gte: 1, lt: 3 }, b: { eq: "x" } }, read), false);
    assert.equal(matchesFilters({ a: 2, b: "y" }, { a: { gte: 1, lt: 3 }, b: { eq: "x" } }, read), false);
  });

  test("for numbers, lt, eq and gt exclude each other and cover everything", () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer(), (value, wanted) => {
        const held = (["lt", "eq", "gt"] as const).filter((operator) =>
          matchesFilters({ value }, { value: { [operator]: wanted } }, (record) => record.value),
        );
        assert.equal(held.length, 1);
      }),
    );
  });
});
