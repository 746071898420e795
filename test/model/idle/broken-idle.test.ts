// Six broken keepers of orders for idle instances do not keep their promises (docs/promises.md), and each is caught.
import { catchBroken } from "../catch-broken.ts";
import { BROKEN_IDLE } from "./broken-idle.ts";
import { playIdle } from "./idle-story.ts";

catchBroken("a keeper of orders for idle instances is caught that", {
  broken: BROKEN_IDLE,
  seeds: {},
  story: playIdle,
});
