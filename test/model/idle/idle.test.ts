// Orders for idle instances under randomised fates keep I1 to I4 (docs/promises.md).
import assert from "node:assert/strict";
import { test } from "node:test";
import { playMany } from "../many.ts";
import { playIdle } from "./idle-story.ts";

/** Readings that come too late on a busy machine are missing, and then nothing is idle. */
const AT_A_TIME = 8;

test("60 orders for idle instances with work, silence, faults and dead windows: no promise is broken", async () => {
  const { launches, violations } = await playMany({ count: 60, story: playIdle, atATime: AT_A_TIME });
  assert.deepEqual(violations, []);
  assert.equal(launches, 60);
});
