// The launch protocol under randomised fates keeps P1 to P7 (docs/promises.md).
import assert from "node:assert/strict";
import { test } from "node:test";
import { playMany } from "./many.ts";

test("300 launches with faults, double clicks, second windows and kills: no promise is broken", async () => {
  const { launches, violations } = await playMany({ count: 300 });
  assert.deepEqual(violations, []);
  assert.equal(launches, 300);
});
