// Ends of instances under randomised fates keep E1 to E4 (docs/promises.md).
import { test } from "node:test";
import { assertKept } from "../assert-kept.ts";
import { playLease } from "./lease-story.ts";

test("200 ends with faults, later ends, dead windows and closed editors: no promise is broken", async (context) => {
  await assertKept(context, { count: 200, story: playLease, atATime: 32 });
});
