// The launch protocol under randomised fates keeps P1 to P7 (test/model/README.md).
import { test } from "node:test";
import { assertKept } from "./assert-kept.ts";

test("launches with faults, double clicks, second windows and kills: no promise is broken", async (context) => {
  await assertKept(context, { count: 120 });
});
