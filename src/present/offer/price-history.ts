// What a GPU usually costs, as far as this editor has seen it, in a few words for a list.
import { dollars } from "../../domain/base/money.ts";
import { compareWithUsual, drawSparkline, type PriceHistoryOfGpu } from "../../domain/offer/price-history.ts";
import { monthDay, t } from "../../lib/text.ts";

/** Shares that nobody calls a difference. */
const ABOUT = 0.03;

/** `12% below what you usually see`. Both prices are in dollars per hour and GPU; undefined if either isn't known. */
export function usualText(price: number | undefined, usual: number | undefined): string | undefined {
  const share = compareWithUsual(price, usual);
  if (share === undefined) return undefined;
  if (Math.abs(share) < ABOUT) return t("about what you usually see");
  const percent = Math.round(Math.abs(share) * 100);
  return share < 0 ? t("{0}% below what you usually see", percent) : t("{0}% above what you usually see", percent);
}

/** `▂▃▅▂ usually $0.31/GPU·h ($0.24–$0.41), seen by this editor since Nov 3`. */
export function priceHistoryText({ points, median, low, high, since }: PriceHistoryOfGpu): string {
  const bars = drawSparkline(points.map((point) => point.median));
  const usual = `${dollars(median)}/GPU·h`;
  const range = `${dollars(low)}–${dollars(high)}`;
  return `${bars} ${t("usually {0} ({1}), seen by this editor since {2}", usual, range, monthDay(since))}`;
}
