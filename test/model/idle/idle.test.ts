// Orders for idle instances under randomised fates keep I1 to I7 (test/model/README.md).
import { test } from "node:test";
import { assertKept } from "../assert-kept.ts";
import { playIdle } from "./idle-story.ts";

/** Readings that come too late on a busy machine are missing, and then nothing is idle. */
const AT_A_TIME = 2;

test("orders for idle instances with work, silence, faults and dead windows: no promise is broken", async (context) => {
  await assertKept(context, { count: 24, story: playIdle, atATime: AT_A_TIME });
});
