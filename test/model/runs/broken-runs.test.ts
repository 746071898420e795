// Eighteen broken variants of a run don't keep its promises (test/model/README.md), and each is caught.
import { catchBroken } from "../catch-broken.ts";
import { BROKEN_RUNS } from "./broken-runs.ts";
import { playRun } from "./run-story.ts";

const SEEDS = {
  "rents again when the answer is lost": [12, 33, 101, 157],
  "writes the run down once its machine is up": [3, 7, 25, 35],
  "takes the runs of living windows": [9, 12, 15, 26],
  "begins again when the answer is lost": [66, 110, 113, 119],
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
  "destroys what was to be stopped": [14, 30, 32, 72],
  "stops what was to be kept": [5],
  "destroys what was to be kept": [57, 505, 800, 858],
  "destroys without an answer": [267, 1342],
};

catchBroken("a run is caught that", { broken: BROKEN_RUNS, seeds: SEEDS, story: playRun });
