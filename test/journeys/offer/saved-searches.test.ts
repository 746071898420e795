// What is remembered of searches for offers, and which offers the person's limits rule out in a list.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { anySearch, type OfferSearch } from "../../../src/domain/offer/offer-search.ts";
import { createIntent } from "../../../src/services/launch/intent.ts";
import { planFor } from "../editor-window.ts";
import { cheapest, editorWindow, sandbox, signedIn } from "../support.ts";

const LARGE: OfferSearch = { ...anySearch, filters: { gpu_ram: { gte: 24_000 } }, sort: "gpuPrice", type: "bid" };

describe("the last search of a template", () => {
  test("comes back with the disk of the new launch, after a reload as well, and only for that template", async () => {
    const { searches, userData } = await signedIn();
    assert.equal(searches.getLast(5, anySearch), undefined);
    searches.remember(5, anySearch, LARGE);
    const next = editorWindow(userData);
    await next.session.restore();
    assert.deepEqual(next.searches.getLast(5, { ...anySearch, diskGb: 80 }), { ...LARGE, diskGb: 80 });
    assert.equal(next.searches.getLast(6, anySearch), undefined);
    assert.equal(next.searches.getLast(undefined, anySearch), undefined);
  });

  test("is forgotten once the template asks for other machines, or nothing was changed", async () => {
    const { searches } = await signedIn();
    searches.remember(5, anySearch, LARGE);
    assert.equal(searches.getLast(5, { ...anySearch, filters: { num_gpus: { eq: 2 } } }), undefined);
    searches.remember(5, anySearch, { ...anySearch, diskGb: 99 });
    assert.equal(searches.getLast(5, anySearch), undefined);
  });

  test("means nothing at another service, and no filters are too large or too odd to be left out", async () => {
    const { searches, userData } = await signedIn();
    searches.remember(5, anySearch, LARGE);
    const { url, apiKey } = await sandbox();
    const other = editorWindow(userData);
    await other.session.signIn(url, apiKey);
    assert.equal(other.searches.getLast(5, anySearch), undefined);
    other.searches.remember(5, anySearch, { ...LARGE, filters: { gpu_name: { in: ["A".repeat(9000)] } } });
    assert.equal(other.searches.getLast(5, anySearch), undefined);
    assert.deepEqual(searches.getLast(5, anySearch), LARGE);
    userData.notes.set("last-searches", [{ about: 1 }, null, "x"]);
    userData.notes.set("named-searches", { length: 3 });
    assert.deepEqual([searches.getLast(5, anySearch), searches.listNamed()], [undefined, []]);
  });
});

test("no search is dropped for a new one: there is room for fifty", async () => {
  const { searches } = await signedIn();
  for (let at = 0; at < 50; at += 1) {
    assert.ok(searches.hasRoom(`search ${at}`));
    searches.save(`search ${at}`, anySearch);
  }
  assert.deepEqual([searches.hasRoom("one more"), searches.hasRoom("search 3")], [false, true]);
  assert.equal(searches.listNamed().length, 50);
});

test("a search is saved under a name, replaced by one of the same name, and removed", async () => {
  const { searches } = await signedIn();
  searches.save("b", anySearch);
  searches.save("a", LARGE);
  searches.save("b", LARGE);
  assert.deepEqual(
    searches.listNamed().map(({ name, search }) => [name, search.type]),
    [
      ["a", "bid"],
      ["b", "bid"],
    ],
  );
  searches.remove("a");
  assert.deepEqual(
    searches.listNamed().map(({ name }) => name),
    ["b"],
  );
  for (let at = 0; at < 60; at += 1) searches.save(`n${at}`, LARGE);
  assert.equal(searches.listNamed().length, 50);
});

describe("a list of offers knows the person's limits", () => {
  test("by what is rented when it is read", async () => {
    const limits: { instances?: number; pricePerHour?: number } = {};
    const window = await signedIn({}, { limits });
    await window.rent(planFor(await cheapest(window)), createIntent());
    const terms = { offer: await cheapest(window, 3), type: "ondemand", bid: undefined, diskGb: 8 } as const;
    assert.equal((await window.offerLimits.read(window.me()))(terms), undefined);
    limits.instances = 1;
    assert.equal((await window.offerLimits.read(window.me()))(terms)?.limit, "instances");
    limits.instances = 2;
    limits.pricePerHour = 0.0001;
    assert.equal((await window.offerLimits.read(window.me()))(terms)?.limit, "pricePerHour");
  });

  test("and leaves to the launch what can't be read now", async () => {
    const limits = { instances: 1, pricePerHour: 0.0001 };
    const window = await signedIn({}, { limits });
    await window.rent(planFor(await cheapest(window)), createIntent());
    const offer = await cheapest(window, 3);
    await window.service.stop();
    const find = await window.offerLimits.read(window.me());
    const terms = { offer, type: "ondemand", bid: undefined, diskGb: 8 } as const;
    assert.equal(find(terms)?.limit, "pricePerHour");
    assert.equal(find({ ...terms, offer: { ...offer, dph_total: 0.00001 } }), undefined);
  });
});
