// A search: what a filter takes away, what loosening it gives, and what a template asks for.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import type { Filters } from "../../../../src/domain/offer/filter.ts";
import {
  anySearch,
  canJudgeAll,
  countMatches,
  filterOffers,
  listRelaxations,
  toOfferSearch,
  withCondition,
} from "../../../../src/domain/offer/offer-search.ts";
import { offerOf } from "../../support.ts";

const RUNS = { numRuns: 10_000 };

describe("filters over offers", () => {
  const offer = fc.record(
    {
      gpu_name: fc.constantFrom("A", "B"),
      num_gpus: fc.integer({ min: 1, max: 4 }),
      dph_total: fc.integer({ max: 5 }),
    },
    { requiredKeys: [], noNullPrototype: true },
  );
  const offers = fc
    .array(offer, { maxLength: 8 })
    .map((list) => list.map((some, at) => offerOf({ ...some, id: at + 1 })));
  const wanted = fc.record(
    {
      gpu_name: fc.record({ eq: fc.constantFrom("A", "B", "C") }),
      num_gpus: fc.record({ gte: fc.integer({ min: 0, max: 6 }) }),
      dph_total: fc.record({ lte: fc.integer({ min: -1, max: 6 }) }),
    },
    { requiredKeys: [], noNullPrototype: true },
  ) as fc.Arbitrary<Filters>;

  test("a filter less never gives fewer offers, whatever it is", () => {
    fc.assert(
      fc.property(offers, wanted, (all, search) => {
        for (const name of Object.keys(search)) {
          assert.ok(countMatches(all, withCondition(search, name, undefined)) >= countMatches(all, search));
        }
      }),
      RUNS,
    );
  });

  test("each way to loosen an empty search gives just as many offers as it says, and at least one", () => {
    fc.assert(
      fc.property(offers, wanted, (all, search) => {
        fc.pre(filterOffers(all, search).length === 0);
        const ways = listRelaxations(search, all);
        for (const { field: name, condition: instead, count } of ways) {
          assert.ok(count > 0);
          assert.equal(
            countMatches(all, withCondition(search, name, instead)),
            count,
            `${name} ${JSON.stringify(instead)}`,
          );
        }
        assert.deepEqual(
          ways.map(({ count }) => count),
          ways.map(({ count }) => count).sort((a, b) => a - b),
        );
      }),
      RUNS,
    );
  });
});

test("the search of a template: its filters over ours, its disk but never less than is rented (interface 4.3)", () => {
  const gpu_ram = { gte: 24_000 };
  assert.deepEqual(toOfferSearch({ extra_filters: undefined, recommended_disk_space: undefined }), anySearch);
  const small = toOfferSearch({ extra_filters: { gpu_ram }, recommended_disk_space: 0.5 });
  assert.deepEqual(small, { ...anySearch, filters: { verified: { eq: true }, gpu_ram }, diskGb: 8 });
  const own = toOfferSearch({ extra_filters: { verified: { in: [true, false] } }, recommended_disk_space: 40 });
  assert.deepEqual([own.filters, own.diskGb], [{ verified: { in: [true, false] } }, 40]);
});

test("a filter on a field that no offer has can't be judged; on one that only these lack, it leaves them out", () => {
  const [first, second] = [offerOf({ id: 1, gpu_name: "A" }), offerOf({ id: 2, gpu_name: "B", cuda_max_good: 12 })];
  const filters = { gpu_name: { eq: "C" }, cuda_max_good: { gte: 12 } };
  assert.deepEqual([canJudgeAll(filters, [first]), canJudgeAll(filters, [first, second])], [false, true]);
  assert.deepEqual(
    listRelaxations(filters, [first]).map(({ field }) => field),
    ["gpu_name"],
    "of the first alone, CUDA is not known to be a filter that leaves anything out",
  );
  assert.deepEqual(listRelaxations(filters, [first], [first, second]), []);
});

test("loosening a filter promises what it then gives, the smallest change first", () => {
  const offers = [0.2, 0.4, 0.9].map((dph_total, index) =>
    offerOf({ id: index + 1, dph_total, gpu_ram: 24_564, verified: index > 0 }),
  );
  const found = listRelaxations({ dph_total: { lte: 0.1 }, verified: { eq: true } }, offers);
  assert.deepEqual(found, [
    { field: "dph_total", condition: { lte: 0.4 }, count: 1 },
    { field: "dph_total", condition: undefined, count: 2 },
  ]);
});

test("places are compared by their country, as services compare them (interface 4.2)", () => {
  const offers = ["Sweden, SE", ", US", "Texas, US", undefined].map((geolocation, index) =>
    offerOf({ id: index + 1, geolocation }),
  );
  const ids = (filters: Filters) => filterOffers(offers, filters).map(({ id }) => id);
  assert.deepEqual(ids({ geolocation: { in: ["US", "CA"] } }), [2, 3]);
  assert.deepEqual(ids({ geolocation: { eq: "SE" } }), [1]);
  assert.deepEqual(ids({ geolocation: { notin: ["US"] } }), [1, 4]);
});
