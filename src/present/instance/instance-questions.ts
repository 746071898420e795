// The questions before an instance is destroyed, started, stopped or restarted: which one, what it costs, what is lost.

import { AppError } from "../../domain/base/error.ts";
import { formatHourlyPrice, formatHourlySum, toPrice } from "../../domain/base/money.ts";
import { getCurrentPrice, getPhase, withoutLaunchToken } from "../../domain/instance/instance.ts";
import { formatMachineName } from "../../domain/offer/offer.ts";
import { t, toPlainText } from "../../lib/text.ts";
import type { Question } from "../base/question.ts";
import type { InstanceFacts } from "./instance-facts.ts";
import { formatInstanceName, formatInstanceTitle, formatPhase, formatTotalPrice } from "./instances.ts";

type Facts = Pick<InstanceFacts, "value" | "launchPrice">;

/** Whoever asks names the buttons. */
type Asked = Pick<Question, "message" | "detail">;

function named({ value }: Facts): string {
  return t("instance {0} “{1}”", value.id, toPlainText(formatInstanceName(value), 60));
}

/** ID, label, machine, state and price: enough to tell similar instances apart. */
export function describeInstanceLine(facts: Facts): string {
  const { value } = facts;
  const own = toPlainText(withoutLaunchToken(value.label), 60);
  const [machine, state, price] = [
    toPlainText(formatMachineName(value)),
    formatPhase(value),
    formatHourlyPrice(getCurrentPrice(facts)),
  ];
  return own === ""
    ? t("Instance {0}: {1}, {2}, {3}.", value.id, machine, state, price)
    : t("Instance {0} “{1}”: {2}, {3}, {4}.", value.id, own, machine, state, price);
}

/** More lines than this hide the buttons of a dialog. */
const MOST_LINES = 12;

/** One line for each, as far as there is room. What is left out is counted, with what it costs. */
function listed<F extends Facts>(rows: readonly F[], lineOf: (row: F) => string): string {
  if (rows.length <= MOST_LINES) return rows.map(lineOf).join("\n");
  const [shown, others] = [rows.slice(0, MOST_LINES - 1), rows.slice(MOST_LINES - 1)];
  return [...shown.map(lineOf), t("And {0} more: {1} in total.", others.length, formatTotalPrice(others))].join("\n");
}

function lost({ value }: Facts): string {
  const disk = value.disk_space === undefined ? t("The disk") : t("The disk ({0} GB)", Math.round(value.disk_space));
  return t("{0} and everything on it will be deleted. This can't be undone.", disk);
}

function lostTogether(rows: readonly Facts[]): string {
  const sizes = rows.map(({ value }) => value.disk_space);
  const sum = sizes.reduce<number>((all, size) => all + (size ?? 0), 0);
  return sizes.includes(undefined)
    ? t("Everything on their disks will be deleted. This can't be undone.")
    : t("Everything on their disks ({0} GB in total) will be deleted. This can't be undone.", Math.round(sum));
}

/** What outlives them. Empty without a volume. */
function kept(rows: readonly Facts[]): readonly string[] {
  const volumes = [...new Set(rows.flatMap(({ value }) => value.volume_info ?? []))];
  if (volumes.length === 0) return [];
  const named = volumes.slice(0, MOST_LINES).join(", ");
  return volumes.length === 1
    ? [t("Volume {0} stays, and is billed until you delete it.", named)]
    : [t("{0} volumes stay ({1}), and are billed until you delete them.", volumes.length, named)];
}

export function buildDestroyQuestion(rows: readonly Facts[]): Asked {
  const [first] = rows;
  if (rows.length === 1 && first)
    return {
      message: t("Destroy {0}?", named(first)),
      detail: [describeInstanceLine(first), lost(first), ...kept(rows)].join("\n"),
    };
  return {
    message: t("Destroy {0} instances ({1} in total)?", rows.length, formatTotalPrice(rows)),
    detail: [listed(rows, describeInstanceLine), "", lostTogether(rows), ...kept(rows)].join("\n"),
  };
}

