// Ends of instances under randomised fates keep E1 to E4 (test/model/README.md).
import { test } from "node:test";
import { assertKept } from "../assert-kept.ts";
import { playAutoStop } from "./auto-stop-story.ts";

/** Fates in which an end was set for an instance that had ended before, and in which a window dies over an order. */
const SEEDS = [487, 1769, 4976, 5364, 270, 2211, 2986];

test("ends with faults, later ends, dead windows and closed editors: no promise is broken", async (context) => {
  await assertKept(context, { count: 100, seeds: SEEDS, story: playAutoStop, atATime: 32 });
});
