// Nine broken keepers of ends don't keep their promises (test/model/README.md), and each is caught.
import { catchBroken } from "../catch-broken.ts";
import { playAutoStop } from "./auto-stop-story.ts";
import { BROKEN_AUTO_STOPS } from "./broken-auto-stops.ts";

const SEEDS = {
  "gives one order in each window": [102, 105, 161, 177, 185, 199],
  "never reads of a later end": [5, 3, 29],
  "believes in an end that it never wrote": [3],
  "asks nobody about an end that passed": [33],
  "takes a failure for an end": [3],
  "believes that an instance was told of a later end": [44, 741],
  "calls an instance armed on which nothing runs": [62, 470],
  "tells in each window that an instance ended itself": [236, 80],
  "waits for ever for an order that can't be read": [30, 39, 64, 92, 113, 125],
};

catchBroken("a keeper of ends is caught that", { broken: BROKEN_AUTO_STOPS, seeds: SEEDS, story: playAutoStop });
