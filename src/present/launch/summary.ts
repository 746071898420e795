// The summary before renting: machine, cost, what isn't known, and every field that will be sent.

import { formatHourlyPrice, formatPrice, formatTotal, toPrice } from "../../domain/base/money.ts";
import {
  calculateBilledPrice,
  calculatePlanPrice,
  isCreatedStopped,
  isLoginLost,
  type LaunchPlan,
  toLaunchRequest,
} from "../../domain/launch/launch-plan.ts";
import { calculateDiskPrice } from "../../domain/offer/disk.ts";
import type { MachineHistory, StartTimes } from "../../domain/offer/machine-history.ts";
import { formatDuration, formatMachineName, type Offer, toVramGb } from "../../domain/offer/offer.ts";
import { parseDockerFlags } from "../../domain/template/environment/docker-flags.ts";
import { mergeConfiguration } from "../../domain/template/template.ts";
import { MASK, redactText } from "../../lib/redact.ts";
import { t, toPlainText } from "../../lib/text.ts";
import { formatLasting } from "../base/when.ts";
import { describeStartTimes, formatHistory } from "../offer/machine-history.ts";
import { formatOfferPlace, formatReliability, formatVerified, listHardware } from "../offer/offers.ts";
import { formatTemplateImage, formatTemplateName } from "../template/templates.ts";
import { describeJobDoubts, listJobCosts } from "./job-cost.ts";
import { formatSent, isPublicField, isPublicTemplate, maskVariable } from "./masked-request.ts";
import { describeMismatches } from "./mismatches.ts";

export interface SummaryLine {
  readonly name: string;
  readonly value: string;
  /** Where a value comes from. */
  readonly from?: string;
}

export interface Summary {
  readonly runs: SummaryLine;
  readonly costs: readonly SummaryLine[];
  /**
   * That a link asked for it, what the template asks for and the machine doesn't have, what doesn't last for the job, and a login that is
   * missing.
   */
  readonly mismatches: readonly string[];
  /** It can be changed, so it isn't one of the costs; undefined on demand. */
  readonly bid: string | undefined;
  /** Its size and price. It can be changed, so it isn't one of the lines. */
  readonly disk: string;
  readonly machine: readonly SummaryLine[];
  readonly sent: readonly SummaryLine[];
  readonly notKnown: readonly string[];
}

/** What is known beside the plan. */
export interface KnownFacts {
  /** How the machine served the person before. */
  readonly history?: MachineHistory | undefined;
  /** How long instances with this image took to start. */
  readonly starts?: StartTimes | undefined;
  /** Dollars that the account has left. */
  readonly credit?: number | undefined;
  /** Dollars per hour that the account's instances cost already. */
  readonly rented?: number | undefined;
  /** Dollars per hour that the same offer costs on demand; read for a bid. */
  readonly onDemandPrice?: number | undefined;
}

/** `label` is the one that will be sent: the launch token followed by the person's own label. `now` is in epoch milliseconds. */
export function buildSummary(plan: LaunchPlan, label: string, now: number, known: KnownFacts = {}): Summary {
  return {
    runs: { name: t("Runs"), value: runsText(plan) },
    mismatches: [
      ...describeAsker(plan),
      ...describeMismatches(plan.template, plan.offer),
      ...describeJobDoubts(plan, known.credit),
      ...describeLostLogin(plan),
    ],
    costs: costs(plan, known),
    bid: describeBid(plan, known),
    disk: diskText(plan),
    machine: machine(plan, known),
    sent: sent(plan, label, now),
    notKnown: notKnown(plan),
  };
}

/** The price of a plan. Says so if the price of a bid's disk is unknown. */
export function formatPlanPrice(plan: LaunchPlan): string {
  const price = calculatePlanPrice(plan);
  return price === undefined && plan.bid !== undefined
    ? t("{0} + disk", formatHourlyPrice(plan.bid))
    : formatHourlyPrice(price);
}

function costs(plan: LaunchPlan, { credit, rented }: KnownFacts): SummaryLine[] {
  const price = calculatePlanPrice(plan);
  return [
    { name: t("While running"), value: formatPlanPrice(plan) },
    { name: t("8 hours"), value: formatTotal(price, 8) },
    { name: t("24 hours"), value: formatTotal(price, 24) },
    ...listJobCosts(plan),
    ...listVolumeCosts(plan),
    ...(credit === undefined ? [] : [{ name: t("Balance"), value: describeCredit(credit, plan, rented) }]),
  ];
}

