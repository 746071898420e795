// The page of offers without a browser: what arrives from the service, what is asked for again, and what becomes of the offer that
// someone wants to review.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { emptyDraft, withOffer } from "../../../src/domain/launch/launch-draft.ts";
import { anySearch, MOST_EXPLORED, type OfferSearch } from "../../../src/domain/offer/offer-search.ts";
import { judgeTable } from "../../../src/domain/offer/table/filter-table.ts";
import { OfferTable, toOfferTable } from "../../../src/domain/offer/table/offer-table.ts";
import { createInstance } from "../../../src/sandbox/handlers/create-instance.ts";
import { getLast } from "../../../src/services/core/loaded.ts";
import type { Reviewer } from "../../../src/services/launch/review-launch.ts";
import { OfferExplorer } from "../../../src/services/offer/offer-explorer.ts";
import { saveFilters } from "../../../src/services/template/save-filters.ts";
import { pass as forward, middleman, sandbox, serve, signedIn } from "../support.ts";

const SEARCH: OfferSearch = { ...anySearch, diskGb: 40 };

async function explore(start = SEARCH, options: Parameters<typeof signedIn>[0] = {}) {
  const window = await signedIn(options);
  const explorer = new OfferExplorer(window, window.me(), start);
  const searches = () => window.lines.filter(({ path }) => path === "/api/v0/bundles/");
  return { ...window, explorer, searches };
}

describe("all offers", () => {
  test("ten thousand of them arrive in one response, with the disk in every price", async () => {
    const { explorer, searches, service } = await explore(SEARCH, { offers: 10_750 });
    const { offers, unreadable, isCut } = await explorer.read();
    const rentable = service.world.offers.filter((one) => service.world.isRentable(one) && one.machine.disk >= 40);
    assert.ok(rentable.length >= 9_900, `${rentable.length}`);
    assert.deepEqual([offers.length, unreadable, isCut], [rentable.length, 0, false]);
    assert.equal(searches().length, 1);
    assert.deepEqual(
      [searches()[0]?.body].map((body) => {
        const { allocated_storage, limit, verified } = body as Record<string, unknown>;
        return { allocated_storage, limit, verified };
      }),
      // The filters of the page are its own to judge.
      [{ allocated_storage: 40, limit: MOST_EXPLORED, verified: { in: [true, false] } }],
    );
    const table = toOfferTable(offers);
    assert.equal(OfferTable.safeParse(structuredClone(table)).success, true, "as it is sent to the page");
    const verified = judgeTable(table, explorer.search.filters).rows.length;
    assert.equal(verified, offers.filter((offer) => offer.verified).length);
  });

  test("are read again for another rental type, disk or filter that only the service can judge, and for no other", async () => {
    const { explorer, searches } = await explore();
    await explorer.read();
    const change = (search: Partial<OfferSearch>) => explorer.change({ ...explorer.search, ...search });
    assert.equal(change({ filters: { gpu_name: { eq: "RTX 4090" }, num_gpus: { gte: 2 } } }), false);
    assert.equal(change({ sort: "reliability" }), false);
    assert.equal(change({ diskGb: 80 }), true);
    assert.equal(change({ type: "bid" }), true);
    assert.equal(change({ filters: { gpu_name: { eq: "RTX 4090" }, compute_cap: { gte: 890 } } }), true);
    const { offers } = await explorer.read();
    assert.ok(offers.some(({ gpu_name }) => gpu_name !== "RTX 4090"));
    const body = searches().at(-1)?.body as Record<string, unknown>;
    assert.deepEqual(
      { cap: body.compute_cap, type: body.type, disk: body.allocated_storage, gpu: body.gpu_name },
      { cap: { gte: 890 }, type: "bid", disk: 80, gpu: undefined },
    );
  });

  test("of a search that was changed meanwhile are dropped", async () => {
    const { explorer } = await explore();
    const reading = explorer.read();
    explorer.change({ ...SEARCH, type: "bid" });
    await assert.rejects(reading, { kind: "cancelled" });
    assert.equal(explorer.readMarketOf("bid"), undefined);
    await explorer.read();
    assert.ok((explorer.readMarketOf("bid") ?? []).length > 0);
    assert.equal(explorer.readMarketOf("ondemand"), undefined);
  });

  test("that arrive after others that were asked for later aren't those that the page shows", async () => {
    const { url, apiKey } = await sandbox({ offers: 50 });
    const [isAsked, mayArrive] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let searches = 0;
    const slow = await serve(async (request, body) => {
      if (request.url !== "/api/v0/bundles/") return await forward(url, request, body);
      searches += 1;
      if (searches > 1) return await forward(url, request, body);
      isAsked.resolve();
      await mayArrive.promise;
      return { status: 200, text: '{"offers":[{"id":1}]}' };
    });
    const window = await signedIn();
    await window.session.signIn(slow, apiKey);
    const explorer = new OfferExplorer(window, window.me(), SEARCH);
    const early = explorer.read();
    await isAsked.promise;
    const { offers } = await explorer.read();
    mayArrive.resolve();
    await assert.rejects(early, { kind: "cancelled" });
    const [shown] = offers;
    assert.ok(shown);
    assert.equal(explorer.find(shown.id).offer.id, shown.id);
  });

  test("are no market to count other filters in, if only the service could judge one", async () => {
    const { explorer } = await explore();
    const { offers } = await explorer.read();
    assert.equal(explorer.readMarketOf("ondemand")?.length, offers.length);
    explorer.change({ ...SEARCH, filters: { compute_cap: { gte: 1000 } } });
    assert.ok((await explorer.read()).offers.length < offers.length);
    assert.equal(explorer.readMarketOf("ondemand"), undefined);
  });

  test("that can't be read are counted, and a service that fails says so", async () => {
    const { url, apiKey } = await sandbox({ offers: 300 });
    const spoiling = await middleman(url, (path, status, text) => {
      if (path !== "/api/v0/bundles/") return { status, text };
      const { offers, ...rest } = JSON.parse(text) as { offers: object[] };
      return { status, text: JSON.stringify({ ...rest, offers: [{ id: "x" }, null, ...offers] }) };
    });
    const window = await signedIn();
    await window.session.signIn(spoiling, apiKey);
    const explorer = new OfferExplorer(window, window.me(), SEARCH);
    const { unreadable, offers } = await explorer.read();
    assert.equal(unreadable, 2);
    assert.ok(offers.length > 200);
  });
});

