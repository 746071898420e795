// Machine filters as rows a person types in.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { filterRowsOf, normalised, readFilterRows, renamed } from "../../../../src/domain/offer/filter-rows.ts";
import { filters } from "../../drafts.ts";

describe("rows of machine filters (interface 4.2)", () => {
  test("filters to rows to filters is the identity, whatever the values", () => {
    fc.assert(
      fc.property(filters, (given) => {
        const { filters: read, problems } = readFilterRows(filterRowsOf(given));
        assert.deepEqual(problems, []);
        assert.deepEqual(read, given);
      }),
      { numRuns: 5000 },
    );
  });

  const cases: readonly [field: string, operator: "gte" | "eq" | "lte" | "in", value: string, wire: unknown][] = [
    ["gpu_ram", "gte", "24 GB", 22_856],
    ["gpu_ram", "gte", "24000", 24_000],
    ["gpu_ram", "gte", "24000 MB", 24_000],
    ["gpu_ram", "lte", "24GB", 24_576],
    ["cpu_ram", "gte", "64 GB", 64_000],
    ["reliability", "gte", "99.5 %", 0.995],
    ["duration", "gte", "3 days", 259_200],
    ["disk_space", "gte", "1 TB", 1000],
    ["gpu_name", "in", "RTX 4090, H100 SXM", ["RTX 4090", "H100 SXM"]],
    ["gpu_name", "in", '="a, b", c', ["a, b", "c"]],
    ["verified", "eq", "true", true],
    ["os_version", "eq", "24.04", 24.04],
    ["os_version", "eq", '="24.04"', "24.04"],
  ];
  for (const [name, operator, value, wire] of cases)
    test(`${name} ${operator} ${value}`, () => {
      const row = { field: name, operator, value };
      assert.deepEqual(readFilterRows([row]), { filters: { [name]: { [operator]: wire } }, problems: [] });
      assert.deepEqual(readFilterRows([normalised(row)]).filters, { [name]: { [operator]: wire } });
    });

  const wrong: readonly [row: Parameters<typeof readFilterRows>[0][number], part: string, says: RegExp][] = [
    [{ field: "", operator: "eq", value: "5" }, "field", /Choose/],
    [{ field: "__proto__", operator: "eq", value: "5" }, "field", /cannot be used/],
    [{ field: "num_gpus", operator: "gte", value: "" }, "value", /missing/],
    [{ field: "num_gpus", operator: "gte", value: "two" }, "value", /number/],
    [{ field: "dph_total", operator: "lte", value: "0,35" }, "value", /point/],
    [{ field: "verified", operator: "eq", value: "yes" }, "value", /true or false/],
    [{ field: "gpu_name", operator: "in", value: " , " }, "value", /one or more/],
    [{ field: "gpu_name", operator: "eq", value: "={" }, "value", /JSON/],
  ];
  for (const [row, part, says] of wrong)
    test(`refused: ${JSON.stringify(row)}`, () => {
      const { problems } = readFilterRows([row]);
      assert.equal(problems[0]?.part, part);
      assert.match(problems[0]?.message ?? "", says);
    });

  test("another field for a row: yes or no begins with yes, what fits stays", () => {
    const row = { field: "x", operator: "gte", value: "5" } as const;
    assert.deepEqual(renamed(row, " dlperf_per_dphtotal "), { ...row, field: "dlperf_per_dphtotal" });
    assert.deepEqual(renamed(row, "verified"), { field: "verified", operator: "eq", value: "true" });
    const no = { field: "", operator: "neq", value: "false" } as const;
    assert.deepEqual(renamed(no, "verified"), { ...no, field: "verified" });
  });

  test("the same comparison twice is refused, blank rows are passed over", () => {
    const row = { field: "num_gpus", operator: "gte", value: "2" } as const;
    assert.match(readFilterRows([row, row]).problems[0]?.message ?? "", /twice/);
    assert.deepEqual(readFilterRows([{ field: " ", operator: "eq", value: "" }]), { filters: {}, problems: [] });
  });
});
