// Why the page of offers shows none, in the words of the page.
import assert from "node:assert/strict";
import { test } from "node:test";
import { toOfferTable } from "../../../../src/domain/offer/table/offer-table.ts";
import { describeNarrowed, renderEmpty } from "../../../../src/webview/offers/empty.ts";
import { OffersModel } from "../../../../src/webview/offers/model.ts";
import { drawOffers } from "../../domain/offer/table/hostile-offers.ts";

test("what the rectangle and the front leave nothing of is said of the one that does", () => {
  const model = new OffersModel();
  const take = (offers: ReturnType<typeof drawOffers>) =>
    model.take({ table: toOfferTable(offers), unreadable: 0, isCut: false, at: 0, type: "ondemand", diskGb: 8 });
  take(drawOffers(20));
  model.brush = { costs: [1e5, 1e6], gains: [1e5, 1e6] };
  assert.equal(describeNarrowed(model), "None of the 20 matching offers are inside the plot selection.");
  model.isBestOnly = true;
  assert.equal(describeNarrowed(model), "None of the best-value offers are inside the plot selection.");
  model.brush = undefined;
  take(drawOffers(20).map((offer) => ({ ...offer, dlperf: undefined })));
  assert.equal(model.rows.length, 0);
  assert.equal(describeNarrowed(model), "None of the 20 matching offers has a known price and performance.");
});

test("a market without offers isn't said to be emptied by filters that only the page applies", () => {
  const model = new OffersModel();
  const textOf = () => JSON.stringify(renderEmpty(model, false, { loosen: () => {}, clear: () => {} }));
  const none = { unreadable: 0, isCut: false, at: 0, type: "ondemand", diskGb: 8 } as const;
  model.search = { filters: { verified: { eq: true } }, type: "ondemand" };
  model.take({ table: toOfferTable([]), ...none });
  assert.match(textOf(), /No offers are available for this rental type right now/);
  model.search = { filters: { compute_cap: { gte: 900 } }, type: "ondemand" };
  assert.match(textOf(), /No offers match/);
});
