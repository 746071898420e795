// Filters by their properties: evaluated against a second, naive reading of interface 4.2, and never bent by JSON.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { type Condition, Filters, matches, meets, OPERATORS } from "../../src/domain/offer/filter.ts";
import {
  anySearch,
  countMatches,
  matching,
  relaxations,
  removedBy,
  searchOf,
  withCondition,
} from "../../src/domain/offer/offer-search.ts";
import { offerOf } from "./support.ts";

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
  return x < y ? "below" : x > y ? "above" : x === y ? "same" : "none";
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
      fc.property(actual, condition, (value, wanted) => assert.equal(meets(value, wanted), naive(value, wanted))),
      RUNS,
    );
  });

  test("a record matches where every field does", () => {
    fc.assert(
      fc.property(fc.dictionary(field, actual), filters, (record, wanted) => {
        const read = (from: object, name: string) => (Object.hasOwn(from, name) ? Reflect.get(from, name) : undefined);
        const expected = Object.keys(wanted).every((name) => naive(read(record, name), wanted[name] ?? {}));
        assert.equal(matches(record, wanted, read), expected);
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
        assert.notEqual(meets(value, { [one]: wanted }), meets(value, { [other]: wanted }));
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

describe("filters over offers", () => {
  const offer = fc.record(
    {
      gpu_name: fc.constantFrom("A", "B"),
      num_gpus: fc.integer({ min: 1, max: 4 }),
      dph_total: fc.integer({ max: 5 }),
    },
    { requiredKeys: [], noNullPrototype: true },
  );
  const offers = fc
    .array(offer, { maxLength: 8 })
    .map((list) => list.map((some, at) => offerOf({ ...some, id: at + 1 })));
  const wanted = fc.record(
    {
      gpu_name: fc.record({ eq: fc.constantFrom("A", "B", "C") }),
      num_gpus: fc.record({ gte: fc.integer({ min: 0, max: 6 }) }),
      dph_total: fc.record({ lte: fc.integer({ min: -1, max: 6 }) }),
    },
    { requiredKeys: [], noNullPrototype: true },
  ) as fc.Arbitrary<Filters>;

  test("a filter less never gives fewer offers, and what it removes is what it alone keeps out", () => {
    fc.assert(
      fc.property(offers, wanted, (all, search) => {
        for (const name of Object.keys(search)) {
          assert.ok(countMatches(all, withCondition(search, name, undefined)) >= countMatches(all, search));
          const alone = { [name]: search[name] ?? {} };
          const judged = all.some((one) => Reflect.get(one, name) !== undefined);
          if (judged) assert.equal(removedBy(name, search, all), all.length - matching(all, alone).length);
        }
      }),
      RUNS,
    );
  });

  test("each way to loosen an empty search gives just as many offers as it says, and at least one", () => {
    fc.assert(
      fc.property(offers, wanted, (all, search) => {
        fc.pre(matching(all, search).length === 0);
        const ways = relaxations(search, all);
        for (const { field: name, condition: instead, count } of ways) {
          assert.ok(count > 0);
          assert.equal(
            countMatches(all, withCondition(search, name, instead)),
            count,
            `${name} ${JSON.stringify(instead)}`,
          );
        }
        assert.deepEqual(
          ways.map(({ count }) => count),
          ways.map(({ count }) => count).sort((a, b) => b - a),
        );
      }),
      RUNS,
    );
  });
});

test("the search of a template: its filters over ours, its disk but never less than is rented (interface 4.3)", () => {
  const gpu_ram = { gte: 24_000 };
  assert.deepEqual(searchOf({ extra_filters: undefined, recommended_disk_space: undefined }), anySearch);
  const small = searchOf({ extra_filters: { gpu_ram }, recommended_disk_space: 0.5 });
  assert.deepEqual(small, { ...anySearch, filters: { verified: { eq: true }, gpu_ram }, diskGb: 8 });
  const own = searchOf({ extra_filters: { verified: { in: [true, false] } }, recommended_disk_space: 40 });
  assert.deepEqual([own.filters, own.diskGb], [{ verified: { in: [true, false] } }, 40]);
});
