// Amounts that were spent, as far as they are known.
import { type Spent, toSpentRange } from "../../domain/account/spending.ts";
import { formatTotal } from "../../domain/base/money.ts";
import { t } from "../../lib/text.ts";

const SAME = 0.02;
const CENT = 0.005;

/** `$12.40`; `about $12.40` if a part of it wasn't seen; `$1.20–$4.80` if it isn't known when something ended. */
export function formatSpent(spent: Spent): string {
  const { low, high } = toSpentRange(spent);
  if (spent.isOpen) return high > 0 ? t("at least {0}", formatAmount(low)) : t("unknown");
  if (high - low > Math.max(CENT, high * SAME)) return `${formatAmount(low, high)}–${formatAmount(high)}`;
  const text = formatAmount((low + high) / 2);
  return spent.inferred.high > Math.max(CENT, high * SAME) ? t("about {0}", text) : text;
}

/** Whether there is something to tell of. */
export const isWorthTelling = (spent: Spent): boolean => spent.isOpen || toSpentRange(spent).high >= CENT;

/** Dollars: whole cents, and tenths of them below one dollar unless a larger amount stands beside it. */
export function formatAmount(dollars: number, beside = 0): string {
  return dollars === 0 || (dollars < 1 && beside >= 1) ? `$${dollars.toFixed(2)}` : formatTotal(dollars, 1);
}
