// Twenty thousand spoiled answers in every run of the tests; `npm run fuzz` takes a million.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readRows } from "../../../src/domain/base/wire.ts";
import { readOffer } from "../../../src/domain/offer/offer.ts";
import { fuzz } from "../../fuzz/run.ts";

test("20,000 random or mutated answers: no crash, no stray rejection, each failure a typed error naming its operation", async () => {
  const { answers, succeeded, failed, violations } = await fuzz(20_000, 20);
  assert.deepEqual(violations, []);
  assert.ok(answers >= 20_000 && succeeded > 1000 && failed > 1000);
});

test("valid rows in a partly broken list are kept, in their order", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.integer({ min: 1, max: 1e9 }), fc.anything())), (list) => {
      const records = list.map((item) =>
        typeof item === "number" && Number.isSafeInteger(item) && item > 0 ? { id: item } : item,
      );
      const good = records.flatMap((record) => {
        const id = typeof record === "object" && record !== null && "id" in record ? record.id : undefined;
        return typeof id === "number" && Number.isSafeInteger(id) && id > 0 ? [id] : [];
      });
      const kept = readRows(readOffer, records, (offer) => offer.id).rows.map((row) => Number(row.value.id));
      assert.deepEqual(
        kept.filter((id) => good.includes(id)),
        [...new Set(good)],
      );
    }),
  );
});
