// What is tidied away was written thirty days before the newest of its folder, whatever this computer's clock says.
import assert from "node:assert/strict";
import { test } from "node:test";
import { findTidyLimit } from "../../../../../src/services/core/book/tidy-limit.ts";

const DAY = 86_400_000;

test("thirty days before the newest", () => {
  assert.equal(findTidyLimit([50 * DAY, 90 * DAY, 70 * DAY]), 60 * DAY);
  assert.equal(findTidyLimit(new Set([40 * DAY])), 10 * DAY);
});

test("nothing is old where nothing was written", () => assert.equal(findTidyLimit([]), Number.NEGATIVE_INFINITY));
