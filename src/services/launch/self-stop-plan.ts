// A launch whose instance is to end itself, too.
import { AppError } from "../../domain/base/error.ts";
import { fixEndTime } from "../../domain/instance/auto-stop.ts";
import { describeNoSelfStop } from "../../domain/instance/self-stop.ts";
import { findNoSelfStopInPlan, type LaunchPlan } from "../../domain/launch/launch-plan.ts";
import { t } from "../../lib/text.ts";
import type { SignedIn } from "../core/session.ts";

/** `now` in epoch milliseconds. @throws AppError `rejected` if the auto-stop that was agreed can't be kept. */
export function assertCanEnd({ address }: SignedIn, plan: LaunchPlan, now: number): void {
  const why = findObstacle(address.base, plan, now);
  if (why !== undefined) throw new AppError("rejected", `${why} ${t("Choose another auto-stop.")}`);
}

function findObstacle(address: string, plan: LaunchPlan, now: number): string | undefined {
  const { end } = plan;
  // A summary, and the question after it, may have been open for hours.
  if (end !== undefined && "until" in end && end.until <= now) return t("The time of this auto-stop has passed.");
  if (end?.byItself === undefined) return undefined;
  // The summary may have been open while another account was signed in to.
  if (end.byItself !== address) return t("This auto-stop was chosen for another service.");
  const no = findNoSelfStopInPlan(plan, end.byItself);
  return no && describeNoSelfStop(no);
}

/** What is sent to the instance and what is written down here must be the same moment. */
export function withFixedEnd(plan: LaunchPlan, now: number): LaunchPlan {
  const { end } = plan;
  return end?.byItself === undefined ? plan : { ...plan, end: fixEndTime(end, now) };
}
