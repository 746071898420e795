// What of a reviewed offer may change before it is rented, and what may not.
import assert from "node:assert/strict";
import { test } from "node:test";
import { listChangedTerms } from "../../../../src/domain/launch/changed-terms.ts";
import type { Offer } from "../../../../src/domain/offer/offer.ts";
import { OFFER } from "../../support.ts";

const REVIEWED: Offer = { ...OFFER, host_id: 3, verified: true, inet_up_cost: 0.005, inet_down_cost: 0.004 };
const changed = (now: Partial<Offer>, reviewed: Partial<Offer> = {}) =>
  listChangedTerms({ ...REVIEWED, ...reviewed }, { ...REVIEWED, ...now });

test("what stayed, fell, got better, or is measured anew each time is no change", () => {
  assert.deepEqual(changed({}), []);
  assert.deepEqual(changed({ inet_up_cost: 0, inet_down_cost: 0.004 + 1e-10, storage_cost: 0.1 }), []);
  assert.deepEqual(changed({ reliability: 0.5, duration: 10, dlperf: 1, inet_down: 1, dph_total: 9 }), []);
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
] as const)
  test(`it is said: ${says} (${JSON.stringify(now)})`, () => assert.deepEqual(changed(now), [says]));
