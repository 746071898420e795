// Everything known of an instance, in named groups: a tooltip shows them one below the other, its page as sections.
import { formatHourlyPrice, formatTotal, toPrice } from "../../domain/base/money.ts";
import { formatPercent } from "../../domain/base/percent.ts";
import { calculateDiskShare } from "../../domain/instance/alert.ts";
import type { InstanceAutoStop } from "../../domain/instance/auto-stop.ts";
import type { IdleState } from "../../domain/instance/idle.ts";
import type { IdleOrdered } from "../../domain/instance/idle-order.ts";
import {
  billsOnlyDisk,
  getCurrentPrice,
  getPhase,
  type Instance,
  type SshState,
} from "../../domain/instance/instance.ts";
import { formatMachineName, toVramGb } from "../../domain/offer/offer.ts";
import { formatMode } from "../../domain/template/launch-mode.ts";
import { formatTime, t, toPlainText } from "../../lib/text.ts";
import type { Fact } from "../base/record-page.ts";
import { chooseWord, listKnownFacts } from "../base/row.ts";
import { formatAge, formatDate } from "../base/when.ts";
import { describeAutoStop } from "./auto-stop-text.ts";
import { describeIdle, describeIdleWish } from "./idle-text.ts";
import type { OrderState } from "./orders.ts";

export interface InstanceFacts {
  readonly value: Instance;
  readonly launchPrice: number | undefined;
  /** Wall clock milliseconds of the reading, if it is outdated. */
  readonly staleSince: number | undefined;
  /** Wall clock milliseconds, for how long it has been rented. */
  readonly now?: number;
  /** True if the service no longer knows it and nothing lists it. */
  readonly gone?: boolean;
  /** Identifies the account, so that rows of two accounts never share an ID. */
  readonly tag: string;
  /** The order in progress for it, if any. */
  readonly order?: OrderState | undefined;
  /** How far its SSH server is, if this window waited for it. */
  readonly ssh?: SshState | undefined;
  /** The end that the person set, if any. */
  readonly end?: InstanceAutoStop | undefined;
  /** Since when it does nothing, if that is known. */
  readonly idle?: IdleState | undefined;
  /** Its published ports and where they lead, as people read them, while it runs. */
  readonly ports?: readonly string[];
  /** An agent rented it. */
  readonly isByAgent?: boolean;
  /** What the person ordered for when it does nothing, if anything. */
  readonly idleWish?: IdleOrdered | undefined;
}

const percent = (value: number | undefined) => (value === undefined || value < 0 ? undefined : `${Math.round(value)}%`);
const text = (part: string | undefined) => (part === undefined ? undefined : toPlainText(part, 300));
/** A fact whose whole text can be copied. */
const copied = (name: string, part: string | undefined): Fact =>
  part === undefined ? [name, undefined] : [name, toPlainText(part, 300), toPlainText(part, 300)];

function sshText(state: SshState): string {
  return { starting: t("starting"), ready: t("responding"), silent: t("not responding yet") }[state];
}

/** A sum below this, in dollars, says nothing yet. */
const LEAST_SUM = 0.005;
/** Hours. */
const CLOCK_ERROR = 1 / 60;

/**
 * How long it has been rented, and about what that has cost at its present price. It may have been stopped in between,
 * or cheaper, so the sum is never exact. A row that is out of date says what was true then.
 */
export function formatRented(facts: InstanceFacts): {
  readonly age: string | undefined;
  readonly sum: string | undefined;
  /** The amount in `sum`, such as `$0.012`. */
  readonly amount: string | undefined;
} {
  const { value, staleSince } = facts;
  const at = staleSince ?? facts.now;
  const hours = at === undefined || value.start_date === undefined ? Number.NaN : (at / 1000 - value.start_date) / 3600;
  // Both clocks may be a little wrong.
  const isSensible = getPhase(value) === "running" && hours > -CLOCK_ERROR;
  const age = isSensible && at !== undefined ? formatAge(value.start_date, at) : undefined;
  const price = getCurrentPrice(facts);
  if (age === undefined || price === undefined || price * hours < LEAST_SUM)
    return { age, sum: undefined, amount: undefined };
  const amount = formatTotal(price, hours);
  return { age, sum: t("up to about {0} so far", amount), amount };
}

/** What stops or destroys it, and how near that is. */
function listEndFacts({ end, now, idle, idleWish }: InstanceFacts): Fact[] {
  return [
    [t("Auto-stop"), now === undefined ? undefined : describeAutoStop(end, now)],
    [t("Idle timeout"), describeIdleWish(idleWish, now)],
    [t("Idle for"), describeIdle(idle)],
  ];
}

const buildAgeFact = ({ staleSince }: InstanceFacts): Fact => [
  t("Last updated"),
  staleSince === undefined ? undefined : t("{0}; may have changed since then", formatTime(staleSince)),
];

