// Eleven broken keepers of orders for idle instances don't keep their promises (test/model/README.md), and each is caught.
import { catchBroken } from "../catch-broken.ts";
import { BROKEN_IDLE } from "./broken-idle.ts";
import { playIdle } from "./idle-story.ts";

const SEEDS = {
  "takes what isn't known for idle": [1],
  "never hears that another window uses it": [50, 53],
  "never reads of a later order": [3],
  "believes in an order that it never wrote": [6],
  "takes a failure for an end": [20, 3, 14, 16],
  "gives one order in each window": [26, 11, 20, 53],
  "counts what it never warned of": [3],
  "believes that an instance was told of a later order": [515, 424, 466],
  "calls an instance armed on which nothing looks": [3, 1, 9],
  "tells no instance that a window uses it": [879],
  "forgets that it told an instance": [515, 525, 575],
};

catchBroken("a keeper of orders for idle instances is caught that", {
  broken: BROKEN_IDLE,
  seeds: SEEDS,
  story: playIdle,
});