describe("an offer that is reviewed", () => {
  test("is read again and goes through the ordinary summary, with its disk and its price", async () => {
    const { explorer, review, me, lines } = await explore();
    const { offers } = await explorer.read();
    const [cheapest] = offers;
    assert.ok(cheapest);
    const { offer, search } = await explorer.recheck(cheapest.id);
    assert.equal(offer.id, cheapest.id);
    const draft = withOffer({ ...emptyDraft, image: "pytorch/pytorch", runtype: "ssh_direct" }, offer, search);
    const shown: unknown[] = [];
    const person: Pick<Reviewer, "showSummary"> = {
      showSummary: async ({ offer: planned, diskGb, type }) => {
        shown.push([planned.id, diskGb, type, planned.dph_total]);
        return undefined;
      },
    };
    assert.equal(await review.review(me(), person as Reviewer, draft), undefined);
    assert.deepEqual(shown, [[cheapest.id, 40, "ondemand", cheapest.dph_total]]);
    assert.ok(
      lines.every(({ method }) => method !== "PUT"),
      "a summary that is left rents nothing",
    );
  });

  test("must be one that the page was shown", async () => {
    const { explorer, searches } = await explore();
    await assert.rejects(explorer.recheck(1), { kind: "rejected" });
    const { offers } = await explorer.read();
    const before = searches().length;
    await assert.rejects(explorer.recheck(offers.length + 10 ** 9), { kind: "rejected" });
    assert.equal(searches().length, before, "nobody asks the service for it");
  });

  test("may be gone by then", async () => {
    const { explorer, service } = await explore();
    const { offers } = await explorer.read();
    const taken = offers.find(({ disk_space = 0 }) => disk_space > 100);
    assert.ok(taken);
    createInstance(service.world, taken.id, { image: "a/b", runtype: "ssh" });
    await assert.rejects(explorer.recheck(taken.id), { kind: "gone" });
  });

  test("is refused once another account is signed in, before and after it was read", async () => {
    const { explorer, session } = await explore();
    const { offers } = await explorer.read();
    const id = offers[0]?.id ?? 0;
    const other = await sandbox({ seed: 2 });
    const reading = explorer.recheck(id);
    const signingIn = session.signIn(other.url, other.apiKey);
    await Promise.allSettled([reading, signingIn]);
    await assert.rejects(explorer.recheck(id), { kind: "rejected", facts: { notSent: true } });
    await assert.rejects(explorer.read(), { kind: "rejected" });
    assert.throws(() => explorer.find(id), { kind: "rejected" });
  });
});

describe("filters in a template", () => {
  test("replace its machine search and nothing else of it", async () => {
    const { saves, templates, me, lines } = await explore();
    await templates.collection.refresh();
    const row = getLast(templates.collection.store.current)?.value.own[0];
    assert.ok(row);
    const filters = { gpu_name: { in: ["RTX 4090"] }, num_gpus: { gte: 2 } };
    const outcome = await saveFilters(saves, me(), row, filters);
    assert.equal(outcome.kind, "saved");
    const sent = lines.findLast(({ method, path }) => method === "PUT" && path === "/api/v0/template/");
    assert.deepEqual(Object.keys(sent?.body ?? {}).sort(), ["extra_filters", "hash_id"]);
    const again = await saveFilters(saves, me(), row, {});
    assert.equal(again.kind, "changed", "the person saw an older one");
  });

  test("aren't saved in another account", async () => {
    const { saves, templates, me, session, lines } = await explore();
    await templates.collection.refresh();
    const row = getLast(templates.collection.store.current)?.value.own[0];
    assert.ok(row);
    const account = me();
    const other = await sandbox({ seed: 2 });
    await session.signIn(other.url, other.apiKey);
    await assert.rejects(saveFilters(saves, account, row, {}), { kind: "rejected", facts: { notSent: true } });
    assert.ok(lines.every(({ method }) => method !== "PUT"));
  });
});
