// While you were away: what was spent, what ended, and what is still billed.
import type { Absence } from "../../domain/account/absence.ts";
import type { SeenInstance } from "../../domain/account/ledger.ts";
import { formatHourlyPrice, formatHourlySum } from "../../domain/base/money.ts";
import { t, toLabel } from "../../lib/text.ts";
import { formatSpent, isWorthTelling } from "./spending-text.ts";

/** Names in one sentence: a notification is no list. */
const MOST_NAMES = 3;
const HOUR = 3_600_000;

/** `wasToEnd` tells which were to end themselves in the meantime. */
export function describeAbsence(
  { from, to, spent, ended, stopped, begun, billed }: Absence,
  wasToEnd: (instance: SeenInstance) => boolean,
): string {
  const span = awaySpan(to - from);
  const head = isWorthTelling(spent)
    ? t("While you were away ({0}), your instances cost {1}.", span, formatSpent(spent))
    : t("While you were away ({0}):", span);
  const still = billed.filter(({ id }) => !begun.some((one) => one.id === id));
  const itself = [...ended, ...stopped].filter(wasToEnd);
  return [
    head,
    ...(ended.length > 0 ? [t("No longer rented: {0}.", names(ended))] : []),
    ...(stopped.length > 0 ? [t("Stopped: {0}.", names(stopped))] : []),
    ...(itself.length > 0 ? [t("Should have stopped or destroyed themselves by now: {0}.", names(itself))] : []),
    ...(begun.length > 0 ? [t("Newly rented: {0}.", names(begun))] : []),
    ...(still.length > 0 ? [t("Still billed: {0}, at {1}.", names(still), rateOf(still))] : []),
  ].join(" ");
}

function rateOf(instances: readonly SeenInstance[]): string {
  const prices = instances.map(({ high }) => high);
  return prices.includes(undefined)
    ? formatHourlySum(prices)
    : formatHourlyPrice(prices.reduce<number>((sum, price) => sum + (price ?? 0), 0));
}

function names(instances: readonly SeenInstance[]): string {
  const first = instances.slice(0, MOST_NAMES).map((one) => toLabel(one.label ?? one.gpu ?? String(one.id), 40));
  const more = instances.length - first.length;
  return more > 0 ? t("{0} and {1} more", first.join(", "), more) : first.join(", ");
}

/** `9 h`, `3 days`. */
function awaySpan(ms: number): string {
  const hours = Math.round(ms / HOUR);
  return hours < 48 ? t("{0} h", hours) : t("{0} days", Math.round(hours / 24));
}
