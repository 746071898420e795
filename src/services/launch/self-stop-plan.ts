// A launch whose instance is to end itself, too.
import { AppError } from "../../domain/base/error.ts";
import { calculateEndTime } from "../../domain/instance/auto-stop.ts";
import { describeNoSelfStop } from "../../domain/instance/self-stop.ts";
import { findNoSelfStopInPlan, type LaunchPlan } from "../../domain/launch/launch-plan.ts";
import { t } from "../../lib/text.ts";
import type { SignedIn } from "../core/session.ts";

/** @throws AppError `rejected` if it was agreed that the instance ends itself, and it can't. */
export function assertCanEndItself({ address }: SignedIn, plan: LaunchPlan): void {
  const base = plan.end?.byItself;
  if (base === undefined) return;
  // The summary may have been open while another account was signed in to.
  const isOther = base !== address.base;
  const no = isOther ? undefined : findNoSelfStopInPlan(plan, base);
  const why = isOther ? t("This auto-stop was chosen for another service.") : no && describeNoSelfStop(no);
  if (why !== undefined) throw new AppError("rejected", `${why} ${t("Choose another auto-stop.")}`);
}

/** What is sent to the instance and what is written down here must be the same moment. */
export function withFixedEnd(plan: LaunchPlan, now: number): LaunchPlan {
  const { end } = plan;
  if (end?.byItself === undefined) return plan;
  return { ...plan, end: { until: calculateEndTime(end, now), ending: end.ending, byItself: end.byItself } };
}
