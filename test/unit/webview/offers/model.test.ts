// What the page of offers shows: filters, the front, the rectangle and the order, one after the other, and who is looked at.
import assert from "node:assert/strict";
import { test } from "node:test";
import { USUAL_COLUMNS } from "../../../../src/domain/offer/table/columns.ts";
import { toOfferTable } from "../../../../src/domain/offer/table/offer-table.ts";
import { moveColumn, toggleColumn } from "../../../../src/domain/offer/table/offers-layout.ts";
import { OffersModel } from "../../../../src/webview/offers/model.ts";
import { drawHostileOffers, drawOffers } from "../../domain/offer/table/hostile-offers.ts";
import { offerOf } from "../../support.ts";

function modelOf(offers = drawOffers(500)) {
  const model = new OffersModel();
  model.take({ table: toOfferTable(offers), unreadable: 0, isCut: false, at: 0, type: "ondemand", diskGb: 8 });
  return model;
}
const has = (rows: Uint32Array, all: Uint32Array) => rows.every((row) => all.includes(row));

test("the first offer is looked at; another one is until it is gone, and then none", () => {
  const offers = drawOffers(500);
  const model = modelOf(offers);
  assert.equal(model.chosenRow, model.rows[0]);
  const second = model.rows[1] ?? 0;
  model.choose(second);
  const id = model.chosen;
  model.relayout(model.sortBy("reliability"));
  assert.equal(model.chosen, id);
  const { listed } = model;
  assert.ok(listed);
  model.take({ ...listed, table: toOfferTable(offers.toReversed()) });
  assert.equal(model.chosen, id);
  model.take({ ...listed, table: toOfferTable(offers.filter((offer) => offer.id !== id)) });
  assert.deepEqual([model.chosen, model.chosenRow, model.isChosenGone], [undefined, undefined, true]);
  model.take(listed);
  assert.equal(model.chosen, undefined, "it doesn't come back by itself");
  model.choose(second);
  assert.deepEqual([model.chosen, model.isChosenGone], [id, false]);
});

test("what filters, the front or the rectangle leave out is no longer looked at, and sorting leaves out nothing", () => {
  const lookAt = (model: OffersModel, isWanted: (row: number) => boolean): number => {
    const row = model.rows.find(isWanted) ?? assert.fail("there is such an offer");
    model.choose(row);
    return row;
  };
  const [filtered, best, brushed] = [modelOf(), modelOf(), modelOf()];
  const verified = (row: number) => filtered.listed?.table.numbers.verified[row] === 1;
  lookAt(filtered, verified);
  filtered.search = { ...filtered.search, filters: { verified: { eq: true } } };
  filtered.refilter();
  assert.notEqual(filtered.chosen, undefined);
  filtered.search = { ...filtered.search, filters: { verified: { eq: false } } };
  filtered.refilter();
  assert.deepEqual([filtered.chosen, filtered.isChosenGone], [undefined, true]);
  lookAt(best, (row) => !best.front.includes(row));
  best.relayout(best.sortBy("reliability"));
  assert.notEqual(best.chosen, undefined);
  best.isBestOnly = true;
  best.narrow();
  assert.equal(best.chosen, undefined);
  const row = lookAt(brushed, (one) => Number.isFinite(brushed.tradeoff.gains[one]));
  const cost = brushed.tradeoff.costs[row] ?? 0;
  brushed.brush = { costs: [cost, cost], gains: [0, 1e9] };
  brushed.narrow();
  assert.equal(brushed.chosenRow, row);
  brushed.brush = { costs: [cost * 2, cost * 3], gains: [0, 1e9] };
  brushed.narrow();
  assert.equal(brushed.chosen, undefined);
});

test("the traffic of a job counts for what is the best value, and a rectangle over other prices is dropped", () => {
  const like = { num_gpus: 1, dlperf: 20, inet_up_cost: 0 };
  const model = modelOf([
    offerOf({ ...like, id: 1, dph_total: 0.125, inet_down_cost: 0.05 }),
    offerOf({ ...like, id: 2, dph_total: 0.25, inet_down_cost: 0 }),
  ]);
  assert.deepEqual([...model.front], [0]);
  model.brush = { costs: [0.05, 0.15], gains: [0, 1e9] };
  model.narrow();
  model.relayout({ ...model.layout, job: { ...model.layout.job, hours: 3 } });
  assert.ok(model.brush, "hours alone change no price");
  model.relayout({ ...model.layout, job: { ...model.layout.job, downGb: 30 } });
  assert.deepEqual([[...model.front], model.brush, [...model.tradeoff.costs]], [[1], undefined, [0.625, 0.25]]);
  model.relayout({ ...model.layout, job: { ...model.layout.job, downGb: 0 } });
  assert.deepEqual([...model.front], [0]);
});

