// The summary before renting: machine, cost, what isn't known, and every field that will be sent.

import { formatHourlyPrice, formatPrice, formatTotal, toPrice } from "../../domain/base/money.ts";
import { calculatePlanPrice, type LaunchPlan, toLaunchRequest } from "../../domain/launch/launch-plan.ts";
import { calculateDiskPrice } from "../../domain/offer/disk.ts";
import type { MachineHistory, StartTimes } from "../../domain/offer/machine-history.ts";
import { formatDuration, formatMachineName, type Offer, toVramGb } from "../../domain/offer/offer.ts";
import { parseDockerFlags } from "../../domain/template/environment/docker-flags.ts";
import { mergeConfiguration } from "../../domain/template/template.ts";
import { MASK, redactText } from "../../lib/redact.ts";
import { t, toPlainText } from "../../lib/text.ts";
import { describeAutoStopWish } from "../instance/auto-stop-text.ts";
import { describeStartTimes, formatHistory } from "../offer/machine-history.ts";
import { formatOfferPlace, formatReliability, formatVerified } from "../offer/offers.ts";
import { formatTemplateImage, formatTemplateName } from "../template/templates.ts";
import { formatSent, isPublicField, isPublicTemplate, maskVariable } from "./masked-request.ts";

export interface SummaryLine {
  readonly name: string;
  readonly value: string;
  /** Where a value comes from. */
  readonly from?: string;
}

export interface Summary {
  readonly runs: SummaryLine;
  readonly costs: readonly SummaryLine[];
  /** Its size and price. It can be changed, so it isn't one of the lines. */
  readonly disk: string;
  readonly machine: readonly SummaryLine[];
  readonly sent: readonly SummaryLine[];
  readonly notKnown: readonly string[];
}

/** What is known from earlier rentals. */
export interface Before {
  /** Of the machine. */
  readonly history?: MachineHistory | undefined;
  /** With the image. */
  readonly starts?: StartTimes | undefined;
}

/** `label` is the one that will be sent: the launch token followed by the person's own label. `now` is in epoch milliseconds. */
export function buildSummary(plan: LaunchPlan, label: string, now: number, before: Before = {}): Summary {
  return {
    runs: { name: t("Runs"), value: runsText(plan) },
    costs: costs(plan),
    disk: diskText(plan),
    machine: machine(plan, before),
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

function costs(plan: LaunchPlan): SummaryLine[] {
  const price = calculatePlanPrice(plan);
  const bid: SummaryLine[] =
    plan.type === "bid"
      ? [
          {
            name: t("Your bid"),
            value: t("{0} (minimum {1})", formatHourlyPrice(plan.bid), formatHourlyPrice(toPrice(plan.offer.min_bid))),
          },
        ]
      : [];
  return [
    ...bid,
    { name: t("While running"), value: formatPlanPrice(plan) },
    { name: t("8 hours"), value: formatTotal(price, 8) },
    { name: t("24 hours"), value: formatTotal(price, 24) },
    ...volumeCosts(plan),
  ];
}

/** A volume is billed on its own, and outlives the instance. */
function volumeCosts({ configuration, volumePrice }: LaunchPlan): SummaryLine[] {
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
    ? t("new, {0} GB, at {1}", volume.size ?? "", path)
    : t("{0} at {1}", volume.volume_id, path);
}

/** The template and its image, or the image that somebody named. */
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

function machine({ offer }: LaunchPlan, { history, starts }: Before): SummaryLine[] {
  const served = formatHistory(history);
  return [
    { name: toPlainText(formatMachineName(offer), 60), value: vramText(offer) },
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

/** How it starts, where that isn't immediately or not at all. */
function describeStart({ configuration }: LaunchPlan): readonly string[] {
  if (configuration?.target_state === "stopped")
    return [t("It's created stopped. Until you start it, only its disk is billed.")];
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

/** Whether confirming costs money. */
export function describeBilling(sandbox: boolean): string {
  return sandbox
    ? t("This is the sandbox: nothing is charged.")
    : t("You pay from now until you destroy the instance.");
}

/** What the person agrees to by renting where a lost rental couldn't be found. */
export function describeUntracked(): string {
  return t(
    "This service can't list instances. If its response gets lost, you can find a rented machine only on its website.",
  );
}

interface RentTerms {
  readonly sandbox: boolean;
  /** The account's name, where there are several. */
  readonly payer?: string | undefined;
  readonly withoutTracking: boolean;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** The question before money is committed. */
export function buildRentQuestion(
  plan: LaunchPlan,
  { sandbox, payer, withoutTracking, now }: RentTerms,
): { message: string; detail: string } {
  const price = calculatePlanPrice(plan);
  const name = toPlainText(formatMachineName(plan.offer), 60);
  const end = describeAutoStopWish(plan.end, now);
  const what = plan.template ? (plan.template.name ?? plan.template.hash_id) : redactText(plan.image ?? "");
  return {
    message: t("Rent {0} for {1}?", name, formatPlanPrice(plan)),
    detail: [
      t(
        "{0} per day with {1} GB of disk. Location: {2}.",
        formatTotal(price, 24),
        plan.diskGb,
        formatOfferPlace(plan.offer),
      ),
      t("Runs {0}.", toPlainText(what, 100)),
      ...volumeCosts(plan).map(({ name, value }) => `${name}: ${value}.`),
      ...describeStart(plan),
      ...(payer === undefined ? [] : [t("Account: {0}", toPlainText(payer, 100))]),
      describeBilling(sandbox),
      ...(end === undefined ? [] : [end]),
      ...(withoutTracking ? [describeUntracked()] : []),
    ].join("\n"),
  };
}
