// A launch whose instance is to end itself, too.
import { AppError } from "../../domain/base/error.ts";
import { calculateLeaseEnd } from "../../domain/instance/lease.ts";
import { describeNoSelfEnd } from "../../domain/instance/self-end.ts";
import { findNoOwnEnd, type LaunchPlan } from "../../domain/launch/launch-plan.ts";
import { t } from "../../lib/text.ts";
import type { SignedIn } from "../core/session.ts";

/** @throws AppError `rejected` if it was agreed that the instance ends itself, and it can't. */
export function assertCanEndItself({ address }: SignedIn, plan: LaunchPlan): void {
  const base = plan.end?.byItself;
  if (base === undefined) return;
  // The receipt may have been open while another account was signed in to.
  const no = base === address.base ? findNoOwnEnd(plan, base) : ({ kind: "address" } as const);
  if (no) throw new AppError("rejected", `${describeNoSelfEnd(no)} ${t("Choose another end for it.")}`);
}

/** What is sent to the instance and what is written down here must be the same moment. */
export function withFixedEnd(plan: LaunchPlan, now: number): LaunchPlan {
  const { end } = plan;
  if (end?.byItself === undefined) return plan;
  return { ...plan, end: { until: calculateLeaseEnd(end, now), ending: end.ending, byItself: end.byItself } };
}
