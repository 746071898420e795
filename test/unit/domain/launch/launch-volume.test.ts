// What a new volume costs by the hour.
import assert from "node:assert/strict";
import { test } from "node:test";
import { HOURS_PER_MONTH } from "../../../../src/domain/base/money.ts";
import { calculateVolumePrice } from "../../../../src/domain/launch/launch-volume.ts";

test("so many GB at the offer's price for a month; unknown if the offer doesn't say, or says nonsense", () => {
  assert.equal(calculateVolumePrice({ id: 1, storage_cost: 0.1 }, 50), 5 / HOURS_PER_MONTH);
  assert.equal(calculateVolumePrice({ id: 1, storage_cost: 0 }, 50), 0);
  assert.equal(calculateVolumePrice({ id: 1 }, 50), undefined);
  assert.equal(calculateVolumePrice({ id: 1, storage_cost: -0.1 }, 50), undefined);
});
