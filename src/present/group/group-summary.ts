// The summary of a group: what all of it costs, a line for each machine, and what is decided together.
import { formatHourlyPrice, formatHourlySum, formatTotal } from "../../domain/base/money.ts";
import { formatCostToEnd, type GroupPlan, sumPrice } from "../../domain/group/group-plan.ts";
import type { GroupPolicy } from "../../domain/group/group-record.ts";
import type { OverlayWish } from "../../domain/instance/overlay.ts";
import { calculatePlanPrice, type LaunchPlan } from "../../domain/launch/launch-plan.ts";
import { calculateDiskPrice } from "../../domain/offer/disk.ts";
import { formatMachineName } from "../../domain/offer/offer.ts";
import { t, toPlainText } from "../../lib/text.ts";
import { formatInstanceCount, formatMachineCount } from "../base/counts.ts";
import { formatAutoStopWish, formatHours } from "../instance/auto-stop-text.ts";
import { describeBilling, describeUntracked } from "../launch/rent-question.ts";
import type { SummaryLine } from "../launch/summary.ts";
import { formatOfferPlace, formatReliability, formatVerified } from "../offer/offers.ts";
import { formatTemplateImage, formatTemplateName } from "../template/templates.ts";

/** `4× (1× RTX 4090)`, or how many machines of several kinds. */
export function formatGroupKind(machines: readonly LaunchPlan[]): string {
  const kinds = new Set(machines.map(({ offer }) => formatMachineName(offer)));
  const [only] = kinds;
  return kinds.size === 1 && only !== undefined
    ? t("{0}, each {1}", formatMachineCount(machines.length), toPlainText(only, 60))
    : t("{0} of {1} kinds", formatMachineCount(machines.length), kinds.size);
}

export function listGroupCosts({ machines }: GroupPlan, now: number): readonly SummaryLine[] {
  const sum = sumPrice(machines);
  const untilEnd = formatCostToEnd(machines, machines[0]?.end, now);
  return [
    { name: t("While running"), value: formatHourlySum(machines.map(calculatePlanPrice)) },
    { name: t("8 hours"), value: formatTotal(sum, 8) },
    { name: t("24 hours"), value: formatTotal(sum, 24) },
    ...(untilEnd === undefined
      ? []
      : [{ name: t("Until the end"), value: t("at most {0}; less if instances end sooner", untilEnd) }]),
  ];
}

export function formatGroupDisk({ machines }: GroupPlan): string {
  const size = machines[0]?.diskGb ?? 0;
  const disks = formatHourlySum(machines.map(({ offer, diskGb }) => calculateDiskPrice(offer, diskGb)));
  return t("{0} GB each ({1} in total), included above and also billed while stopped", size, disks);
}

/** A line for each rank. */
export function listMachineLines({ machines }: GroupPlan): readonly SummaryLine[] {
  return machines.map((plan, rank) => ({
    name: `${rank}  ${toPlainText(formatMachineName(plan.offer), 60)}`,
    value: [
      formatHourlyPrice(calculatePlanPrice(plan)),
      formatOfferPlace(plan.offer),
      formatReliability(plan.offer),
      formatVerified(plan.offer),
    ].join(" · "),
  }));
}

/** Costs that come on top, and what isn't known. */
export function listGroupNotKnown({ machines }: GroupPlan): readonly string[] {
  const traffic = machines.filter(
    ({ offer }) => offer.inet_up_cost === undefined || offer.inet_down_cost === undefined,
  );
  const paid = machines.filter(({ offer }) => (offer.inet_up_cost ?? 0) > 0 || (offer.inet_down_cost ?? 0) > 0);
  const lines: string[] = [];
  if (traffic.length > 0)
    lines.push(t("{0} of {1} offers don't state the traffic price.", traffic.length, machines.length));
  if (paid.length > 0) lines.push(t("Traffic is extra. Each machine sets its own price."));
  return lines;
}

export function formatGroupImage(plan: GroupPlan): string {
  const [first] = plan.machines;
  if (!first) return "";
  const { template, image } = first;
  return template
    ? `${formatTemplateName(template)} · ${formatTemplateImage(template)}`
    : toPlainText(image ?? "", 300);
}

export function describeMustRun({ least }: Pick<GroupPolicy, "least">, count: number): string {
  if (least === count) return t("all {0}", count);
  return least === 1 ? t("as many as start") : t("at least {0} of {1}", least, count);
}

/** What happens if too few of them run in time. */
export function describeRest({ rest, least }: Pick<GroupPolicy, "rest" | "least">, count: number): string {
  if (rest === "ask") return t("ask me; rented instances cost money until I decide");
  return least === count
    ? t("destroy all rented instances (only if VS Code is open and signed in)")
    : t(
        "destroy all rented instances; if enough are running, only those that aren't (only if VS Code is open and signed in)",
      );
}

export const formatMinutes = (minutes: number): string => formatHours(minutes / 60);

export const describeHosts = (isApart: boolean): string => (isApart ? t("different hosts") : t("different machines"));

export function describeNetwork(overlay: OverlayWish | undefined): string {
  if (!overlay) return t("none; the machines can't reach each other");
  return overlay.isNew ? t("{0}, created when you confirm", overlay.name) : toPlainText(overlay.name, 80);
}

export function describeGroupEnd({ machines }: GroupPlan, now: number): string {
  return formatAutoStopWish(machines[0]?.end, now);
}

interface Terms {
  readonly sandbox: boolean;
  readonly payer: string | undefined;
  readonly withoutTracking: boolean;
  readonly now: number;
}

/** The question before money is committed: how many, and what all of them cost. */
export function buildRentGroupQuestion(
  plan: GroupPlan,
  { sandbox, payer, withoutTracking, now }: Terms,
): { readonly message: string; readonly detail: string } {
  const { machines, policy, name } = plan;
  const count = machines.length;
  return {
    message: t("Rent {0} for {1}?", formatInstanceCount(count), formatHourlySum(machines.map(calculatePlanPrice))),
    detail: [
      t("Group “{0}”: {1}.", name, formatGroupKind(machines)),
      t("{0} per day with {1} GB of disk each.", formatTotal(sumPrice(machines), 24), machines[0]?.diskGb ?? 0),
      t("Runs {0}.", toPlainText(formatGroupImage(plan), 100)),
      t("Must be running within {0}: {1}.", formatMinutes(policy.minutes), describeMustRun(policy, count)),
      t("If too few are running by then: {0}.", describeRest(policy, count)),
      t("Auto-stop: {0}.", describeGroupEnd(plan, now)),
      ...(plan.overlay ? [t("Overlay network: {0}.", describeNetwork(plan.overlay))] : []),
      ...(payer === undefined ? [] : [t("Account: {0}", toPlainText(payer, 100))]),
      billingTextOf(sandbox),
      ...(withoutTracking ? [describeUntracked()] : []),
    ].join("\n"),
  };
}

const billingTextOf = (sandbox: boolean): string =>
  sandbox ? describeBilling(true) : t("You pay for each from now until you destroy it.");
