// What of a reviewed offer may change before it is rented, and what may not.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isOutbid, listChangedTerms } from "../../../../src/domain/launch/changed-terms.ts";
import type { Offer } from "../../../../src/domain/offer/offer.ts";
import { OFFER } from "../../support.ts";

const REVIEWED: Offer = {
  ...OFFER,
  host_id: 3,
  verified: true,
  cluster_id: 7,
  duration: 30 * 86_400,
  inet_up_cost: 0.005,
  inet_down_cost: 0.004,
};
const changed = (now: Partial<Offer>, reviewed: Partial<Offer> = {}) =>
  listChangedTerms({ ...REVIEWED, ...reviewed }, { ...REVIEWED, ...now });

test("what stayed, fell, got better, or is measured anew each time is no change", () => {
  assert.deepEqual(changed({}), []);
  assert.deepEqual(changed({ inet_up_cost: 0, inet_down_cost: 0.004 + 1e-10, storage_cost: 0.1 }), []);
  assert.deepEqual(changed({ reliability: 0.5, dlperf: 1, inet_down: 1, dph_total: 9 }), []);
  assert.deepEqual(changed({ duration: 29.5 * 86_400 }, { duration: 30 * 86_400 }), []);
  assert.deepEqual(changed({ duration: 86_400 }, { duration: 10 }), []);
  assert.deepEqual(changed({ duration: 2800 }, { duration: 3600 }), [], "some minutes may pass over a summary");
  assert.deepEqual(changed({ verified: true }, { verified: false }), []);
});

test("what was unknown was said to be, so that knowing it is no change", () => {
  const unknown = { machine_id: undefined, gpu_name: undefined, geolocation: undefined, inet_up_cost: undefined };
  assert.deepEqual(changed({ inet_up_cost: 9 }, unknown), []);
});

for (const [now, says] of [
  [{ machine_id: 9 }, "another machine"],
  [{ host_id: undefined }, "another machine"],
  [{ gpu_name: "GT 710" }, "another GPU"],
  [{ num_gpus: 1 }, "another GPU"],
  [{ gpu_ram: 2048 }, "another GPU"],
  [{ geolocation: "Antarctica" }, "another location"],
  [{ verified: false }, "no longer verified"],
  [{ verified: undefined }, "no longer verified"],
  [{ inet_up_cost: 10 }, "upload $10.00/GB instead of $0.005/GB"],
  [{ inet_up_cost: undefined }, "upload $?/GB instead of $0.005/GB"],
  [{ inet_down_cost: 0.0041 }, "download $0.0041/GB instead of $0.004/GB"],
  [{ storage_cost: 500 }, "disk $500.00/GB a month instead of $0.15"],
  [{ cluster_id: 8 }, "another cluster"],
  [{ cluster_id: undefined }, "another cluster"],
  [{ duration: 3600 }, "rental length up to 1 h instead of 30 days"],
  [{ duration: 26 * 86_400 }, "rental length up to 26 days instead of 30 days"],
  [{ duration: 0 }, "rental length up to 0 h instead of 30 days"],
  [{ duration: undefined }, "rental length up to ? instead of 30 days"],
] as const)
  test(`it is said: ${says} (${JSON.stringify(now)})`, () => assert.deepEqual(changed(now), [says]));

for (const [bid, before, now, isExpected] of [
  [0.0286, 0.0286, 0.0857, true],
  [0.03, 0.0286, 0.0301, true],
  [0.0857, 0.0286, 0.0857, false],
  [0.09, 0.0286, 0.0857, false],
  [0.02, 0.0286, 0.0857, false],
  [0.03, undefined, 0.0857, true],
  [0.03, 0.0286, undefined, false],
  [0.1 + 0.2, 0.1, 0.3, false],
] as const)
  test(`a bid of ${bid} at a minimum of ${before} is ${isExpected ? "too low" : "as it was"} at ${now}`, () =>
    assert.equal(isOutbid(bid, { min_bid: before }, { min_bid: now }), isExpected));
