// What the page of offers may say: it names an offer, and nothing about how to rent it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { toOfferTable } from "../../../src/domain/offer/table/offer-table.ts";
import { DEFAULT_LAYOUT } from "../../../src/domain/offer/table/offers-layout.ts";
import { offersPage } from "../../../src/protocol/offers-page.ts";
import { drawHostileOffers } from "../domain/offer/table/hostile-offers.ts";

test("a page names an offer by its ID: no price, no disk, no template, no confirmation", () => {
  for (const { question } of [offersPage.review, offersPage.watch]) {
    const asks = (given: unknown) => question.safeParse(given).success;
    assert.equal(asks({ id: 7 }), true);
    for (const more of [{ price: 0.1 }, { diskGb: 10 }, { template: "abc" }, { confirmed: true }, { type: "bid" }])
      assert.equal(asks({ id: 7, ...more }), false, JSON.stringify(more));
    for (const id of [0, -1, 1.5, "7", null, undefined, Number.NaN]) assert.equal(asks({ id }), false, String(id));
  }
});

test("there is no question that rents, and none that carries a filter, a text or a command of the page's own", () => {
  const names = "open read filter loosen limit type disk keep review watch copy saveToTemplate".split(" ");
  assert.deepEqual(Object.keys(offersPage), names);
  const { filter, loosen, limit, copy, saveToTemplate, keep, disk, type } = offersPage;
  for (const { question } of [filter, loosen]) {
    assert.equal(question.safeParse({ field: "gpu_ram" }).success, true);
    assert.equal(question.safeParse({ field: "gpu_ram", condition: { gte: 1 } }).success, false);
  }
  for (const { question } of [copy, saveToTemplate]) assert.equal(question.safeParse("text").success, false);
  assert.deepEqual(
    ["ask", "remove", 5, { limit: 5 }].map((question) => limit.question.safeParse(question).success),
    [true, true, false, false],
  );
  assert.equal(keep.question.safeParse(DEFAULT_LAYOUT).success, true);
  assert.equal(keep.question.safeParse({ ...DEFAULT_LAYOUT, columns: ["evil"] }).success, false);
  assert.equal(type.question.safeParse("reserved").success, false);
  assert.equal(disk.question.parse(-5), 8, "no disk is smaller than the smallest");
});

test("2,000 hostile offers arrive as the host sends them", () => {
  const table = toOfferTable(drawHostileOffers(2000));
  const listed = { table, unreadable: 0, isCut: false, at: 0, type: "bid", diskGb: 8 };
  assert.equal(offersPage.read.answer.safeParse(structuredClone(listed)).success, true);
  const { numbers, ...rest } = table;
  const odd = { ...numbers, id: [1, 2, 3] };
  assert.equal(offersPage.read.answer.safeParse({ ...listed, table: { ...rest, numbers: odd } }).success, false);
});
