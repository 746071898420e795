// Ends of instances under randomised fates keep E1 to E4 (docs/promises.md).
import assert from "node:assert/strict";
import { test } from "node:test";
import { playMany } from "../many.ts";
import { playLease } from "./lease-story.ts";

test("200 ends with faults, later ends, dead windows and closed editors: no promise is broken", async () => {
  const { launches, violations } = await playMany({ count: 200, story: playLease, atATime: 32 });
  assert.deepEqual(violations, []);
  assert.equal(launches, 200);
});
