// What a plan costs, and the request it becomes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type LaunchPlan, launchRequest, planPrice } from "../../../../src/domain/launch/launch-plan.ts";
import { OFFER, TEMPLATE } from "../../support.ts";

const PLAN: LaunchPlan = {
  offer: OFFER,
  type: "ondemand",
  template: undefined,
  image: undefined,
  runtype: undefined,
  diskGb: 72,
  label: "mine",
  bid: undefined,
};
const BID: LaunchPlan = { ...PLAN, type: "bid", bid: 0.4 };

test("an on-demand price includes the disk, a bid's disk is extra, and no part is guessed", () => {
  assert.equal(planPrice(PLAN), 0.8);
  assert.equal(planPrice({ ...PLAN, bid: 0.4 }), 0.8, "a bid means nothing on demand");
  assert.equal(planPrice(BID), 0.4 + (0.15 * 72) / 720);
  assert.equal(planPrice({ ...BID, bid: undefined }), undefined);
  assert.equal(planPrice({ ...BID, bid: Number.NaN }), undefined);
  assert.equal(planPrice({ ...BID, offer: { ...OFFER, storage_cost: undefined } }), undefined);
  assert.equal(planPrice({ ...BID, offer: { ...OFFER, storage_cost: -1 } }), undefined);
  assert.equal(planPrice({ ...BID, offer: { ...OFFER, storage_cost: 0 } }), 0.4);
});

test("the request holds what was chosen, and nothing that was not", () => {
  const always = { disk: 72, label: "token mine", target_state: "running" };
  assert.deepEqual(launchRequest(PLAN, "token mine"), { ...always, cancel_unavail: true });
  assert.deepEqual(launchRequest({ ...PLAN, bid: 0.4 }, "token mine"), { ...always, cancel_unavail: true });
  assert.deepEqual(launchRequest(BID, "token mine"), { ...always, price: 0.4 });
  assert.deepEqual(launchRequest({ ...BID, bid: undefined }, "token mine"), always);
  assert.deepEqual(launchRequest({ ...BID, image: "a/b", runtype: "ssh" }, "token mine"), {
    ...always,
    image: "a/b",
    runtype: "ssh",
    price: 0.4,
  });
  assert.deepEqual(launchRequest({ ...PLAN, template: TEMPLATE }, "token mine"), {
    ...always,
    template_hash_id: "abc123",
    cancel_unavail: true,
  });
});
