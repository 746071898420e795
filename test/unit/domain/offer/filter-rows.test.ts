// Machine filters as rows a person types in.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { normalizeRow, readFilterRows, renameField, toFilterRows } from "../../../../src/domain/offer/filter-rows.ts";
import { filters } from "../../drafts.ts";

describe("rows of machine filters (interface 4.2)", () => {
  test("filters to rows to filters is the identity, whatever the values", () => {
    fc.assert(
      fc.property(filters, (given) => {
        const { filters: read, problems } = readFilterRows(toFilterRows(given));
        assert.deepEqual(problems, []);
        assert.deepEqual(read, given);
      }),
      { numRuns: 5000 },
    );
  });

  const cases: readonly [
    field: string,
    operator: "gte" | "eq" | "lte" | "lt" | "in",
    value: string,
    wire: unknown,
    tidy?: string,
  ][] = [
    ["gpu_ram", "gte", "24", 22_659],
    ["gpu_ram", "gte", "24 GB", 22_659, "24"],
    ["gpu_ram", "gte", "24.5", 23_131],
    ["gpu_ram", "gte", "24000", 24_000, "24000 MB"],
    ["gpu_ram", "gte", "24000 MB", 24_000],
    ["gpu_ram", "gte", "22659 MB", 22_659, "24"],
    ["gpu_ram", "lte", "24GB", 24_576, "24"],
    ["gpu_ram", "lt", "24", 22_659],
    ["gpu_ram", "in", "24, 48 GB", [24_576, 49_152], "24, 48"],
    ["gpu_total_ram", "gte", "2 TB", 1_888_256, "2000"],
    ["cpu_ram", "gte", "64 GB", 60_424, "64"],
    ["reliability", "gte", "99.5 %", 0.995, "99.5"],
    ["reliability", "gte", "99.5", 0.995],
    ["reliability", "gte", "0.99", 0.99, "99"],
    ["reliability", "gte", "9900", 99],
    ["duration", "gte", "3 days", 259_200, "3"],
    ["duration", "gte", "12 h", 43_200, "0.5"],
    ["duration", "gte", "3600 s", 3600],
    ["disk_space", "gte", "1 TB", 1000, "1000"],
    ["gpu_name", "in", "RTX 4090, H100_SXM", ["RTX 4090", "H100 SXM"], "RTX 4090, H100 SXM"],
    ["gpu_name", "in", '="a, b", c', ["a, b", "c"]],
    ["gpu_name", "eq", '="RTX_4090"', "RTX_4090"],
    ["geolocation", "in", "se, DE", ["SE", "DE"], "SE, DE"],
    ["verified", "eq", "true", true],
    ["os_version", "eq", "24.04", 24.04],
    ["os_version", "eq", '="24.04"', "24.04"],
  ];
  for (const [name, operator, value, wire, tidy = value] of cases)
    test(`${name} ${operator} ${value}`, () => {
      const row = { field: name, operator, value };
      assert.deepEqual(readFilterRows([row]), { filters: { [name]: { [operator]: wire } }, problems: [] });
      assert.equal(normalizeRow(row).value, tidy);
      assert.deepEqual(readFilterRows([normalizeRow(row)]).filters, { [name]: { [operator]: wire } });
    });

  const wrong: readonly [row: Parameters<typeof readFilterRows>[0][number], part: string, says: RegExp][] = [
    [{ field: "", operator: "eq", value: "5" }, "field", /Choose/],
    [{ field: "__proto__", operator: "eq", value: "5" }, "field", /can't be used/],
    [{ field: "num_gpus", operator: "gte", value: "" }, "value", /Enter a value/],
    [{ field: "geolocation", operator: "eq", value: "Sweden" }, "value", /two-letter/],
    [{ field: "gpu_ram", operator: "gte", value: "24 days" }, "value", /Enter a number/],
    [{ field: "num_gpus", operator: "gte", value: "two" }, "value", /number/],
    [{ field: "dph_total", operator: "lte", value: "0,35" }, "value", /point/],
    [{ field: "duration", operator: "gte", value: "1e306" }, "value", /smaller/],
    [{ field: "gpu_ram", operator: "in", value: "24, 1e306 TB" }, "value", /smaller/],
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

  test("what is stored is shown in GB, % and days where those convert back, and as it is where they don't", () => {
    const shown = toFilterRows({
      gpu_ram: { gte: 22_659, lte: 24_000 },
      cpu_ram: { gte: 64_000 },
      reliability: { gt: 0.95 },
      duration: { gte: 604_800, lt: 100 },
    });
    assert.deepEqual(
      shown.map(({ value }) => value),
      ["24000 MB", "24", "64000 MB", "95", "100 s", "7"],
    );
    for (let gb = 0; gb < 1000; gb += 1)
      for (const operator of ["gte", "lte", "lt", "gt", "eq"] as const) {
        const row = { field: "gpu_ram", operator, value: String(gb) };
        assert.deepEqual(toFilterRows(readFilterRows([row]).filters), [row]);
      }
  });

  test("another field for a row: yes or no begins with yes, what fits stays", () => {
    const row = { field: "x", operator: "gte", value: "5" } as const;
    assert.deepEqual(renameField(row, " dlperf_per_dphtotal "), { ...row, field: "dlperf_per_dphtotal" });
    assert.deepEqual(renameField(row, "verified"), { field: "verified", operator: "eq", value: "true" });
    assert.deepEqual(renameField(row, "gpu_name"), { ...row, field: "gpu_name", operator: "eq" });
    const no = { field: "", operator: "neq", value: "false" } as const;
    assert.deepEqual(renameField(no, "verified"), { ...no, field: "verified" });
  });

  test("a value of a stranger's template is read in proportion to its length, also where it is almost a number", () => {
    const cost = (length: number) => {
      const filters = { x: { eq: `${"0".repeat(length)}!` } };
      const times = [1, 2, 3].map(() => {
        const { user } = process.cpuUsage();
        toFilterRows(filters);
        return process.cpuUsage().user - user;
      });
      return Math.min(...times) / 1000;
    };
    // 8 times is linear, 64 times quadratic.
    const [whole, eighth] = [cost(32_000), cost(4000)];
    assert.ok(whole < 50 || whole / eighth < 24, `${whole} ms for 32,000 digits, ${eighth} ms for 4,000`);
  });

  test("the same comparison twice is refused, blank rows are passed over", () => {
    const row = { field: "num_gpus", operator: "gte", value: "2" } as const;
    assert.match(readFilterRows([row, row]).problems[0]?.message ?? "", /twice/);
    assert.deepEqual(readFilterRows([{ field: " ", operator: "eq", value: "" }]), { filters: {}, problems: [] });
  });
});
