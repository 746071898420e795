// Filters in words: they may come with someone else's template, and what they say is what they require.
import assert from "node:assert/strict";
import { test } from "node:test";
import { describeFilters, describeRequirements } from "../../../../src/domain/offer/filter-words.ts";

test("no value or field of a stranger's template reads like another filter", () => {
  const honest = { gpu_name: { neq: "x" }, verified: { eq: true } };
  assert.equal(describeFilters(honest), "GPU ≠ x · verified only");
  for (const filters of [{ gpu_name: { neq: "x · verified only" } }, { "GPU ≠ x · verified only": {} }])
    assert.notEqual(describeFilters(filters).trim(), describeFilters(honest));
});

test("what a search keeps out is said as one line: its filters, on any field, and how many offers it wants", () => {
  const filters = { made_up: { gte: 5, lt: 9 }, gpu_arch: { notin: ["amd", "intel"] }, static_ip: { neq: true } };
  const words = "made_up ≥ 5 < 9 · gpu_arch ≠ amd, intel · static_ip ≠ true";
  assert.equal(describeRequirements({ filters }), words);
  assert.equal(describeRequirements({ filters: {}, limit: 20 }), "only the 20 cheapest");
  assert.equal(
    describeRequirements({ filters: { made_up: { eq: 5 } }, limit: 1 }),
    "made_up 5 · only the cheapest one",
  );
  assert.equal(describeRequirements({ filters: {} }), "");
});