/** With the instances that the account has already, as far as they are known; volumes aren't counted. */
function describeCredit(credit: number, plan: LaunchPlan, rented: number | undefined): string {
  const price = calculateBilledPrice(plan);
  const balance = formatPrice(credit);
  if (price === undefined || price <= 0 || credit <= 0 || isCreatedStopped(plan)) return balance;
  const alone = formatLasting(credit / price);
  if (rented === undefined) return t("{0}, enough to run this instance alone for {1}", balance, alone);
  if (rented <= 0) return t("{0}, enough to run this instance for {1}", balance, alone);
  return t("{0}, enough for {1} with the instances that you have", balance, formatLasting(credit / (price + rented)));
}

/** `$0.120/h (minimum $0.100/h; on demand $0.30/h with the disk)`. */
function describeBid(plan: LaunchPlan, { onDemandPrice }: KnownFacts): string | undefined {
  if (plan.type !== "bid") return undefined;
  const [bid, least] = [formatHourlyPrice(plan.bid), formatHourlyPrice(toPrice(plan.offer.min_bid))];
  if (onDemandPrice === undefined) return t("{0} (minimum {1})", bid, least);
  const onDemand = formatHourlyPrice(onDemandPrice);
  return (calculatePlanPrice(plan) ?? 0) < onDemandPrice
    ? t("{0} (minimum {1}; on demand {2} with the disk)", bid, least, onDemand)
    : t("⚠ {0}, but on demand costs only {1} with the disk, and no one can outbid you", bid, onDemand);
}

/** A volume is billed on its own, and outlives the instance. */
export function listVolumeCosts({ configuration, volumePrice }: LaunchPlan): SummaryLine[] {
  const volume = configuration?.volume_info;
  if (!volume) return [];
  const value = volume.create_new
    ? t("{0} GB for {1} on top, until you delete the volume", volume.size ?? "", formatHourlyPrice(volumePrice))
    : t("volume {0}, billed as before", volume.volume_id);
  return [{ name: t("Volume"), value }];
}

/** The volume of a launch in a few words; undefined without one. */
export function describeVolumeOf({ configuration }: Pick<LaunchPlan, "configuration">): string | undefined {
  const volume = configuration?.volume_info;
  if (!volume) return undefined;
  const path = toPlainText(redactText(volume.mount_path), 100);
  return volume.create_new
    ? t("new, {0} GB, mounted at {1}", volume.size ?? "", path)
    : t("{0}, mounted at {1}", volume.volume_id, path);
}

/** The template and its image, or the image that someone named. */
function runsText({ template, image }: LaunchPlan): string {
  const own = toPlainText(redactText(image ?? ""), 300);
  return template ? `${formatTemplateName(template)} · ${own || formatTemplateImage(template)}` : own;
}

function diskText(plan: LaunchPlan): string {
  const price = calculateDiskPrice(plan.offer, plan.diskGb);
  return price === undefined || calculatePlanPrice(plan) === undefined
    ? t("{0} GB for {1}, also billed while stopped", plan.diskGb, formatHourlyPrice(price))
    : t("{0} GB for {1}, included above, and also billed while stopped", plan.diskGb, formatHourlyPrice(price));
}

function machine({ offer }: LaunchPlan, { history, starts }: KnownFacts): SummaryLine[] {
  const served = formatHistory(history);
  return [
    { name: toPlainText(formatMachineName(offer), 60), value: vramText(offer) },
    ...listHardware(offer).map(([name, value]) => ({ name, value })),
    { name: t("Location"), value: formatOfferPlace(offer) },
    ...(served === undefined ? [] : [{ name: t("Your history"), value: served }]),
    ...(starts === undefined ? [] : [{ name: t("Time to start"), value: describeStartTimes(starts) }]),
    { name: t("Reliability"), value: `${formatReliability(offer)}, ${formatVerified(offer)}` },
    ...(offer.duration === undefined
      ? []
      : [{ name: t("Rental length"), value: t("up to {0}", formatDuration(offer.duration)) }]),
    {
      name: t("Offer"),
      value: `${offer.id}${offer.machine_id === undefined ? "" : `, ${t("machine {0}", offer.machine_id)}`}`,
    },
  ];
}

function vramText({ gpu_ram, num_gpus }: Offer): string {
  const gb = toVramGb(gpu_ram);
  if (gb === undefined) return "";
  return num_gpus === 1 ? t("{0} GB VRAM", gb) : t("{0} GB VRAM each", gb);
}

