// How long the balance lasts, for the status bar.
import { type Balance, calculateHoursLeft, LOW_HOURS } from "../../domain/account/balance.ts";
import { formatHourlyPrice, formatPrice } from "../../domain/base/money.ts";
import { t } from "../../lib/text.ts";
import { formatLasting } from "../base/when.ts";

interface BalanceView {
  /** `7 h left`; undefined if it lasts longer than a day, or no one knows. */
  readonly left: string | undefined;
  readonly lines: readonly string[];
  readonly isLow: boolean;
}

/** Hours. Who has more needn't think of it. */
const NEAR = 24;
/** What the service bills may differ by as much from the sum of the rows, as it is read at another moment. */
const SAME = 0.02;

/** `burn` is the sum of the rows in dollars per hour, undefined if a price isn't known; `now` in epoch milliseconds. */
export function buildBalanceView(balance: Balance | undefined, burn: number | undefined, now: number): BalanceView {
  if (!balance) return { left: undefined, lines: [], isLow: false };
  const { credit, rate } = balance;
  const hours = calculateHoursLeft(balance, burn, now);
  const isLow = hours !== undefined && hours < LOW_HOURS;
  const lasting = hours === undefined ? undefined : formatLasting(hours);
  const differs = rate !== undefined && burn !== undefined && Math.abs(rate - burn) > burn * SAME;
  const lines = [
    lasting === undefined
      ? t("Balance: {0}.", formatPrice(credit))
      : t("Balance: {0}, enough for about {1}.", formatPrice(credit), lasting),
    ...(differs
      ? [t("Right now, the service bills {0} in total, including disks and volumes.", formatHourlyPrice(rate))]
      : []),
    ...(isLow
      ? [t("When the balance runs out, the service may stop your instances and keep billing their disks.")]
      : []),
  ];
  const left = hours !== undefined && hours < NEAR ? t("{0} left", formatLasting(hours)) : undefined;
  return { left, lines, isLow };
}
