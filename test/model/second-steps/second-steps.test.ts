// Second steps under randomised fates keep E7 to E10 (test/model/README.md).
import { test } from "node:test";
import { assertKept } from "../assert-kept.ts";
import { playSecondStep } from "./second-step-story.ts";

test("second steps with starts in between, faults, and dead windows: no promise is broken", async (context) => {
  await assertKept(context, { count: 60, story: playSecondStep, atATime: 32 });
});
