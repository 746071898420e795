// An instance as a row: what the service last said, when, and what it bills.

import { formatHourlyPrice, formatHourlySum } from "../../domain/base/money.ts";
import {
  getCurrentPrice,
  getPhase,
  hasSsh,
  type Instance,
  isDead,
  isStoppable,
  type Phase,
  withoutLaunchToken,
} from "../../domain/instance/instance.ts";
import type { OrderResult } from "../../domain/instance/order-result.ts";
import { findReason } from "../../domain/instance/start-failure.ts";
import { formatMachineName } from "../../domain/offer/offer.ts";
import { commands } from "../../ids.ts";
import { formatTime, t, toLabel, toPlainText } from "../../lib/text.ts";
import type { RowView } from "../base/row.ts";
import { formatAutoStop } from "./auto-stop-text.ts";
import { formatIdle, formatIdleWish } from "./idle-text.ts";
import { formatRented, type InstanceFacts, listHoverFacts } from "./instance-facts.ts";
import { formatOrder } from "./orders.ts";

const ICONS: Record<Phase, readonly [icon: string, color: string | undefined]> = {
  starting: ["sync~spin", undefined],
  running: ["vm-running", "charts.green"],
  stopping: ["sync~spin", undefined],
  stopped: ["vm-outline", undefined],
  scheduling: ["clock", "charts.yellow"],
  ended: ["error", "list.errorForeground"],
  failed: ["error", "list.errorForeground"],
  lost: ["warning", "list.warningForeground"],
  unclear: ["question", undefined],
};

/** The state in words. `exited` may be a crash or a stop, so the text doesn't say which. */
export function formatPhase(instance: Instance): string {
  const status = toPlainText(instance.actual_status ?? "", 40);
  switch (getPhase(instance)) {
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
    case "failed":
      return t("can't start");
    default:
      return status === "" ? t("no status") : status;
  }
}

/** The icon of its phase, where nothing turns. */
export function getInstanceIcon(instance: Instance): string {
  return ICONS[getPhase(instance)][0].replace("~spin", "");
}

const BUSY = ["sync~spin", undefined] as const;

/** Whether it runs and its SSH server is waited for. */
const startsSsh = ({ value, ssh }: InstanceFacts) => ssh === "starting" && getPhase(value) === "running";

/** The state and, for a machine that won't run again, the reason if the service gives one. */
export function describeInstanceState(facts: InstanceFacts): string {
  const { value: instance } = facts;
  if (startsSsh(facts)) return t("starting SSH…");
  const state = formatPhase(instance);
  const why = isDead(instance) ? toLabel(findReason(instance.status_msg ?? "", 80), 80) : "";
  return why === "" ? state : t("{0}: {1}", state, why);
}

/** Its own label, or else its machine, or else its number. */
export function formatInstanceName(instance: Instance): string {
  const own = toLabel(withoutLaunchToken(instance.label));
  if (own !== "") return own;
  return instance.gpu_name === undefined ? t("Instance {0}", instance.id) : toLabel(formatMachineName(instance));
}

/** What it is called, with its number: for messages, which stay when the row is gone. */
export function formatInstanceTitle(instance: Instance): string {
  const own =
    toLabel(withoutLaunchToken(instance.label), 60) ||
    (instance.gpu_name === undefined ? "" : toLabel(formatMachineName(instance)));
  return own === "" ? String(instance.id) : `${own} (${instance.id})`;
}

/** What can be done with it now, as words for menus. */
export function listAbilities({ value, order }: InstanceFacts): string {
  // An order in progress disables everything else, until the service responds.
  if (order) return "instance ordered";
  const now = getPhase(value);
  const can: Record<string, boolean> = {
    canStart: now === "stopped",
    canStop: isStoppable(value),
    canReplace: isDead(value),
    canReboot: now === "running",
    canShowLog: true,
    canConnect: now === "running" && hasSsh(value),
    canRename: true,
    canSetEnd: true,
    canBid: value.is_bid === true,
    canBlock: value.machine_id !== undefined || value.host_id !== undefined,
    canRentAgain: true,
    canDestroy: true,
  };
  return ["instance", ...Object.keys(can).filter((name) => can[name])].join(" ");
}

