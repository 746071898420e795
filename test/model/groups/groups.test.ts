// Groups under randomised fates keep G1 to G6 (test/model/README.md).
import { test } from "node:test";
import { assertKept } from "../assert-kept.ts";
import { playGroup } from "./group-story.ts";

test("groups with faults, dead machines, dead windows and limits: no promise is broken", async (context) => {
  await assertKept(context, { count: 30, story: playGroup, atATime: 6 });
});
