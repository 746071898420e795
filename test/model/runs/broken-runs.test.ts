// Eighteen broken variants of a run don't keep its promises (docs/promises.md), and each is caught.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { playMany } from "../many.ts";
import { BROKEN_RUNS } from "./broken-runs.ts";
import { playRun } from "./run-story.ts";

/** Fates that show it. They are tried first; should a change of the model make them harmless, others are. */
const SEEDS: Readonly<Record<string, readonly number[]>> = {
  "rents again when the answer is lost": [12, 33, 101, 157],
  "writes the run down once its machine is up": [1496, 1798, 1808, 1845, 450],
  "begins again when the answer is lost": [12, 27, 42, 84],
  "takes the runs of living windows": [7, 28, 30, 39],
  "compares what is here with itself": [222, 348, 404, 487],
  "takes a list for whole that isn't": [1171],
  "downloads nothing": [72, 91, 125, 133],
  "overlooks links that lead out": [689, 871, 1010],
  "overlooks what still runs": [139, 179, 371, 446],
  "overlooks the runs of others": [639, 1111, 1262, 1417],
  "takes no exit code for a good one": [49, 169, 533, 690],
  "takes every failure for the same": [65, 81, 103, 125],
  "doesn't look at the label": [516, 893, 1210, 1245],
  "destroys another machine": [10, 65, 76, 90],
  "destroys what was to be kept": [57, 505, 800, 858],
  "destroys without an answer": [267, 1342],
};

describe("a run is caught that", { concurrency: 3 }, () => {
  for (const [name, breakage] of Object.entries(BROKEN_RUNS)) {
    test(name, async (context) => {
      const { launches: runs, violations } = await playMany({
        seeds: SEEDS[name] ?? [],
        count: 400,
        breakage,
        untilCaught: true,
        story: playRun,
      });
      context.diagnostic(`after ${runs} runs: ${violations[0]}`);
      assert.ok(violations.length > 0);
    });
  }
});
