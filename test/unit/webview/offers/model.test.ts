// What the page of offers shows: filters, the front, the rectangle and the order, one after the other, and who is looked at.
import assert from "node:assert/strict";
import { test } from "node:test";
import { toOfferTable } from "../../../../src/domain/offer/table/offer-table.ts";
import { OffersModel } from "../../../../src/webview/offers/model.ts";
import { drawHostileOffers, drawOffers } from "../../domain/offer/table/hostile-offers.ts";

function modelOf(offers = drawOffers(500)) {
  const model = new OffersModel();
  model.take({ table: toOfferTable(offers), unreadable: 0, isCut: false, at: 0, type: "ondemand", diskGb: 8 });
  return model;
}
const has = (rows: Uint32Array, all: Uint32Array) => rows.every((row) => all.includes(row));

test("the first offer is looked at, and stays while others come and go, until it is gone", () => {
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
  assert.equal(model.chosenRow, model.rows[0]);
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