export function listStatusFacts(facts: InstanceFacts): Fact[] {
  const { value, launchPrice } = facts;
  const price = getCurrentPrice(facts);
  const { age, sum } = formatRented(facts);
  return [
    [t("Status"), text(value.actual_status) ?? t("none yet")],
    [t("Target state"), text(value.intended_status)],
    [t("Queue"), queueText(value)],
    [t("Message"), text(value.status_msg)],
    [t("Current price"), `${formatHourlyPrice(price)}${price === undefined ? ` (${t("not stated")})` : ""}`],
    ...listEndFacts(facts),
    [t("Rented by"), facts.isByAgent ? t("an agent") : undefined],
    [t("Rented for"), age],
    [t("Cost at this price"), sum],
    [t("Confirmed at launch"), launchPrice === undefined ? undefined : formatHourlyPrice(launchPrice)],
    [
      t("Disk while stopped"),
      toPrice(value.storage_total_cost) === undefined ? undefined : formatHourlyPrice(value.storage_total_cost),
    ],
    [t("Rental type"), chooseWord(value.is_bid, t("interruptible"), t("on-demand"))],
  ];
}

/** Why it waits though it should run, and how to leave that. */
function queueText(value: Instance): string | undefined {
  if (getPhase(value) !== "scheduling") return undefined;
  return value.is_bid
    ? t(
        "Another bid is higher. Your instance runs, and its GPU is billed, only while your bid is the highest. To leave the queue, stop the instance.",
      )
    : t(
        "Another customer is renting this GPU. Your instance starts, and its GPU is billed, when the GPU is free. To leave the queue, stop the instance.",
      );
}

export function listConnectionFacts({ value, ssh, ports = [] }: InstanceFacts): Fact[] {
  return [
    [
      t("SSH"),
      value.ssh_host === undefined ? undefined : `${toPlainText(value.ssh_host, 80)}:${value.ssh_port ?? "?"}`,
    ],
    [t("SSH server"), ssh && sshText(ssh)],
    copied(t("Address"), value.public_ipaddr),
    copied(t("Ports"), ports.length === 0 ? undefined : ports.join(", ")),
  ];
}

export function listMachineFacts({ value }: InstanceFacts): Fact[] {
  const { gpu_temp, reliability2 } = value;
  return [
    [t("Machine"), machineText(value)],
    [t("GPU load"), percent(value.gpu_util)],
    [t("GPU temperature"), gpu_temp === undefined || gpu_temp <= 0 ? undefined : `${Math.round(gpu_temp)} °C`],
    [t("Disk"), diskText(value)],
    [t("Host machine"), value.machine_id],
    [t("Location"), text(value.geolocation)],
    [t("Reliability"), reliability2 === undefined ? undefined : formatPercent(reliability2)],
  ];
}

function diskText(value: Instance): string | undefined {
  const { disk_usage: used, disk_space: space } = value;
  if (space === undefined) return undefined;
  if (used === undefined || calculateDiskShare(value) === undefined) return `${Math.round(space)} GB`;
  return t("{0} of {1} GB used", used.toFixed(used < 10 ? 1 : 0), Math.round(space));
}

function machineText(value: Instance): string | undefined {
  const gb = toVramGb(value.gpu_ram);
  return value.gpu_name === undefined
    ? undefined
    : `${toPlainText(formatMachineName(value))}${gb === undefined ? "" : `, ${gb} GB`}`;
}

export function listRentalFacts({ value }: InstanceFacts): Fact[] {
  return [
    copied(t("Instance"), String(value.id)),
    [t("Template"), text(value.template_name)],
    copied(t("Template hash"), value.template_hash_id),
    copied(t("Image"), value.image_uuid),
    [t("Mode"), text(value.image_runtype && formatMode(value.image_runtype))],
  ];
}

export function listTimeFacts(facts: InstanceFacts): Fact[] {
  const { value } = facts;
  return [
    [t("Created"), formatDate(value.start_date)],
    [t("Rental expires"), formatDate(value.end_date)],
    buildAgeFact(facts),
  ];
}

/** What someone who hovers over a row asks: what it costs, when it ends, what it does and where it is. Its page has everything. */
export function listHoverFacts(facts: InstanceFacts): [string, string][] {
  const { value, ssh } = facts;
  const isUsual = ["running", "stopped"].includes(getPhase(value));
  const price = formatHourlyPrice(getCurrentPrice(facts));
  const { age, sum } = formatRented(facts);
  const host = value.ssh_host === undefined ? value.public_ipaddr : `${value.ssh_host}:${value.ssh_port ?? "?"}`;
  const shown: Fact[] = [
    [t("Current price"), [price, billsOnlyDisk(value) ? t("for its disk") : "", sum, age].filter(Boolean).join(" · ")],
    [t("Rental type"), value.is_bid === true ? t("interruptible") : undefined],
    ...listEndFacts(facts),
    [t("Rental expires"), formatDate(value.end_date)],
    [t("Queue"), queueText(value)],
    [t("Message"), isUsual ? undefined : text(value.status_msg)],
    [t("GPU load"), percent(value.gpu_util)],
    [t("Disk"), diskText(value)],
    [t("SSH server"), ssh === "ready" ? undefined : ssh && sshText(ssh)],
    [t("Address"), host === undefined ? undefined : toPlainText(host, 80)],
    buildAgeFact(facts),
  ];
  return listKnownFacts(shown.map(([name, fact]) => [name, fact]));
}
