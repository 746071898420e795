import assert from "node:assert/strict";
import { test } from "node:test";
import { filterByBrush, findFront } from "../../../../../src/domain/offer/table/best-for-money.ts";
import { readColumn, readMeasure } from "../../../../../src/domain/offer/table/columns.ts";
import { listLargestFamilies, toGpuFamily } from "../../../../../src/domain/offer/table/gpu-family.ts";
import { DEFAULT_JOB } from "../../../../../src/domain/offer/table/job.ts";
import { toOfferTable } from "../../../../../src/domain/offer/table/offer-table.ts";
import {
  DEFAULT_LAYOUT,
  moveColumn,
  readLayout,
  resizeColumn,
  toggleColumn,
} from "../../../../../src/domain/offer/table/offers-layout.ts";
import { offerOf } from "../../../support.ts";
import { drawHostileOffers, drawOffers } from "./hostile-offers.ts";

const rowsOf = (count: number) => Uint32Array.from({ length: count }, (_, row) => row);

test("the front has every offer that no other one beats, and none that one does", () => {
  const table = toOfferTable(drawOffers(400));
  const costs = readColumn(table, "gpuPrice", DEFAULT_JOB);
  const gains = readMeasure(table, "dlperf");
  const rows = rowsOf(table.count);
  const at = (values: Float64Array, row: number) => values[row] ?? Number.NaN;
  const beats = (a: number, b: number) =>
    at(costs, a) <= at(costs, b) &&
    at(gains, a) >= at(gains, b) &&
    (at(costs, a) < at(costs, b) || at(gains, a) > at(gains, b));
  const known = rows.filter((row) => at(costs, row) > 0 && at(gains, row) > 0);
  const best = known.filter((row) => !known.some((other) => beats(other, row)));
  const front = findFront(rows, { costs, gains });
  assert.deepEqual(front.toSorted(), best);
  assert.ok(front.length > 2 && front.length < table.count / 4);
  for (const [place, row] of front.entries())
    if (place > 0) assert.ok(at(costs, row) >= at(costs, front[place - 1] ?? 0), "from the cheapest to the best");
});

test("what is unknown or makes no sense is never best", () => {
  const costs = Float64Array.of(1, Number.NaN, 0.5, 2, 1, 3);
  const gains = Float64Array.of(10, 1000, Number.NaN, 10, 10, 11);
  assert.deepEqual([...findFront(rowsOf(6), { costs, gains })], [0, 4, 5], "equals are all best");
  const table = toOfferTable(drawHostileOffers(2000));
  const hostile = { costs: readColumn(table, "gpuPrice", DEFAULT_JOB), gains: readMeasure(table, "dlperf") };
  for (const row of findFront(rowsOf(2000), hostile)) assert.ok(Number.isFinite(hostile.costs[row]));
  assert.equal(findFront(new Uint32Array(), { costs, gains }).length, 0);
});

test("one that says what nobody can mean doesn't beat all others", () => {
  const offers = [
    ...drawOffers(400),
    offerOf({ id: 9e6, num_gpus: 1, dph_total: 2e-6, dlperf: 9e8, total_flops: 9e8 }),
  ];
  const front = (count: number, measure: "dlperf" | "tflops") => {
    const table = toOfferTable(offers.slice(0, count));
    const costs = readColumn(table, "gpuPrice", DEFAULT_JOB);
    return findFront(rowsOf(count), { costs, gains: readMeasure(table, measure) });
  };
  for (const measure of ["dlperf", "tflops"] as const) assert.deepEqual(front(401, measure), front(400, measure));
});

test("a rectangle holds what lies in it, edges included", () => {
  const plot = { costs: Float64Array.of(1, 2, 3, Number.NaN), gains: Float64Array.of(5, 6, 7, 6) };
  assert.deepEqual([...filterByBrush(rowsOf(4), plot, { costs: [1, 2], gains: [6, 9] })], [1]);
});

test("a family is what people call it", () => {
  const names = [
    "RTX 4090",
    "RTX 4060 Ti",
    "GTX 1080 Ti",
    "A100 SXM4",
    "H100 NVL",
    "RTX A6000",
    "RTX 6000Ada",
    "Tesla T4",
    "MI300X",
    "",
  ];
  assert.deepEqual(names.map(toGpuFamily), [
    "RTX 40",
    "RTX 40",
    "GTX 10",
    "A100",
    "H100",
    "RTX A",
    "RTX 6000",
    "T4",
    "MI300X",
    "",
  ]);
  assert.deepEqual(listLargestFamilies(["b", "a", "b", "", "c", "c"], 2), ["b", "c"]);
});

test("a layout keeps the GPU first, each column once, and widths within bounds", () => {
  const shown = toggleColumn(DEFAULT_LAYOUT, "machine");
  assert.equal(shown.columns.at(-1), "machine");
  assert.equal(toggleColumn(shown, "machine").columns.includes("machine"), false);
  assert.deepEqual(toggleColumn(DEFAULT_LAYOUT, "gpu").columns, DEFAULT_LAYOUT.columns);
  assert.deepEqual(moveColumn(shown, "machine", -100).columns.slice(0, 2), ["gpu", "machine"]);
  assert.equal(moveColumn(shown, "machine", 5), shown);
  assert.equal(moveColumn(shown, "gpu", 1), shown);
  const seen = ["gpu", "price", "gpus"] as const;
  const some = { ...shown, columns: ["gpu" as const, "price" as const, "usual" as const, "gpus" as const] };
  // One move is a move that can be seen: past a column about which nothing is known, too.
  assert.deepEqual(moveColumn(some, "gpus", -1, seen).columns, ["gpu", "gpus", "price", "usual"]);
  assert.deepEqual(moveColumn(some, "price", 1, seen).columns, ["gpu", "usual", "gpus", "price"]);
  assert.equal(resizeColumn(shown, "price", 5).widths.price, 40);
  assert.equal(resizeColumn(shown, "price", 9000).widths.price, 600);
});

test("a kept layout is read as far as it makes sense", () => {
  assert.deepEqual(readLayout(undefined), DEFAULT_LAYOUT);
  assert.deepEqual(readLayout({ columns: ["nonsense"] }), DEFAULT_LAYOUT);
  const kept = {
    ...DEFAULT_LAYOUT,
    columns: ["price", "price", "host"],
    job: { hours: -5, diskGb: 100, downGb: 1e99 },
  };
  const read = readLayout(kept);
  assert.deepEqual(read.columns, ["gpu", "price", "host"]);
  assert.deepEqual({ ...read.job }, { hours: 6, diskGb: 100, downGb: 0, upGb: 0 });
});
