// Runs that continue on other instances keep what is promised of them (A1 to A6, test/model/README.md).
import assert from "node:assert/strict";
import { test } from "node:test";
import { assertKept } from "../assert-kept.ts";
import { attemptTally, playAttempts } from "./attempt-story.ts";

/** `CLOUD_GPU_MODEL_ATTEMPTS=2000` plays more of them. */
const COUNT = Number(process.env.CLOUD_GPU_MODEL_ATTEMPTS ?? 40);

test("runs that lose their instances, in windows that die: no promise is broken", async (context) => {
  await assertKept(context, { count: COUNT, story: playAttempts, atATime: 12 });
  context.diagnostic([...attemptTally].map(([what, times]) => `${times} ${what}`).join(", "));
  const played = [
    "lost: destroyed",
    "lost: outbid",
    "lost: ended",
    "continued automatically",
    "continued by the person",
  ];
  assert.deepEqual(
    played.filter((what) => !attemptTally.has(what)),
    [],
    "all of it was played",
  );
});
