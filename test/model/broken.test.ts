// Twelve broken variants of the launch protocol do not keep their promises (docs/promises.md), and each is caught.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { BROKEN } from "./broken.ts";
import { playMany } from "./many.ts";

/** Fates that show it. They are tried first; should a change of the model make them harmless, others are. */
const SEEDS: Readonly<Record<string, readonly number[]>> = {
  "sends three times": [1, 2, 3, 4],
  "sends again when the list is empty": [64, 67, 69, 71],
  "writes the journal after the answer": [1, 2, 3, 4],
  "claims without exclusive create": [2, 8, 10, 11],
  "trusts the success flag": [28, 61, 76, 117],
  "trusts a 4xx": [5, 30, 34, 38],
  "trusts an id unverified": [99, 126],
  'stops watching after "not found"': [38, 95, 116, 142],
  "never takes a refusal back": [5, 40, 95, 119],
  "replaces a machine beyond what was allowed": [167, 178, 180, 181],
  "rents while the dead machine is still there": [25, 56, 60, 81],
  "never looks a second time": [4, 7, 13, 23],
};

describe("a protocol is caught that", { concurrency: 3 }, () => {
  for (const [name, breakage] of Object.entries(BROKEN)) {
    test(name, async (context) => {
      const { launches, violations } = await playMany({
        seeds: SEEDS[name] ?? [],
        count: 400,
        breakage,
        untilCaught: true,
      });
      context.diagnostic(`after ${launches} launches: ${violations[0]}`);
      assert.ok(violations.length > 0);
    });
  }
});