/** An instance that nothing lists and that the service no longer knows. Shown until the person removes it. */
function goneRow({ value, tag }: InstanceFacts): RowView {
  const name = toLabel(formatInstanceName(value), 28);
  return {
    id: `instance ${tag} ${value.id}`,
    label: name,
    description: t("no longer on the service"),
    icon: "question",
    color: "disabledForeground",
    context: "instance canForget canRentAgain",
    accessible: t("{0}, instance {1}, no longer on the service", name, value.id),
    tooltip: () => ({ title: name, facts: [[t("Instance"), String(value.id)]] }),
  };
}

/** What is destroyed now, and what it cost, by the rows as they were before. Undefined if nothing is. */
export function describeDestroyed(ends: readonly OrderResult[], rows: readonly InstanceFacts[]): string | undefined {
  const isDestroyed = (id: number) =>
    ends.some((end) => end.id === id && end.kind === "destroy" && end.outcome === "done");
  const [first, ...others] = rows.filter(({ value }) => isDestroyed(value.id));
  if (!first) return undefined;
  if (others.length > 0) return t("Destroyed {0} instances.", others.length + 1);
  const title = formatInstanceTitle(first.value);
  const { age, amount } = formatRented(first);
  if (age === undefined) return t("Destroyed instance {0}.", title);
  return amount === undefined
    ? t("Destroyed instance {0} after {1}.", title, age)
    : t("Destroyed instance {0} after {1}. It cost up to about {2}.", title, age, amount);
}

export function buildInstanceRow(facts: InstanceFacts): RowView {
  if (facts.gone) return goneRow(facts);
  const { value, staleSince, tag } = facts;
  const name = toLabel(formatInstanceName(value), 28);
  const machine = value.gpu_name === undefined ? undefined : toLabel(formatMachineName(value));
  const state = facts.order ? formatOrder(facts.order) : describeInstanceState(facts);
  const price = formatHourlyPrice(getCurrentPrice(facts));
  const spoken = price.startsWith("$?") ? t("price unknown") : t("{0} dollars per hour", price.slice(1, -2));
  const age = staleSince === undefined ? undefined : t("as of {0}", formatTime(staleSince));
  const [icon, color] = facts.order || startsSsh(facts) ? BUSY : ICONS[getPhase(value)];
  const { age: uptime, sum } = formatRented(facts);
  const template = toLabel(value.template_name ?? "", 40);
  const end = facts.now === undefined ? undefined : formatAutoStop(facts.end, facts.now);
  const idle = [formatIdle(facts.idle), formatIdleWish(facts.idleWish, facts.now)];
  // A narrow sidebar cuts off the end. That an instance runs, its icon says.
  const isPlain = !facts.order && getPhase(value) === "running" && !startsSsh(facts);
  const about = [template, machine === name ? undefined : machine];
  const by = facts.isByAgent ? t("by an agent") : undefined;
  const words = [isPlain ? undefined : state, price, end, age, ...idle, by, uptime, sum, ...about];
  const description = words.filter(Boolean).join(" · ");
  return {
    id: `instance ${tag} ${value.id}`,
    label: name,
    description,
    icon: staleSince === undefined ? icon : icon.replace("~spin", ""),
    color: staleSince === undefined ? color : "disabledForeground",
    context: listAbilities(facts),
    accessible: [
      t("{0}, instance {1}, {2}, {3}", name, value.id, [age, state].filter(Boolean).join(", "), spoken),
      ...idle,
      end,
      by,
      uptime,
      sum,
    ]
      .filter(Boolean)
      .join(", "),
    opens: commands.instanceShow,
    tooltip: () => ({ title: `${name} — ${state}`, facts: listHoverFacts(facts) }),
  };
}

/** Dollars per hour of all rows together. */
export function formatTotalPrice(rows: readonly Pick<InstanceFacts, "value" | "launchPrice">[]): string {
  return formatHourlySum(rows.map(getCurrentPrice));
}
