// Offers as columns: what is unknown, what is derived, and in which order rows stand.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Offer, perGpuHour, perVramGbHour, readOffer } from "../../../../../src/domain/offer/offer.ts";
import { matching } from "../../../../../src/domain/offer/offer-search.ts";
import {
  bestDirection,
  COLUMN_IDS,
  findTyped,
  isKnownColumn,
  readColumn,
  readMeasure,
} from "../../../../../src/domain/offer/table/columns.ts";
import { judgeTable, splitFilters } from "../../../../../src/domain/offer/table/filter-table.ts";
import { DEFAULT_JOB, type OfferJob } from "../../../../../src/domain/offer/table/job.ts";
import { NUMBER_FIELDS, OfferTable, textAt, toOfferTable } from "../../../../../src/domain/offer/table/offer-table.ts";
import { DEFAULT_LAYOUT, readLayout } from "../../../../../src/domain/offer/table/offers-layout.ts";
import { rankByPrice, sortRows } from "../../../../../src/domain/offer/table/sort-rows.ts";
import { drawHostileOffers, drawOffers } from "./hostile-offers.ts";

const JOB: OfferJob = { hours: 10, diskGb: 8, downGb: 50, upGb: 0, imageGb: 6 };
const all = (count: number) => Uint32Array.from({ length: count }, (_, row) => row);
const offer = (record: object) => {
  const read = readOffer({ id: 7, ...record });
  assert.ok(read);
  return read;
};

describe("a table", () => {
  test("holds what each offer says, and is what a page accepts", () => {
    const offers = drawOffers(300);
    const table = toOfferTable(offers);
    assert.equal(OfferTable.safeParse(table).success, true);
    for (const [row, { id, dph_total, gpu_name, verified }] of offers.entries()) {
      assert.equal(table.numbers.id[row], id);
      assert.equal(table.numbers.dph_total[row], dph_total ?? Number.NaN);
      assert.equal(table.numbers.verified[row], Number(verified));
      assert.equal(textAt(table.texts.gpu_name, row), gpu_name);
    }
    assert.equal(table.texts.gpu_name.words.length, 7, "each text once, and none");
  });

  test("of 2,000 hostile records nothing is more than unknown, and no text is long or invisible", () => {
    const table = toOfferTable(drawHostileOffers(2000));
    for (const field of NUMBER_FIELDS)
      for (const value of table.numbers[field])
        assert.ok(Number.isNaN(value) || (value >= 0 && value < 2 ** 53), `${field} ${value}`);
    assert.ok(table.numbers.dph_total.every((price) => Number.isNaN(price) || price > 0));
    for (const { words } of Object.values(table.texts))
      for (const word of words) {
        assert.ok([...word].length <= 80);
        assert.doesNotMatch(word, /[\p{Cc}\p{Cf}\p{Cs}]/u);
      }
    assert.equal(OfferTable.safeParse(table).success, true);
  });

  test("holds more texts than two bytes can number", () => {
    const offers = Array.from({ length: 70_000 }, (_, at) => offer({ id: at + 1, cpu_name: `CPU ${at}` }));
    const { cpu_name } = toOfferTable(offers).texts;
    assert.ok(cpu_name.at instanceof Uint32Array);
    assert.equal(textAt(cpu_name, 69_999), "CPU 69999");
  });

  test("has what is usual only if somebody says so", () => {
    const offers = [
      offer({ gpu_name: "A", dph_total: 0.9, num_gpus: 1 }),
      offer({ gpu_name: "B", dph_total: 1, num_gpus: 1 }),
    ];
    assert.equal(isKnownColumn(toOfferTable(offers), "usual"), false);
    assert.equal(isKnownColumn(toOfferTable(offers, { usual: () => undefined }), "usual"), false);
    const usual = ({ gpu_name }: Offer) => (gpu_name === "A" ? { price: 1, text: "usually $1" } : undefined);
    const table = toOfferTable(offers, { usual });
    assert.equal(isKnownColumn(table, "usual"), true);
    assert.deepEqual([textAt(table.texts.usual, 0), textAt(table.texts.usual, 1)], ["usually $1", ""]);
    const [below, unknown] = readColumn(table, "usual", JOB);
    assert.ok(Math.abs((below ?? 0) + 0.1) < 1e-9);
    assert.ok(Number.isNaN(unknown));
  });
});

