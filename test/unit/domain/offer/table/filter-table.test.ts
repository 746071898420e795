// Filters of a table of offers: they mean what they mean for single ones, and what it lacks is left to the service.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { filterOffers } from "../../../../../src/domain/offer/offer-search.ts";
import { getServiceFilters, judgeTable, splitFilters } from "../../../../../src/domain/offer/table/filter-table.ts";
import { toOfferTable } from "../../../../../src/domain/offer/table/offer-table.ts";
import { offerOf } from "../../../support.ts";
import { drawOffers } from "./hostile-offers.ts";

const offer = (record: object) => offerOf({ id: 7, ...record });

describe("filters", () => {
  const offers = drawOffers(1000);
  const table = toOfferTable(offers);
  const SEARCHES = [
    {},
    { verified: { eq: true } },
    { gpu_name: { in: ["RTX 4090", "A100 SXM4"] }, num_gpus: { gte: 2 }, dph_total: { lte: 3 } },
    { geolocation: { in: ["SE"] }, gpu_ram: { gte: 30_000 } },
    { geolocation: { notin: ["SE"] }, reliability: { gte: 0.95, lt: 0.99 } },
    { machine_id: { notin: [1, 2, 3] }, inet_down: { neq: 5 }, verified: { eq: false } },
  ];
  for (const filters of SEARCHES)
    test(`mean the same as for single offers: ${JSON.stringify(filters)}`, () => {
      const ids = filterOffers(offers, filters).map(({ id }) => id as number);
      assert.deepEqual(
        [...judgeTable(table, filters).rows].map((row) => table.numbers.id[row]),
        ids,
      );
    });

  test("that match nothing say how many each of them alone keeps out", () => {
    const filters = { num_gpus: { gte: 2 }, gpu_ram: { gte: 10 ** 8 } };
    const { rows, without } = judgeTable(table, filters);
    assert.equal(rows.length, 0);
    assert.deepEqual(
      [...without],
      [
        ["num_gpus", 0],
        ["gpu_ram", filterOffers(offers, { num_gpus: { gte: 2 } }).length],
      ],
    );
  });

  test("on a field that the table lacks are left to the service", () => {
    const split = splitFilters({ verified: { eq: true }, compute_cap: { gte: 800 } });
    assert.deepEqual(split, { table: { verified: { eq: true } }, service: { compute_cap: { gte: 800 } } });
    assert.equal(judgeTable(table, { compute_cap: { gte: 800 } }).rows.length, table.count);
  });

  test("are all the service's to judge if it's to return the cheapest few", () => {
    const filters = { verified: { eq: true }, compute_cap: { gte: 800 } };
    assert.deepEqual(getServiceFilters({ filters }), { compute_cap: { gte: 800 } });
    assert.deepEqual(getServiceFilters({ filters, limit: 5 }), filters);
  });

  test("find a text that the table had to cut", () => {
    const long = "x".repeat(5000);
    const cut = toOfferTable([offer({ gpu_name: long }), offer({ gpu_name: "y" })]);
    assert.deepEqual([...judgeTable(cut, { gpu_name: { in: [long] } }).rows], [0]);
  });
});

describe("a filter as only the service may read it", () => {
  const asked = {
    num_gpus: { gte: "2" },
    reliability: { in: ["0.98", 0.99] },
    verified: { eq: "any" },
    geolocation: { notin: ["us", "Germany, DE"] },
    gpu_name: { eq: 4090 },
  };
  test("is left to it", () => {
    assert.deepEqual(splitFilters(asked), { table: {}, service: asked });
    const table = toOfferTable(drawOffers(50));
    assert.equal(judgeTable(table, asked).rows.length, 50);
  });
  test("and any other isn't", () => {
    const own = {
      num_gpus: { gte: 2 },
      verified: { in: [true, false] },
      geolocation: { eq: "DE" },
      gpu_name: { gt: "R" },
    };
    assert.deepEqual(splitFilters(own), { table: own, service: {} });
  });
});
