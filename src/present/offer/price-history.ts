// What a GPU usually costs, as far as this editor has seen it, in a few words for a list.
import { formatPrice } from "../../domain/base/money.ts";
import { compareWithUsual, drawSparkline, type PriceHistoryOfGpu } from "../../domain/offer/price-history.ts";
import { formatMonthDay, t } from "../../lib/text.ts";

/** Shares that no one calls a difference. */
const ABOUT = 0.03;

/** `12% below usual`, short enough for a row of an offer. Both prices are in dollars per hour and GPU; undefined if either isn't known. */
export function formatUsual(price: number | undefined, usual: number | undefined): string | undefined {
  const share = compareWithUsual(price, usual);
  if (share === undefined) return undefined;
  if (Math.abs(share) < ABOUT) return t("about the usual price");
  const percent = Math.round(Math.abs(share) * 100);
  return share < 0 ? t("{0}% below usual", percent) : t("{0}% above usual", percent);
}

/** `▂▃▅▂ usually $0.31/GPU·h ($0.24–$0.41) since Nov 3`, below a heading that says who saw that. */
export function describePriceHistory({ points, median, low, high, since }: PriceHistoryOfGpu): string {
  const bars = drawSparkline(points.map((point) => point.median));
  const usual = `${formatPrice(median)}/GPU·h`;
  const range = `${formatPrice(low)}–${formatPrice(high)}`;
  return `${bars} ${t("usually {0} ({1}) since {2}", usual, range, formatMonthDay(since))}`;
}

/** Above the GPUs of a list. `since` is epoch milliseconds. */
export const formatPriceHistoryHeading = (since: number): string =>
  t("Prices seen by this editor since {0}", formatMonthDay(since));
