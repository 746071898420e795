// Dates and ages in words.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { formatAge, formatDate } from "../../../../src/present/base/when.ts";

const NOW = 1_800_000_000_000;

describe("dates", () => {
  test("are said where they are dates, and left out where they are not", () => {
    for (const none of [undefined, 0, -5, 1e308, Number.NaN]) {
      assert.equal(formatDate(none), undefined);
      assert.equal(formatAge(none, NOW), undefined);
    }
    assert.equal(formatAge(NOW / 1000 - 90, NOW), "2 min");
    assert.equal(formatAge(NOW / 1000 - 5 * 3600, NOW), "5 h");
    assert.equal(formatAge(NOW / 1000 - 64 * 86_400, NOW), "64 days");
    assert.equal(formatAge(NOW / 1000 + 60, NOW), "0 min", "a clock that runs wrong by a minute");
    assert.equal(formatAge(NOW / 1000 + 90_000, NOW), undefined);
  });
});
