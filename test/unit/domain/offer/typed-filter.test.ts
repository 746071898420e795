// A filter on any field of the service's offers, and how many of them it may return, as a person types them (interface 4.2).
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { Condition, OPERATORS, type Operator } from "../../../../src/domain/offer/filter.ts";
import { FILTER_FIELDS } from "../../../../src/domain/offer/filter-rows.ts";
import { MOST_EXPLORED } from "../../../../src/domain/offer/offer-search.ts";
import {
  listComparisons,
  parseSearchLimit,
  readComparison,
  readFieldName,
  toTypedComparison,
} from "../../../../src/domain/offer/typed-filter.ts";

describe("the name of a field", () => {
  for (const [typed, name] of [
    ["dlperf", "dlperf"],
    ["  total_flops ", "total_flops"],
    ["cpu_ghz2", "cpu_ghz2"],
    ["MadeUp", "MadeUp"],
    ["constructor", "constructor"],
    ["a".repeat(64), "a".repeat(64)],
  ] as const)
    test(`is read from ${JSON.stringify(typed)}`, () => assert.equal(readFieldName(typed), name));

  for (const [typed, says] of [
    ["", /type the name/],
    ["   ", /type the name/],
    ["gpu ram", /“gpu ram” can't be a field's name/],
    ["gpu-ram", /can't be a field's name/],
    ["gpu.ram", /can't be a field's name/],
    ["gpu_ram >= 5", /can't be a field's name/],
    ["2fast", /can't be a field's name/],
    ["__proto__", /can't be a field's name/],
    ["größe", /can't be a field's name/],
    ['{"a":1}', /can't be a field's name/],
    ["a".repeat(65), /can't be a field's name/],
    ["limit", /isn't a filter\. It's set under “Number of offers”/],
    ["type", /isn't a filter\. It's set under “Rental type”/],
    ["order", /isn't a filter\. It's set under “Sort by”/],
    ["allocated_storage", /isn't a filter: every price includes the disk/],
    ["rentable", /always set/],
  ] as const)
    test(`isn't ${JSON.stringify(typed)}`, () => {
      assert.throws(() => readFieldName(typed), { kind: "rejected", message: says });
    });
});

describe("the comparisons of a field", () => {
  for (const [field, expected] of [
    ["made_up", OPERATORS],
    ["dlperf", OPERATORS],
    ["driver_version", OPERATORS],
    ["constructor", OPERATORS],
    ["gpu_arch", ["eq", "neq", "in", "notin"]],
    ["static_ip", ["eq", "neq", "in", "notin"]],
  ] as const)
    test(`of ${field}: ${expected.join(" ")}`, () => assert.deepEqual(listComparisons(field), expected));
});

describe("the value of a comparison", () => {
  const read: readonly [field: string, operator: Operator, typed: string, value: unknown][] = [
    ["made_up", "eq", "5", 5],
    ["made_up", "neq", "-0.5", -0.5],
    ["made_up", "eq", "five", "five"],
    ["made_up", "eq", "true", true],
    ["made_up", "neq", "false", false],
    ["made_up", "eq", '="5"', "5"],
    ["made_up", "eq", '="true"', "true"],
    ["made_up", "lt", "535.86.05", "535.86.05"],
    ["made_up", "lte", "1e3", 1000],
    ["made_up", "gt", " 7 ", 7],
    ["made_up", "gte", '="7"', "7"],
    ["made_up", "in", "5, five, true", [5, "five", true]],
    ["made_up", "notin", "a", ["a"]],
    ["made_up", "in", '="a, b", c', ["a, b", "c"]],
    ["constructor", "eq", "5", 5],
    ["gpu_ram", "lt", "48", 45_318],
    ["reliability", "lte", "99.5 %", 0.995],
    ["gpu_arch", "notin", "amd, 5", ["amd", "5"]],
    ["static_ip", "eq", "true", true],
    ["geolocation", "notin", "cn, ru", ["CN", "RU"]],
  ];
  for (const [field, operator, typed, value] of read)
    test(`${field} ${operator} ${typed}`, () => assert.deepEqual(readComparison(field, operator, typed), value));

  const refused: readonly [field: string, operator: Operator, typed: string, says: RegExp][] = [
    ["made_up", "eq", "", /Enter a value/],
    ["made_up", "in", "", /one or more values/],
    ["made_up", "in", " , ", /one or more values/],
    ["made_up", "notin", "[]", /one or more values/],
    ["made_up", "gte", "true", /no order/],
    ["made_up", "lt", "=false", /no order/],
    ["made_up", "eq", "={", /JSON value/],
    ["made_up", "eq", "x".repeat(1001), /at most 1,?000 characters/],
    ["dlperf", "gte", "fast", /Enter a number/],
    ["dlperf", "in", "1, fast", /Enter a number/],
    ["dlperf", "lt", "0,5", /decimal point/],
    ["dlperf", "eq", '="5"', /Enter a number/],
    ["gpu_arch", "gt", "a", /is text/],
    ["gpu_arch", "eq", "=5", /Enter text/],
    ["gpu_arch", "in", "a, =true", /Enter text/],
    ["static_ip", "eq", "yes", /true or false/],
    ["static_ip", "gt", "true", /is true or false/],
    ["reliability", "gte", "9900", /percentage/],
    ["geolocation", "eq", "Sweden", /two-letter/],
  ];
  for (const [field, operator, typed, says] of refused)
    test(`${field} ${operator} ${JSON.stringify(typed.slice(0, 20))} is refused`, () => {
      assert.throws(() => readComparison(field, operator, typed), { kind: "rejected", message: says });
    });

  test("every value that is read fits its operator, and is read back from how it is shown", () => {
    const fields = fc.constantFrom("made_up", ...Object.keys(FILTER_FIELDS));
    const typed = fc.oneof(
      fc.string(),
      fc.double().map(String),
      fc.constantFrom("true", "a, b", '="5"', "12 GB", "SE"),
    );
    let count = 0;
    fc.assert(
      fc.property(fields, fc.constantFrom(...OPERATORS), typed, (field, operator, text) => {
        const value = tryReading(field, operator, text);
        if (value === undefined) return;
        count += 1;
        assert.equal(Array.isArray(value), operator === "in" || operator === "notin");
        assert.ok(Condition.safeParse({ [operator]: value }).success);
        assert.deepEqual(readComparison(field, operator, toTypedComparison(field, operator, value)), value);
      }),
      { numRuns: 5000 },
    );
    assert.ok(count > 500, `${count} were read`);
  });
});

function tryReading(field: string, operator: Operator, text: string) {
  try {
    return readComparison(field, operator, text);
  } catch {
    return undefined;
  }
}

describe("the number of offers", () => {
  for (const [typed, limit] of [
    ["1", 1],
    [" 20 ", 20],
    ["15000", MOST_EXPLORED],
    ["", undefined],
    ["  ", undefined],
  ] as const)
    test(`is read from ${JSON.stringify(typed)}`, () => assert.equal(parseSearchLimit(typed), limit));
  for (const typed of ["0", "-1", "1.5", "1e3", "15001", "many", "5 offers", "9".repeat(400)])
    test(`isn't ${typed.slice(0, 10)}`, () => {
      assert.throws(() => parseSearchLimit(typed), { kind: "rejected", message: /whole number from 1 to 15,?000/ });
    });
});
