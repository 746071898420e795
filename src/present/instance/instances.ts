// An instance as a row: what the service last said, when, and what it bills.

import { knownPrice, perHour, sumPerHour } from "../../domain/base/money.ts";
import {
  hasSsh,
  type Instance,
  isLost,
  ownLabel,
  type Phase,
  phase,
  priceNow,
  type SshState,
} from "../../domain/instance/instance.ts";
import { machineName, vramGb } from "../../domain/offer/offer.ts";
import { dateTime, label, plain, t } from "../../lib/text.ts";
import { chooseWord, known, type RowView } from "../base/row.ts";
import { clock } from "../base/state.ts";
import { type OrderState, orderText } from "./orders.ts";

export interface InstanceFacts {
  readonly value: Instance;
  readonly launchPrice: number | undefined;
  /** Wall clock milliseconds of the reading, if it is outdated. */
  readonly staleSince: number | undefined;
  /** True if the service no longer knows it and nothing lists it. */
  readonly gone?: boolean;
  /** Identifies the account, so that rows of two accounts never share an ID. */
  readonly tag: string;
  /** The order in progress for it, if any. */
  readonly order?: OrderState | undefined;
  /** How far its SSH server is, if this window waited for it. */
  readonly ssh?: SshState | undefined;
}

const ICONS: Record<Phase, readonly [icon: string, color: string | undefined]> = {
  starting: ["sync~spin", undefined],
  running: ["vm-running", "charts.green"],
  stopping: ["sync~spin", undefined],
  stopped: ["vm-outline", undefined],
  scheduling: ["clock", "charts.yellow"],
  ended: ["error", "list.errorForeground"],
  lost: ["warning", "list.warningForeground"],
  unclear: ["question", undefined],
};

/** The state in words. `exited` may be a crash or a stop, so the text doesn't say which. */
export function phaseText(instance: Instance): string {
  const status = plain(instance.actual_status ?? "", 40);
  switch (phase(instance)) {
    case "starting":
      return status === "" || status === "created" ? t("creating") : status;
    case "running":
      return t("running");
    case "stopping":
      return t("stopping");
    case "stopped":
      return t("stopped");
    case "scheduling":
      return t("waiting for its GPU");
    default:
      return status === "" ? t("no status") : status;
  }
}

const BUSY = ["sync~spin", undefined] as const;

/** Whether it runs and its SSH server is waited for. */
const startsSsh = ({ value, ssh }: InstanceFacts) => ssh === "starting" && phase(value) === "running";

/** The state and, for a machine that won't run again, the reason if the service gives one. */
function stateText(facts: InstanceFacts): string {
  const { value: instance } = facts;
  if (startsSsh(facts)) return t("starting SSH…");
  const state = phaseText(instance);
  const why = isLost(instance) ? label(instance.status_msg ?? "", 60) : "";
  return why === "" ? state : t("{0}: {1}", state, why);
}

/** Its own label, or else its machine, or else its number. */
export function instanceName(instance: Instance): string {
  const own = label(ownLabel(instance.label));
  if (own !== "") return own;
  return instance.gpu_name === undefined ? t("Instance {0}", instance.id) : label(machineName(instance));
}

/** What can be done with it now, as words for menus. */
function abilities({ value, order }: InstanceFacts): string {
  // An order in progress disables everything else, until the service responds.
  if (order) return "instance ordered";
  const now = phase(value);
  const can: Record<string, boolean> = {
    canStart: now === "stopped",
    canStop: ["starting", "running", "scheduling", "unclear"].includes(now),
    canReplace: isLost(value),
    canReboot: now === "running",
    canShowLog: true,
    canConnect: now === "running" && hasSsh(value),
    canRename: true,
    canBid: value.is_bid === true,
    canDestroy: true,
  };
  return ["instance", ...Object.keys(can).filter((name) => can[name])].join(" ");
}

/** An instance that nothing lists and that the service no longer knows. Shown until the person removes it. */
function goneRow({ value, tag }: InstanceFacts): RowView {
  const name = label(instanceName(value), 28);
  return {
    id: `instance ${tag} ${value.id}`,
    label: name,
    description: t("the service no longer knows it"),
    icon: "question",
    color: "disabledForeground",
    context: "instance canForget",
    accessible: t("{0}, instance {1}, the service no longer knows it", name, value.id),
    tooltip: () => ({ title: name, facts: [[t("Instance"), String(value.id)]] }),
  };
}

