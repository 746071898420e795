// Five broken keepers of ends do not keep their promises (docs/promises.md), and each is caught.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { playMany } from "../many.ts";
import { BROKEN_LEASES } from "./broken-leases.ts";
import { playLease } from "./lease-story.ts";

/** Fates that show it. They are tried first; should a change of the model make them harmless, others are. */
const SEEDS: Readonly<Record<string, readonly number[]>> = {
  "gives one order in each window": [29],
  "never reads of a later end": [3],
  "believes in an end that it never wrote": [3],
  "asks nobody about an end that passed": [2],
  "takes a failure for an end": [3],
};

describe("a keeper of ends is caught that", { concurrency: 3 }, () => {
  for (const [name, breakage] of Object.entries(BROKEN_LEASES)) {
    test(name, async (context) => {
      const { launches, violations } = await playMany({
        seeds: SEEDS[name] ?? [],
        count: 400,
        story: playLease,
        breakage,
        untilCaught: true,
      });
      context.diagnostic(`after ${launches} ends: ${violations[0]}`);
      assert.ok(violations.length > 0);
    });
  }
});