/**
 * The prompt of the box in which the person types how many instances are to end. `left` counts those selected that can't be
 * stopped.
 */
export function buildCountPrompt(kind: "destroy" | "stop", rows: readonly Facts[], left = 0): string {
  const [count, price] = [rows.length, formatTotalPrice(rows)];
  if (kind === "destroy")
    return t(
      "Type {0} to destroy {0} instances ({1} in total). {2}",
      count,
      price,
      [lostTogether(rows), ...kept(rows)].join(" "),
    );
  const disks = formatHourlySum(rows.map(({ value }) => toPrice(value.storage_total_cost)));
  const parts = [
    t("Type {0} to stop {0} instances ({1} in total).", count, price),
    t("Their disks still cost {0} in total.", disks),
  ];
  if (left === 1) parts.push(t("1 selected instance isn't running and won't be changed."));
  if (left > 1) parts.push(t("{0} selected instances aren't running and won't be changed.", left));
  return parts.join(" ");
}

/** @throws AppError `rejected` with what to type instead. */
export function readCount(typed: string, count: number): true {
  if (typed.trim() === String(count)) return true;
  throw new AppError(
    "rejected",
    t("Type {0}, the number of instances, to confirm. Press Escape to leave them as they are.", count),
  );
}

/** Dollars per hour once it runs. The service states that price for a stopped instance, too. */
const runningPrice = ({ value, launchPrice }: Facts): number | undefined => toPrice(value.dph_total) ?? launchPrice;

export function buildStartQuestion(rows: readonly Facts[]): Asked {
  const [first] = rows;
  const price = (row: Facts) => formatHourlyPrice(runningPrice(row));
  return {
    message:
      rows.length === 1 && first
        ? t("Start {0} for {1}?", named(first), price(first))
        : t("Start {0} instances ({1} in total)?", rows.length, formatHourlySum(rows.map(runningPrice))),
    detail: [
      listed(rows, (row) => t("Instance {0}: {1} while it runs.", formatInstanceTitle(row.value), price(row))),
      t(
        "If someone else is renting the GPU, the instance starts as soon as the GPU is free and is billed from then on.",
      ),
    ].join("\n"),
  };
}

/** The usual question before instances are destroyed or stopped. */
export const buildOrderQuestion = (kind: "destroy" | "stop", rows: readonly Facts[]): Question =>
  kind === "destroy"
    ? { ...buildDestroyQuestion(rows), go: t("Destroy"), keep: t("Keep") }
    : { ...buildStateQuestion("stop", rows), go: t("Stop") };

export function buildStateQuestion(what: "stop" | "reboot", rows: readonly Facts[]): Asked {
  const [first] = rows;
  const one = rows.length === 1 ? first : undefined;
  if (what === "reboot") {
    const effect = t("Running programs stop and the machine restarts. The disk is kept, and billing continues.");
    if (one) return { message: t("Reboot {0}?", named(one)), detail: effect };
    return {
      message: t("Reboot {0} instances?", rows.length),
      detail: `${listed(rows, describeInstanceLine)}\n\n${effect}`,
    };
  }
  const isQueued = rows.every(({ value }) => getPhase(value) === "scheduling");
  const effect = isQueued
    ? t("It leaves the queue for its GPU.")
    : t("Running programs stop. Someone else may rent the GPU in the meantime.");
  if (one) return { message: t("Stop {0}?", named(one)), detail: `${whileStopped(one)}\n${effect}` };
  const disks = formatHourlySum(rows.map(({ value }) => toPrice(value.storage_total_cost)));
  return {
    message: t("Stop {0} instances?", rows.length),
    detail: [listed(rows, describeInstanceLine), "", t("Their disks still cost {0} in total.", disks), effect].join(
      "\n",
    ),
  };
}

function whileStopped({ value }: Facts): string {
  return t(
    "Instance {0}: the disk still costs {1} while stopped.",
    formatInstanceTitle(value),
    formatHourlyPrice(toPrice(value.storage_total_cost)),
  );
}
