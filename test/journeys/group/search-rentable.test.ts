// Which machines are offered for a group: none that couldn't be rented after all.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { getHourlyPrice } from "../../../src/domain/offer/offer.ts";
import { anySearch } from "../../../src/domain/offer/offer-search.ts";
import { searchRentable } from "../../../src/services/group/search-rentable.ts";
import { createIntent } from "../../../src/services/launch/intent.ts";
import { planFor } from "../editor-window.ts";
import { editorWindow, makeUserData, middleman, sandbox, signedIn } from "../support.ts";

const BASE = { search: anySearch, diskGb: 8 };

describe("a machine for a group", () => {
  test("is rented on demand, whatever the search was for, the cheapest first at the price with its disk", async () => {
    const window = await signedIn();
    const found = await searchRentable(window, window.me(), {
      search: { ...anySearch, type: "bid", sort: "reliability" },
      diskGb: 100,
    });
    const { offers } = await window.offers.search({ ...anySearch, type: "ondemand", sort: "price", diskGb: 100 });
    assert.deepEqual(
      found.slice(0, 10).map(({ id, dph_total }) => [id, dph_total]),
      offers.slice(0, 10).map(({ id, dph_total }) => [id, dph_total]),
    );
    const prices = found.map((offer) => getHourlyPrice(offer) ?? 0);
    assert.deepEqual(
      prices,
      prices.toSorted((a, b) => a - b),
    );
    assert.ok(new Set(prices).size > 10, "there is something to sort");
  });

  test("isn't offered above the person's limit", async () => {
    const everything = await signedIn();
    const all = await searchRentable(everything, everything.me(), BASE);
    const pricePerHour = getHourlyPrice(all[10] as (typeof all)[number]) ?? 0;
    const window = await signedIn({}, { limits: { pricePerHour } });
    const found = await searchRentable(window, window.me(), BASE);
    assert.deepEqual(
      found.map(({ id }) => id),
      all.filter((offer) => (getHourlyPrice(offer) ?? 0) <= pricePerHour).map(({ id }) => id),
    );
    assert.ok(found.length > 0 && found.length < all.length);
  });

  test("isn't offered again once it was tried here", async () => {
    const window = await signedIn();
    const before = await searchRentable(window, window.me(), BASE);
    const [first] = before;
    assert.ok(first);
    window.service.world.setFate(first.id, "gone");
    const { kind } = await window.rent(planFor(first), createIntent());
    assert.equal(kind, "not-rented");
    const found = await searchRentable(window, window.me(), BASE);
    assert.deepEqual(
      found.map(({ id }) => id),
      before.slice(1).map(({ id }) => id),
    );
  });

  test("isn't offered without a price", async () => {
    const service = await sandbox();
    const url = await middleman(service.url, (path, status, text) => {
      if (!path.includes("bundles")) return { status, text };
      const answer = JSON.parse(text);
      delete answer.offers[1].dph_total;
      return { status, text: JSON.stringify(answer) };
    });
    const window = editorWindow(makeUserData());
    await window.session.signIn(url, service.apiKey);
    const { offers } = await window.offers.search(anySearch);
    const unpriced = offers.filter((offer) => getHourlyPrice(offer) === undefined);
    assert.equal(unpriced.length, 1);
    const found = await searchRentable(window, window.me(), BASE);
    assert.ok(found.length > 1 && found.every((offer) => getHourlyPrice(offer) !== undefined));
  });
});
