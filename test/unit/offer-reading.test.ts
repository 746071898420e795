// The plain reader of offers against the same reader as a schema: field by field, good records and bad ones.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import * as z from "zod";
import { OfferId } from "../../src/domain/base/id.ts";
import { bool, int, num, str } from "../../src/domain/base/wire.ts";
import { readOffer } from "../../src/domain/offer/offer.ts";

const KINDS = {
  machine_id: int,
  host_id: int,
  gpu_name: str,
  num_gpus: int,
  gpu_ram: num,
  dph_total: num,
  min_bid: num,
  reliability: num,
  reliability2: num,
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