test("columns without room are left out, the least needed first, unless the person chose them", () => {
  const model = modelOf();
  assert.equal(model.columns.length, USUAL_COLUMNS.length);
  model.room = 1229;
  assert.deepEqual([model.leftOut, model.columns.includes("verified")], [1, false]);
  model.room = 300;
  assert.deepEqual(model.columns, ["gpu", "price", "total"]);
  model.relayout(model.sortBy("vram"));
  assert.deepEqual(model.columns, ["gpu", "price", "vram", "total"]);
  const moved = moveColumn(model.layout, "total", -1, model.columns);
  model.relayout(moved);
  assert.deepEqual(model.columns, ["gpu", "price", "total", "vram"]);
  assert.equal(model.layout.columns.length, USUAL_COLUMNS.length);
  model.relayout(toggleColumn(model.seenLayout, "cpu"));
  assert.deepEqual(model.columns, ["gpu", "price", "total", "vram", "cpu"]);
  assert.equal(model.leftOut, 0);
  model.relayout({ ...model.layout, columns: [...USUAL_COLUMNS] });
  model.room = 1230;
  assert.equal(model.leftOut, 0);
  model.relayout({ ...model.layout, widths: { gpu: 200 } });
  assert.equal(model.leftOut, 1);
});

test("filters, the front and the rectangle narrow one another", () => {
  const model = modelOf();
  model.search = { ...model.search, filters: { verified: { eq: true } } };
  model.refilter();
  const verified = model.rows;
  assert.ok(verified.length > 0 && verified.length < 500 && has(model.front, verified));
  model.isBestOnly = true;
  model.narrow();
  assert.deepEqual(model.rows.toSorted(), model.front.toSorted());
  const [cheapest = 0] = model.front;
  const cost = model.tradeoff.costs[cheapest] ?? 0;
  model.brush = { costs: [cost, cost], gains: [0, 1e9] };
  model.narrow();
  assert.ok(model.rows.includes(cheapest) && model.rows.length < model.front.length);
  model.isBestOnly = false;
  model.narrow();
  assert.ok(model.rows.includes(cheapest) && has(model.rows, verified));
});

test("another measure forgets the rectangle, and another job the totals", () => {
  const model = modelOf();
  model.brush = { costs: [0.1, 0.2], gains: [1, 2] };
  model.relayout({ ...model.layout, measure: "vram" });
  assert.equal(model.brush, undefined);
  assert.equal(model.rows.length, 500);
  model.relayout(model.sortBy("total"));
  const [first = 0] = model.rows;
  const before = model.listValues("total")[first] ?? 0;
  model.relayout({ ...model.layout, job: { ...model.layout.job, hours: model.layout.job.hours * 2 } });
  assert.equal(model.listValues("total")[first], before * 2);
});

test("a column sorts best first, and turns round at the second time", () => {
  const model = modelOf();
  assert.deepEqual(model.sortBy("reliability").sort, { column: "reliability", direction: "desc" });
  model.relayout(model.sortBy("reliability"));
  assert.deepEqual(model.sortBy("reliability").sort, { column: "reliability", direction: "asc" });
  assert.deepEqual(model.sortBy("price").sort, { column: "price", direction: "asc" });
});

test("a column that the host says nothing for isn't shown", () => {
  const model = modelOf();
  model.relayout({ ...model.layout, columns: ["gpu", "usual", "price"] });
  assert.deepEqual(model.columns, ["gpu", "price"]);
});

test("hostile offers are shown like all others, and nothing is asked of them", () => {
  const model = modelOf(drawHostileOffers(2000));
  assert.equal(model.rows.length, 2000);
  model.isBestOnly = true;
  model.narrow();
  for (const row of model.rows) assert.ok(Number.isFinite(model.tradeoff.costs[row]));
});
