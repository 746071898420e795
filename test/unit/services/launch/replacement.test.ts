// Which machine may stand in for a dead one, and what the person's settings allow without a question.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { LaunchPlan } from "../../../../src/domain/launch/launch-plan.ts";
import type { Offer } from "../../../../src/domain/offer/offer.ts";
import { anySearch, type OfferSearch } from "../../../../src/domain/offer/offer-search.ts";
import { findReplacement, isWithinPolicy } from "../../../../src/services/launch/replacement.ts";
import { OFFER, offerOf, PLAN } from "../../support.ts";

const other = (fields: Readonly<Record<string, unknown>> = {}): Offer =>
  offerOf({ id: 9, machine_id: 10, gpu_name: "RTX 4090", num_gpus: 2, dph_total: 0.9, disk_space: 50, ...fields });

/** The replacement found in a market of these offers, and the searches that were made. */
async function found(offers: readonly Offer[], plan = PLAN, tried: readonly number[] = []) {
  const searches: OfferSearch[] = [];
  const market = {
    search: async (search: OfferSearch) => {
      searches.push(search);
      return { offers, unreadable: 0 };
    },
  };
  const search: OfferSearch = { ...anySearch, sort: "reliability", filters: { gpu_ram: { gte: 1 } } };
  const next = await findReplacement(market, new Set(tried), { plan, search });
  return { next, searches };
}

describe("a replacement", () => {
  test("is the first offer of the same search by price, with the plan's disk", async () => {
    const { next, searches } = await found([other(), other({ id: 11, machine_id: 12 })]);
    assert.deepEqual(searches, [{ ...anySearch, sort: "price", diskGb: 50, filters: { gpu_ram: { gte: 1 } } }]);
    assert.deepEqual(next, { ...PLAN, offer: other() });
  });

  test("has the same GPUs, a disk large enough, and another machine that wasn't tried", async () => {
    for (const fields of [
      { gpu_name: "RTX 3090" },
      { num_gpus: 1 },
      { disk_space: 49.9 },
      { machine_id: OFFER.machine_id },
    ])
      assert.equal((await found([other(fields)])).next, undefined, JSON.stringify(fields));
    assert.equal((await found([other()], PLAN, [9])).next, undefined);
    assert.equal((await found([])).next, undefined);
    for (const fields of [{ disk_space: undefined }, { machine_id: undefined }])
      assert.equal((await found([other(fields)])).next?.offer.id, 9, JSON.stringify(fields));
    const unnamed = { ...PLAN, offer: { ...OFFER, machine_id: undefined } };
    assert.equal((await found([other({ machine_id: undefined })], unnamed)).next?.offer.id, 9);
  });

  test("in an overlay network is in the same cluster, which must be known", async () => {
    const inCluster = (cluster: number | undefined): LaunchPlan => ({
      ...PLAN,
      overlay: "mine",
      offer: { ...OFFER, cluster_id: cluster },
    });
    const place = async (other: Offer, plan: LaunchPlan) => (await found([other], plan)).next?.offer.id;
    assert.equal(await place(other({ cluster_id: 7 }), inCluster(7)), 9);
    assert.equal(await place(other({ cluster_id: 8 }), inCluster(7)), undefined);
    assert.equal(await place(other(), inCluster(7)), undefined);
    assert.equal(await place(other(), inCluster(undefined)), undefined);
    assert.equal(await place(other({ cluster_id: 8 }), { ...inCluster(7), overlay: undefined }), 9);
  });

  test("of a machine that has the launch's volume is none: no other one has it", async () => {
    const bound = { ...PLAN, volumeMachine: OFFER.machine_id };
    assert.equal((await found([other()], bound)).next, undefined);
    const volume_info = { create_new: true, volume_id: 1, size: 10, mount_path: "/data" };
    const unbound = { ...PLAN, configuration: { volume_info }, volumeMachine: undefined };
    assert.equal((await found([other()], unbound)).next, undefined, "nobody knows which machine it is on");
    const free = { ...PLAN, configuration: { volume_info: { volume_id: 1, mount_path: "/data" } } };
    assert.deepEqual((await found([other()], free)).next, { ...free, offer: other() });
  });

  test("raises a bid to what its machine asks for, and never lowers it", async () => {
    const bid: LaunchPlan = { ...PLAN, type: "bid", bid: 0.3 };
    assert.equal((await found([other({ min_bid: 0.4 })], bid)).next?.bid, 0.4);
    assert.equal((await found([other({ min_bid: 0.2 })], bid)).next?.bid, 0.3);
    assert.equal((await found([other()], bid)).next?.bid, 0.3);
  });
});

describe("without a question", () => {
  const POLICY = { automatic: true, priceRise: 0.25, tries: 2 };
  const plan = (price: number | undefined): LaunchPlan => ({ ...PLAN, offer: { ...OFFER, dph_total: price } });

  test("a machine may cost as much more as the settings say, counted from the first one", () => {
    assert.ok(isWithinPolicy(POLICY, { price: 0.8, tries: 0 }, plan(1)));
    assert.ok(isWithinPolicy(POLICY, { price: 0.8, tries: 1 }, plan(1 + 1e-9)), "a rounding error is no rise");
    assert.ok(!isWithinPolicy(POLICY, { price: 0.8, tries: 1 }, plan(1.001)));
    assert.ok(isWithinPolicy(POLICY, { price: 0.8, tries: 1 }, plan(0.1)));
  });

  test("nothing is allowed that is unknown, after the last try, or at all where it is off", () => {
    assert.ok(!isWithinPolicy(POLICY, { price: undefined, tries: 0 }, plan(1)));
    assert.ok(!isWithinPolicy(POLICY, { price: 0.8, tries: 0 }, plan(undefined)));
    assert.ok(!isWithinPolicy(POLICY, { price: 0.8, tries: 2 }, plan(0.1)));
    assert.ok(!isWithinPolicy({ ...POLICY, automatic: false }, { price: 0.8, tries: 0 }, plan(0.1)));
  });
});
