// Seven broken keepers of orders for idle instances don't keep their promises (test/model/README.md), and each is caught.
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
};

catchBroken("a keeper of orders for idle instances is caught that", {
  broken: BROKEN_IDLE,
  seeds: SEEDS,
  story: playIdle,
});