/** Costs that come on top of the price, and open questions. */
function notKnown(plan: LaunchPlan): string[] {
  const { offer } = plan;
  const lines: string[] = [];
  const [up, down] = [offer.inet_up_cost, offer.inet_down_cost];
  if (up === undefined || down === undefined) lines.push(t("The offer doesn't state the traffic price."));
  else if (up > 0 || down > 0) {
    lines.push(t("Traffic is extra: {0}/GB up, {1}/GB down.", formatPrice(up), formatPrice(down)));
  }
  if (calculateDiskPrice(offer, plan.diskGb) === undefined)
    lines.push(t("The offer doesn't state the disk price while stopped."));
  lines.push(...describeStart(plan));
  if (plan.type === "bid") lines.push(t("Runs until someone bids more. Its disk is billed even then."));
  return lines;
}

/** Whoever asked chose the template, and with it what runs there. */
function describeAsker(plan: LaunchPlan): readonly string[] {
  if (plan.askedBy === undefined) return [];
  const asked =
    plan.askedBy === "link"
      ? t("A link asked for this launch. Rent only if you trust what it runs.")
      : t("Another extension asked for this launch. Rent only if you trust what it runs.");
  return [asked, ...describeCreator(plan)];
}

/** Whoever made a template chose what runs there. */
export const describeCreator = ({ template }: Pick<LaunchPlan, "template">): readonly string[] =>
  template?.creator_id === undefined ? [] : [t("Its template was created by user {0}.", template.creator_id)];

/** What is modeled on an instance whose registry login no one knows any longer. */
export const describeLostLogin = (plan: Pick<LaunchPlan, "lostLogin" | "configuration">): readonly string[] =>
  isLoginLost(plan)
    ? [t("The original instance's registry login wasn't saved. Enter it again under Configuration.")]
    : [];

/** How it starts, where that isn't immediately or not at all. */
export function describeStart({ configuration }: LaunchPlan): readonly string[] {
  if (isCreatedStopped({ configuration }))
    return [t("It's created, but not started. Until you start it, only its disk is billed.")];
  if (configuration?.cancel_unavail === false)
    return [t("If the machine can't start immediately, the instance waits, and its disk is billed.")];
  return [];
}

/** The request merged over the template, one line per field. Apparent secrets are masked. */
function sent(plan: LaunchPlan, label: string, now: number): SummaryLine[] {
  const request = toLaunchRequest(plan, label, now);
  const merged = mergeConfiguration(plan.template, request);
  const { env, extra_filters: _, ...fields } = merged as { env: Record<string, string>; extra_filters: unknown };
  const own = new Set(Object.keys(request));
  const isPublic = isPublicTemplate(plan.template);
  const lines = Object.entries(fields).map(([name, value]) => ({
    name,
    value: formatSent(name, value, isPublicField(name, plan, request)),
    from: sourceOf(name, own.has(name), plan),
  }));
  const variables = Object.entries(env).map(([name, value]) => {
    const isOwn = Object.hasOwn(request.env ?? {}, name);
    const shown = toPlainText(redactText(name));
    return {
      name: name.startsWith("-") ? t("option {0}", shown) : t("variable {0}", shown),
      value: maskVariable(name, value, isPublic && !isOwn),
      from: isOwn ? t("this launch") : t("template"),
    };
  });
  return [...lines, ...variables, ...leftovers(plan)];
}

function sourceOf(name: string, isOwn: boolean, plan: LaunchPlan): string {
  if (name === "label" && plan.label === "") return t("added so that Cloud GPU can find this launch again");
  if (name === "onstart" && isOwn)
    return plan.end?.byItself === undefined || plan.end.ending === "remind"
      ? t("this launch")
      : t("this launch: the first lines stop or destroy the instance at its end time, counted from renting");
  return isOwn ? t("this launch") : t("template");
}

function leftovers({ template, configuration }: LaunchPlan): SummaryLine[] {
  if (!template) return [];
  const lines: SummaryLine[] = [];
  const unread = parseDockerFlags(template.env ?? "").unread;
  if (unread.length > 0)
    lines.push({ name: t("unrecognized flags"), value: toPlainText(unread.join(" "), 300), from: t("template") });
  // One of the request takes its place.
  if (template.docker_login_repo && configuration?.image_login === undefined) {
    lines.push({
      name: t("registry login"),
      value: `${toPlainText(template.docker_login_repo)} ${MASK}`,
      from: t("template"),
    });
  }
  return lines;
}
