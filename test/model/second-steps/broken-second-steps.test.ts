// Broken keepers of second steps don't keep their promises (test/model/README.md), and each is caught.
import { catchBroken } from "../catch-broken.ts";
import { BROKEN_SECOND_STEPS } from "./broken-second-steps.ts";
import { playSecondStep } from "./second-step-story.ts";

catchBroken("a keeper of second steps is caught that", {
  broken: BROKEN_SECOND_STEPS,
  seeds: {},
  story: playSecondStep,
});