export function instanceRow(facts: InstanceFacts): RowView {
  if (facts.gone) return goneRow(facts);
  const { value, staleSince, tag } = facts;
  const name = label(instanceName(value), 28);
  const machine = value.gpu_name === undefined ? undefined : label(machineName(value));
  const state = facts.order ? orderText(facts.order) : stateText(facts);
  const price = perHour(priceNow(facts));
  const spoken = price.startsWith("$?") ? t("price unknown") : t("{0} dollars an hour", price.slice(1, -2));
  const age = staleSince === undefined ? undefined : t("as of {0}", clock(staleSince));
  const [icon, color] = facts.order || startsSsh(facts) ? BUSY : ICONS[phase(value)];
  // The price comes before the machine, because a narrow sidebar cuts off the end.
  const description = [state, price, age, machine === name ? undefined : machine].filter(Boolean).join(" · ");
  return {
    id: `instance ${tag} ${value.id}`,
    label: name,
    description,
    icon: staleSince === undefined ? icon : icon.replace("~spin", ""),
    color: staleSince === undefined ? color : "disabledForeground",
    context: abilities(facts),
    accessible: t("{0}, instance {1}, {2}, {3}", name, value.id, [age, state].filter(Boolean).join(", "), spoken),
    tooltip: () => ({ title: `${name} — ${state}`, facts: instanceFacts(facts) }),
  };
}

const percent = (value: number | undefined) =>
  value === undefined || value < 0 ? undefined : `${Math.round(value)} %`;

function sshText(state: SshState): string {
  return { starting: t("starting"), ready: t("answered"), silent: t("has not answered yet") }[state];
}

/** Everything known, for a tooltip or a document. */
export function instanceFacts(facts: InstanceFacts): [string, string][] {
  const { value, launchPrice, staleSince } = facts;
  const gb = vramGb(value.gpu_ram);
  const text = (part: string | undefined) => (part === undefined ? undefined : plain(part, 300));
  return known([
    [t("Instance"), value.id],
    [
      t("Price now"),
      `${perHour(priceNow(facts))}${priceNow(facts) === undefined ? ` (${t("the service does not say")})` : ""}`,
    ],
    [t("Confirmed at launch"), launchPrice === undefined ? undefined : perHour(launchPrice)],
    [
      t("Disk while stopped"),
      knownPrice(value.storage_total_cost) === undefined ? undefined : perHour(value.storage_total_cost),
    ],
    [t("Market"), chooseWord(value.is_bid, t("interruptible"), t("on-demand"))],
    [t("Status"), text(value.actual_status) ?? t("none yet")],
    [t("Wanted"), text(value.intended_status)],
    [t("Message"), text(value.status_msg)],
    [
      t("Machine"),
      value.gpu_name === undefined ? undefined : `${plain(machineName(value))}${gb === undefined ? "" : `, ${gb} GB`}`,
    ],
    [t("GPU load"), percent(value.gpu_util)],
    [
      t("GPU temperature"),
      value.gpu_temp === undefined || value.gpu_temp <= 0 ? undefined : `${Math.round(value.gpu_temp)} °C`,
    ],
    [t("Disk"), value.disk_space === undefined ? undefined : `${Math.round(value.disk_space)} GB`],
    [t("SSH"), value.ssh_host === undefined ? undefined : `${plain(value.ssh_host, 80)}:${value.ssh_port ?? "?"}`],
    [t("SSH server"), facts.ssh && sshText(facts.ssh)],
    [t("Address"), text(value.public_ipaddr)],
    [t("Image"), text(value.image_uuid)],
    [t("Mode"), text(value.image_runtype)],
    [t("Template"), text(value.template_name) ?? text(value.template_hash_id)],
    [t("Host machine"), value.machine_id],
    [t("Place"), text(value.geolocation)],
    [t("Reliability"), value.reliability2 === undefined ? undefined : `${(value.reliability2 * 100).toFixed(1)} %`],
    [t("Created"), value.start_date === undefined ? undefined : dateTime(value.start_date * 1000)],
    [t("Last heard"), staleSince === undefined ? undefined : t("{0}; it may have changed since", clock(staleSince))],
  ]);
}

/** Dollars per hour of all rows together. */
export function totalBurn(rows: readonly Pick<InstanceFacts, "value" | "launchPrice">[]): string {
  return sumPerHour(rows.map(priceNow));
}
