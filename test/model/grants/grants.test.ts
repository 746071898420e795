// Budgets of agents keep what is promised of them (B1 to B7, test/model/README.md).
import { test } from "node:test";
import { assertKept } from "../assert-kept.ts";
import { playGrant } from "./grant-story.ts";

/** `CLOUD_GPU_MODEL_GRANTS=10000` plays more of them. */
const COUNT = Number(process.env.CLOUD_GPU_MODEL_GRANTS ?? 60);

test("budgets under two windows, kills, lost answers, and instances that don't obey: no promise is broken", async (context) => {
  await assertKept(context, { count: COUNT, story: playGrant, atATime: 16 });
});
