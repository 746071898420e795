// Filters in words: they may come with somebody else's template, and what they say is what they require.
import assert from "node:assert/strict";
import { test } from "node:test";
import { describeFilters } from "../../../../src/domain/offer/filter-words.ts";

test("no value or field of a stranger's template reads like another filter", () => {
  const honest = { gpu_name: { neq: "x" }, verified: { eq: true } };
  assert.equal(describeFilters(honest), "GPU ≠ x · verified only");
  for (const filters of [{ gpu_name: { neq: "x · verified only" } }, { "GPU ≠ x · verified only": {} }])
    assert.notEqual(describeFilters(filters).trim(), describeFilters(honest));
});
