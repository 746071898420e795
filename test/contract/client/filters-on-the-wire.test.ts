// Filters as the service gets them: a thousand of them, through the query and the body of real requests.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import fc from "fast-check";
import { Filters, OPERATORS } from "../../../src/domain/offer/filter.ts";
import { readFilters } from "../../../src/sandbox/base/filters.ts";
import { recorder } from "../support/recorder.ts";

const RUNS = { numRuns: 1000 };
const service = await recorder();
after(() => service.stop());

/** Texts with what a query could lose: ampersands, plus signs, percent signs, blanks, quotes, breaks, half characters. */
const text = fc.string({
  unit: fc.oneof(fc.constantFrom(..."&+%= #?\"'\\\n\0é漢🚀\ud800"), fc.constantFrom("%2B", "a")),
});
const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
const scalar = fc.oneof(text, number, fc.boolean());
const condition = fc
  .uniqueArray(fc.constantFrom(...OPERATORS), { minLength: 1 })
  .chain((operators) =>
    fc.tuple(
      ...operators.map((operator) =>
        fc.tuple(fc.constant(operator), operator === "in" || operator === "notin" ? fc.array(scalar) : scalar),
      ),
    ),
  )
  .map((entries) => Object.fromEntries(entries));
/** Keys of a search that are no filters. */
const SPECIAL = new Set(["__proto__", "type", "limit", "order", "allocated_storage"]);
// Once an object with the key `a\\` was made, JSON.parse of some versions of V8 reads the key `a"` as that one.
const field = fc
  .oneof(fc.constantFrom("gpu_ram", "constructor", "hash_id"), text)
  .filter((name) => !SPECIAL.has(name) && !name.includes("\\"));
const filters = fc
  .array(fc.tuple(field, condition), { maxLength: 4 })
  .map((entries) => Filters.parse(Object.fromEntries(entries)));

test("select_filters of a template search decodes to exactly the filters given", async () => {
  service.answer(200, { templates: [] });
  await fc.assert(
    fc.asyncProperty(filters, async (wanted) => {
      await service.client.searchTemplates(wanted);
      const { searchParams } = new URL(service.requests.pop()?.line.split(" ")[1] ?? "", "http://localhost");
      assert.deepEqual([...searchParams.keys()], ["select_filters"]);
      assert.deepEqual(JSON.parse(searchParams.get("select_filters") ?? ""), wanted);
    }),
    RUNS,
  );
});

test("the body of an offer search is exactly the filters given beside its other keys", async () => {
  service.answer(200, { offers: [] });
  await fc.assert(
    fc.asyncProperty(filters, async (wanted) => {
      await service.client.searchOffers({ ...wanted, type: "bid", limit: 3 });
      assert.deepEqual(JSON.parse(service.requests.pop()?.body ?? ""), { ...wanted, type: "bid", limit: 3 });
    }),
    RUNS,
  );
});

test("what the client sends the sandbox reads as the same filters, where the kinds fit", async () => {
  service.answer(200, { templates: [] });
  const numbers = fc.record({ lte: number, in: fc.array(number) }, { requiredKeys: ["lte"], noNullPrototype: true });
  const words = fc.record({ eq: text, notin: fc.array(text) }, { requiredKeys: ["eq"], noNullPrototype: true });
  await fc.assert(
    fc.asyncProperty(fc.record({ id: numbers, name: words }, { noNullPrototype: true }), async (wanted) => {
      await service.client.searchTemplates(wanted);
      const { searchParams } = new URL(service.requests.pop()?.line.split(" ")[1] ?? "", "http://localhost");
      const got = readFilters(JSON.parse(searchParams.get("select_filters") ?? ""), { id: "number", name: "string" });
      assert.deepEqual(got, wanted);
    }),
    RUNS,
  );
});
