// Rented machines in one window, from the six it opens with to leaving without any question.
import { SOON, stage, step } from "../support.ts";
import { walkActions } from "./actions.ts";
import { holdableClock, rentSix, walkKeptInSight } from "./kept-in-sight.ts";

const clock = holdableClock();
const person = stage({ signedIn: true, prepare: rentSix, sandbox: { clock } });

walkKeptInSight(person, clock);
walkActions(person);

step("leaving the sandbox, where nothing is charged, asks nothing", person, async ({ window }) => {
  await window.command("Cloud GPU: Sign Out");
  await window.page.getByText("Sign in").first().waitFor({ timeout: SOON });
});
