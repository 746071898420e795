// Offers: their measures, and their plain reader against the same reader as a schema, field by field.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import * as z from "zod";
import { OfferId } from "../../../../src/domain/base/id.ts";
import { bool, int, num, share, str } from "../../../../src/domain/base/wire.ts";
import { describeCondition } from "../../../../src/domain/offer/filter-words.ts";
import {
  calculateGpuPrice,
  calculateVramPrice,
  readOffer,
  toVramGb,
  toVramMb,
} from "../../../../src/domain/offer/offer.ts";
import { offerOf } from "../../support.ts";

const KINDS = {
  machine_id: int,
  host_id: int,
  cluster_id: int,
  gpu_name: str,
  num_gpus: int,
  gpu_ram: num,
  dph_total: num,
  min_bid: num,
  reliability: share,
  reliability2: share,
  verified: bool,
  verification: str,
  rentable: bool,
  cuda_max_good: num,
  cpu_name: str,
  cpu_cores_effective: num,
  cpu_ram: num,
  disk_space: num,
  storage_cost: num,
  inet_up: num,
  inet_down: num,
  inet_up_cost: num,
  inet_down_cost: num,
  geolocation: str,
  duration: num,
  direct_port_count: int,
  dlperf: num,
  total_flops: num,
};
const Schema = z.object({ id: OfferId, ...KINDS }).transform(({ reliability2, verification, ...offer }) => ({
  ...offer,
  reliability: offer.reliability ?? reliability2,
  verified: offer.verified ?? (verification === undefined ? undefined : verification === "verified"),
}));

const present = (value: object | undefined) =>
  value && Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined));

const anyField = fc.oneof(
  fc.constantFrom(null, undefined, true, false, 0, -0, -1, 1.5, 2 ** 53, Number.NaN, Infinity, "", "12", "verified"),
  fc.integer(),
  fc.double(),
  fc.string(),
  fc.anything(),
);
const record = fc.record(
  {
    id: fc.oneof(fc.integer({ min: 1 }), fc.maxSafeNat().map(String), anyField),
    ...Object.fromEntries(Object.keys(KINDS).map((name) => [name, anyField])),
  },
  { requiredKeys: [] },
);

describe("offers", () => {
  const offer = offerOf({
    id: 1,
    num_gpus: 2,
    gpu_ram: 24_564,
    dph_total: 1.2,
    verification: "verified",
    reliability2: 0.9,
  });
  test("prices by every measure", () => {
    assert.equal(calculateGpuPrice(offer), 0.6);
    assert.equal(toVramGb(24_564), 24);
    assert.equal(toVramGb(81_559), 80);
    assert.deepEqual([24, 80, 999].map(toVramGb), [24, 80, 999], "some services send GB");
    assert.equal(calculateVramPrice(offer)?.toFixed(6), "0.025000");
  });
  test("say of hosts that are verified what a template asks, also where it asks that in another way", () => {
    assert.equal(describeCondition("verified", { eq: true }), "verified only");
    assert.equal(describeCondition("verified", { eq: false }), "unverified only");
    assert.equal(describeCondition("verified", {}), "verified or not");
    assert.equal(describeCondition("verified", { neq: true }), "verified ≠ true");
    assert.equal(describeCondition("verified", { in: [true] }), "verified true");
    assert.equal(describeCondition("verified", { eq: "any" }), "verified any");
  });

  test("GB typed are sent so that every card sold with them is found, and none of the next smaller size", () => {
    const cards = [
      [11, 11_264],
      [12, 12_288],
      [12, 11_441],
      [16, 15_109],
      [16, 15_360],
      [24, 24_564],
      [24, 23_028],
      [48, 45_634],
      [48, 46_068],
      [80, 81_559],
      [141, 143_771],
    ] as const;
    for (const [gb, mb] of cards) {
      assert.equal(toVramGb(mb), gb);
      assert.ok(toVramMb(gb) <= mb);
      for (const [other, least] of cards) assert.ok(other <= gb || toVramMb(other) > mb, `${least}`);
    }
    assert.equal(describeCondition("gpu_ram", { gte: toVramMb(24) }), "VRAM ≥ 24 GB");
    assert.equal(describeCondition("gpu_ram", { gte: 24_000 }), "VRAM ≥ 24 GB");
    assert.equal(describeCondition("gpu_ram", { lte: 24_576 }), "VRAM ≤ 24 GB");
  });
  test("verified and reliability have aliases", () =>
    assert.deepEqual([offer.verified, offer.reliability], [true, 0.9]));
  test("a reliability beyond 100 % is none, however much a limit asks for", () => {
    for (const reliability of [-1, 1.01, 99.5, 1e308])
      assert.equal(offerOf({ id: 1, reliability }).reliability, undefined);
    assert.equal(offerOf({ id: 1, reliability: 99.5, reliability2: 0.995 }).reliability, 0.995);
  });
  test("a number that is written as text is one", () => {
    const { dph_total, cuda_max_good, reliability } = offerOf({
      ...{ id: 1, dph_total: "0.3", cuda_max_good: "13.0", reliability: "0.99" },
    });
    assert.deepEqual([dph_total, cuda_max_good, reliability], [0.3, 13, 0.99]);
  });
  test("an incredible price is no price", () => {
    for (const dph_total of [0, -1, Number.NaN, 1e308, "0,3", "$0.3", "1e-3", "", null])
      assert.equal(calculateGpuPrice(offerOf({ id: 1, num_gpus: 1, dph_total })), undefined);
  });
});

test("10,000 records: the reader and the schema agree on every field and on what is no offer", () => {
  fc.assert(
    fc.property(fc.oneof({ weight: 20, arbitrary: record }, { weight: 1, arbitrary: fc.anything() }), (value) => {
      assert.deepEqual(present(readOffer(value)), present(Schema.safeParse(value).data));
    }),
    { numRuns: 10_000 },
  );
});

test("every field of the schema is one the reader keeps, beside the two that are aliases", () => {
  const { reliability2, verification, ...kept } = KINDS;
  assert.ok(reliability2 && verification);
  assert.deepEqual(Object.keys(readOffer({ id: 1 }) ?? {}).sort(), ["id", ...Object.keys(kept)].sort());
});