describe("a column", () => {
  test("says the same as the offer itself", () => {
    const offers = drawOffers(500);
    const table = toOfferTable(offers);
    const [gpuPrice, vramPrice] = [readColumn(table, "gpuPrice", JOB), readColumn(table, "vramPrice", JOB)];
    for (const [row, one] of offers.entries()) {
      assert.equal(gpuPrice[row], perGpuHour(one) ?? Number.NaN);
      assert.equal(vramPrice[row], perVramGbHour(one) ?? Number.NaN);
    }
  });

  test("the total of a job has its hours and its traffic, and nothing for traffic that it has none of", () => {
    const dear = { dph_total: 0.5, inet_down_cost: 0.02 };
    const table = toOfferTable([offer(dear), offer({ dph_total: 0.5 }), offer({ inet_down_cost: 0 })]);
    assert.deepEqual([...readColumn(table, "total", JOB)], [6, Number.NaN, Number.NaN]);
    assert.deepEqual([...readColumn(table, "total", DEFAULT_JOB)], [3, 3, Number.NaN]);
  });

  test("minutes for the image follow its size and the line, and are unknown without a size", () => {
    const table = toOfferTable([offer({ inet_down: 800 }), offer({})]);
    assert.deepEqual([...readColumn(table, "pull", JOB)], [1, Number.NaN]);
    assert.deepEqual([...readColumn(table, "pull", DEFAULT_JOB)], [Number.NaN, Number.NaN]);
  });

  test("performance is compared by one GPU", () => {
    const table = toOfferTable([offer({ num_gpus: 4, dlperf: 100, total_flops: 200, gpu_ram: 24_564 })]);
    assert.deepEqual(
      [readMeasure(table, "dlperf")[0], readMeasure(table, "tflops")[0], readMeasure(table, "vram")[0]],
      [25, 50, 24],
    );
  });
});

describe("the order", () => {
  for (const [name, offers] of [
    ["plausible", drawOffers(1000)],
    ["hostile", drawHostileOffers(2000)],
  ] as const)
    test(`of ${name} rows has unknown last both ways, and the cheaper one first among equals`, () => {
      const table = toOfferTable(offers);
      const ranks = rankByPrice(table);
      for (const id of COLUMN_IDS)
        for (const direction of ["asc", "desc"] as const) {
          const values = readColumn(table, id, JOB);
          const sorted = sortRows(all(table.count), values, direction, ranks);
          assert.deepEqual(sorted.toSorted(), all(table.count), "each row once");
          for (const [at, row] of sorted.entries()) {
            const before = sorted[at - 1];
            if (before === undefined) continue;
            const [x, y] = [values[before] ?? Number.NaN, values[row] ?? Number.NaN];
            if (Number.isNaN(x)) assert.ok(Number.isNaN(y), `${id}: after an unknown one come only unknown ones`);
            const isTie = x === y || (Number.isNaN(x) && Number.isNaN(y));
            if (isTie) assert.ok((ranks[before] ?? 0) < (ranks[row] ?? 0), `${id}: equals by price and ID`);
            else if (!Number.isNaN(y)) assert.ok(direction === "asc" ? x < y : x > y, `${id} ${direction}`);
          }
        }
    });

  test("equal prices stand by ID, and no price after all of them", () => {
    const table = toOfferTable([
      offer({ id: 5 }),
      offer({ id: 9, dph_total: 1 }),
      offer({ id: 3, dph_total: 1 }),
      offer({ id: 4, dph_total: -1 }),
    ]);
    const sorted = sortRows(all(4), readColumn(table, "reliability", JOB), "desc", rankByPrice(table));
    assert.deepEqual(
      [...sorted].map((row) => table.numbers.id[row]),
      [3, 9, 4, 5],
    );
  });

  test("texts stand as people count: RTX 3090 before RTX 10000", () => {
    const table = toOfferTable([offer({ gpu_name: "RTX 10000" }), offer({}), offer({ gpu_name: "RTX 3090" })]);
    const sorted = sortRows(all(3), readColumn(table, "gpu", JOB), bestDirection("gpu"), rankByPrice(table));
    assert.deepEqual([...sorted], [2, 0, 1]);
  });

  test("typing leads to the next row that begins so, and around", () => {
    const table = toOfferTable(["RTX 4090", "A100", "RTX 3090"].map((gpu_name) => offer({ gpu_name })));
    const find = (typed: string, from: number) => findTyped(table, all(3), "price", { typed, from });
    assert.deepEqual([find("rtx", 0), find("rtx", 1), find("a", 2), find("zz", 0)], [0, 2, 1, undefined]);
    assert.equal(findTyped(table, new Uint32Array(), "price", { typed: "a", from: 0 }), undefined);
  });
});

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
      const ids = matching(offers, filters).map(({ id }) => id as number);
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
        ["gpu_ram", matching(offers, { num_gpus: { gte: 2 } }).length],
      ],
    );
  });

  test("on a field that the table lacks are left to the service", () => {
    const split = splitFilters({ verified: { eq: true }, compute_cap: { gte: 800 } });
    assert.deepEqual(split, { table: { verified: { eq: true } }, service: { compute_cap: { gte: 800 } } });
    assert.equal(judgeTable(table, { compute_cap: { gte: 800 } }).rows.length, table.count);
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

test("a layout keeps all that is still understood", () => {
  const kept = {
    ...DEFAULT_LAYOUT,
    ...{ columns: ["gpu", "price", "aura"], widths: { price: 90, gpus: 1e9, aura: 60 } },
    ...{ sort: { column: "aura", direction: "asc" }, job: { ...JOB, diskGb: 200 } },
  };
  const layout = readLayout(kept);
  assert.deepEqual([layout.columns, layout.widths, layout.job.diskGb], [["gpu", "price"], { price: 90 }, 200]);
  assert.deepEqual(layout.sort, DEFAULT_LAYOUT.sort);
  for (const other of [undefined, null, 7, "x", []]) assert.deepEqual(readLayout(other), DEFAULT_LAYOUT);
});
