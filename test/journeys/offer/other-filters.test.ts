// A filter on any field, and how many offers there may be, on the way to the service: in the request of every search that the
// person's filters go to, and kept where the other filters are (interface 4.2).
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { OPERATORS } from "../../../src/domain/offer/filter.ts";
import {
  anySearch,
  MOST_EXPLORED,
  MOST_OFFERS,
  type OfferSearch,
  toOfferSearch,
  withCondition,
} from "../../../src/domain/offer/offer-search.ts";
import { parseSearchLimit, readComparison, readFieldName } from "../../../src/domain/offer/typed-filter.ts";
import { OfferExplorer } from "../../../src/services/offer/offer-explorer.ts";
import { WHOLE_MARKET } from "../../../src/services/offer/offers.ts";
import { editorWindow, signedIn } from "../support.ts";
import { withWatchingWindows } from "./price-watch-windows.ts";

async function searching() {
  const window = await signedIn();
  const bodies = () =>
    window.lines
      .filter(({ path }) => path === "/api/v0/bundles/")
      .map(({ body }) => body as Readonly<Record<string, unknown>>);
  return { ...window, bodies };
}

/** As a person types it. */
function typedSearch(
  field: string,
  operator: (typeof OPERATORS)[number],
  value: string,
  start = anySearch,
): OfferSearch {
  const name = readFieldName(field);
  const condition = { ...start.filters[name], [operator]: readComparison(name, operator, value) };
  return { ...start, filters: withCondition(start.filters, name, condition) };
}

describe("any field, compared in any way", () => {
  const typed = { in: "1, 2", notin: "3" } as const;
  const sent = { in: [1, 2], notin: [3] } as const;
  for (const operator of OPERATORS)
    test(`${operator} is in the request as it was meant`, async () => {
      const { offers, bodies } = await searching();
      const value = operator === "in" || operator === "notin" ? operator : undefined;
      await offers.search(typedSearch("dlperf", operator, value === undefined ? "2" : typed[value]));
      assert.deepEqual(bodies().at(-1)?.dlperf, { [operator]: value === undefined ? 2 : sent[value] });
    });

  test("a field that the service doesn't know is sent, and its refusal is told in its own words", async () => {
    const { offers, bodies } = await searching();
    await assert.rejects(offers.search(typedSearch("made_up", "gte", "5")), {
      kind: "rejected",
      message: /made_up is not a valid search key/,
    });
    assert.deepEqual(bodies().at(-1)?.made_up, { gte: 5 });
  });

  test("a second comparison of the same field goes beside the first", async () => {
    const { offers, bodies } = await searching();
    await offers.search(typedSearch("dlperf", "lt", "500", typedSearch("dlperf", "gte", "2")));
    assert.deepEqual(bodies().at(-1)?.dlperf, { gte: 2, lt: 500 });
  });
});

describe("the number of offers", () => {
  const few: OfferSearch = { ...typedSearch("dlperf", "gte", "2"), limit: parseSearchLimit("7") };

  test("is in the request, and the service returns as many, the cheapest", async () => {
    const { offers, bodies } = await searching();
    const all = (await offers.search({ ...few, limit: undefined })).offers;
    const found = (await offers.search(few)).offers;
    assert.deepEqual(
      bodies().map(({ limit }) => limit),
      [MOST_OFFERS, 7],
    );
    assert.ok(all.length > 7);
    assert.deepEqual(
      found.map(({ id }) => id),
      all.slice(0, 7).map(({ id }) => id),
    );
    await offers.search({ ...few, limit: 2000 });
    await offers.search(few, undefined, WHOLE_MARKET);
    assert.deepEqual([bodies()[2]?.limit, bodies()[3]?.limit], [2000, 7], "more than usual, and where more fit");
  });

  test("keeps nothing out of what is counted for other filters", async () => {
    const { offers, bodies } = await searching();
    await offers.readMarket(few);
    assert.deepEqual([bodies()[0]?.limit, bodies()[0]?.dlperf], [WHOLE_MARKET, undefined]);
  });

  test("holds for the page of all offers: every filter goes to the service then, as it chooses which are the cheapest", async () => {
    const window = await searching();
    const gpu = { gpu_name: { eq: "RTX 4090" } };
    const start = { ...few, filters: { ...few.filters, ...gpu } };
    const explorer = new OfferExplorer(window, window.me(), { ...start, limit: undefined });
    await explorer.read();
    assert.ok(explorer.readMarketOf("ondemand"));
    assert.equal(explorer.change(start), true, "it must be read again");
    const { offers, isCut } = await explorer.read();
    assert.equal(explorer.readMarketOf("ondemand"), undefined, "these aren't all that there are");
    const [before, now] = window.bodies();
    assert.deepEqual([before?.limit, before?.gpu_name], [MOST_EXPLORED, undefined]);
    assert.deepEqual([now?.limit, now?.gpu_name, now?.dlperf], [7, gpu.gpu_name, { gte: 2 }]);
    assert.ok(isCut && offers.length === 7 && offers.every(({ gpu_name }) => gpu_name === "RTX 4090"));
  });
});

describe("what was set is kept where other filters are", () => {
  const wanted: OfferSearch = { ...typedSearch("dlperf", "gte", "2"), limit: 7 };

  test("in the last search of a template, in a saved one, and after a reload", async () => {
    const { searches, userData } = await searching();
    const fresh = toOfferSearch({ extra_filters: { num_gpus: { eq: 1 } } });
    const mine = { ...fresh, limit: 7, filters: { ...fresh.filters, ...wanted.filters } };
    searches.remember(5, fresh, mine);
    searches.save("few", mine);
    const next = editorWindow(userData);
    await next.session.restore();
    assert.deepEqual(next.searches.getLast(5, fresh), mine);
    const { diskGb: _, ...saved } = mine;
    assert.deepEqual(next.searches.listNamed(), [{ name: "few", search: saved }]);
  });

  test("a number of offers alone is worth remembering, and one that can't be is no search", async () => {
    const { searches, userData } = await searching();
    searches.remember(undefined, anySearch, { ...anySearch, limit: 3 });
    assert.equal(searches.getLast(undefined, anySearch)?.limit, 3);
    const { diskGb: _, ...search } = anySearch;
    userData.notes.set("named-searches", [{ name: "odd", search: { ...search, limit: -1 } }]);
    assert.deepEqual(searches.listNamed(), []);
  });

  test("in a price watch, whose looks ask for it", async () => {
    const { first, search, searches, list, pass } = await withWatchingWindows();
    const watched = { ...search, limit: 3, filters: { ...search.filters, ...wanted.filters } };
    await first.priceWatches.add(first.me(), {
      search: watched,
      goal: { kind: "price", most: 0.01 },
      template: undefined,
    });
    const [entry] = await list();
    assert.deepEqual([entry?.watch.search.limit, entry?.watch.search.filters.dlperf], [3, { gte: 2 }]);
    await pass(15);
    const body = searches.at(-1) as Readonly<Record<string, unknown>>;
    assert.deepEqual([body.limit, body.dlperf], [3, { gte: 2 }]);
  });
});
