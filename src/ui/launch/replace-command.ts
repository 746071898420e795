// Replaces a dead machine from its row.
import { getCurrentPrice } from "../../domain/instance/instance.ts";
import { findNoSelfStopInPlan } from "../../domain/launch/launch-plan.ts";
import { t } from "../../lib/text.ts";
import { createIntent } from "../../services/launch/intent.ts";
import { rebuildPlan } from "../../services/launch/rebuild-plan.ts";
import { toLaunchDraft } from "../../services/launch/rent-again.ts";
import { findOneTarget } from "../instance/instance-commands.ts";
import { launchAgain } from "./launch-commands.ts";
import { createLaunchPerson, takeNextStep } from "./launch-person.ts";
import type { LaunchServices } from "./launch-services.ts";

/** The plan is rebuilt from the service's record of the instance. */
export async function replaceInstance(services: LaunchServices, args: readonly unknown[]): Promise<void> {
  const account = services.session.requireSignedIn();
  const row = await findOneTarget(services, args, t("Replace Instance"));
  if (!row) return;
  const found = await rebuildPlan(services, account, row);
  const chain = { price: getCurrentPrice(row), tries: 0 };
  const held = services.autoStops.findAutoStop(row.value);
  const ordered = services.idleOrders.getWish(row.value);
  const { minutes, ending, orDestroy } = ordered ?? {};
  const idle = minutes !== undefined && ending && !ordered?.isDoubted ? { minutes, ending, orDestroy } : undefined;
  const end = held?.isLeft || held?.second ? undefined : held;
  const base = end?.guard === undefined ? undefined : account.address.base;
  // Another one ends itself, too, if it can.
  const byItself = base === undefined || findNoSelfStopInPlan(found.plan, base) ? undefined : base;
  const wish = end && {
    until: end.until,
    ending: end.ending,
    stoppedHours: end.stoppedHours,
    ...(byItself === undefined ? {} : { byItself }),
  };
  const plan = { ...found.plan, end: wish && wish.until > services.scheduler.clock.now() ? wish : undefined };
  const rental = { ...found, plan, account, intent: createIntent(), chain, withoutTracking: false };
  const step = await services.runner.replace(createLaunchPerson(services), rental, row.value.id);
  const draft = { ...toLaunchDraft(found), end: plan.end, idle };
  const again = { title: t("Launch Similar Instance"), draft };
  await takeNextStep(services, account, step, (how) => launchAgain(services, account, again, how));
}
