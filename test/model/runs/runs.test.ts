// Runs under randomised fates keep what is promised of them (R1 to D6, test/model/README.md).
import assert from "node:assert/strict";
import { test } from "node:test";
import { assertKept } from "../assert-kept.ts";
import { STAGES } from "./run-fate.ts";
import { playRun, tally } from "./run-story.ts";

/** `CLOUD_GPU_MODEL_RUNS=2000` plays more of them. */
const COUNT = Number(process.env.CLOUD_GPU_MODEL_RUNS ?? 120);
/** A run costs most of a second of the processor, and more of them at a time only last longer, each with the same patience. */
const AT_A_TIME = 16;

test("runs with faults, dead machines, kills and closed editors: no promise is broken", async (context) => {
  await assertKept(context, { count: COUNT, story: playRun, atATime: AT_A_TIME });
  context.diagnostic([...tally].map(([what, times]) => `${times} ${what}`).join(", "));
  const endings = [
    "destroyed",
    "stopped",
    "kept",
    "gone",
    "unconfirmed",
    ...STAGES.map((stage) => `killed while ${stage}`),
  ];
  const never = endings.filter((what) => !tally.has(what));
  assert.deepEqual(never, [], "all of it was played");
});
