// What a job comes to that the person described on the page of offers, and what doesn't last for it.
import { formatPrice, formatTotal } from "../../domain/base/money.ts";
import { calculatePlanPrice, type LaunchPlan } from "../../domain/launch/launch-plan.ts";
import {
  calculateJobTotal,
  DEFAULT_JOB,
  describeTooShort,
  hasTraffic,
  type OfferJob,
} from "../../domain/offer/table/job.ts";
import { formatNumber, t } from "../../lib/text.ts";
import { formatHours } from "../instance/auto-stop-text.ts";

/** What all of a job costs, in dollars, or at least; undefined for one that no one described. */
function readJobCost(
  plan: LaunchPlan,
): { readonly job: OfferJob; readonly total: number; readonly least: number } | undefined {
  const { job, offer } = plan;
  if (!job || (job.hours === DEFAULT_JOB.hours && !hasTraffic(job))) return undefined;
  const hourly = calculatePlanPrice(plan) ?? Number.NaN;
  const priced = (unknown: number) =>
    calculateJobTotal(job, {
      ...{ hourly, downCost: offer.inet_down_cost ?? unknown, upCost: offer.inet_up_cost ?? unknown },
    });
  return { job, total: priced(Number.NaN), least: priced(0) };
}

/** As the page of offers compares it. */
export function listJobCosts(plan: LaunchPlan): { readonly name: string; readonly value: string }[] {
  const { job, total, least } = readJobCost(plan) ?? {};
  if (!job || total === undefined || least === undefined) return [];
  const isKnown = Number.isFinite(total);
  const sum = isKnown || !Number.isFinite(least) ? formatTotal(total, 1) : t("at least {0}", formatTotal(least, 1));
  const time = formatHours(job.hours);
  return [
    {
      name: t("Your job"),
      value: hasTraffic(job)
        ? t("{0} for {1} and {2} GB of traffic", sum, time, formatNumber(job.downGb + job.upGb))
        : t("{0} for {1}", sum, time),
    },
  ];
}

/** Why the machine, or what the account has left in dollars, doesn't last for the job. */
export function describeJobDoubts(plan: LaunchPlan, credit: number | undefined): string[] {
  const { job, least } = readJobCost(plan) ?? {};
  if (!job || least === undefined) return [];
  const tooShort = describeTooShort(job, plan.offer.duration);
  const isTooDear = credit !== undefined && least > credit;
  return [
    ...(tooShort === undefined ? [] : [tooShort]),
    ...(isTooDear ? [t("Your balance ({0}) doesn't cover your job.", formatPrice(credit))] : []),
  ];
}
