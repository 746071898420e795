// What was reviewed of an offer and no longer holds: its ID may stand for something else by the time that someone confirms.
import { t } from "../../lib/text.ts";
import { formatPrice } from "../base/money.ts";
import { formatDuration, type Offer } from "../offer/offer.ts";

/** More than this much is a higher price, and no rounding error. Dollars. */
const ROUNDING = 1e-9;

/** Seconds that the time for which an offer can be rented may shrink before that is a change: it always passes. */
const PASSES = 900;

/** Also by more than a tenth: who reads a summary for long is asked for nothing but what matters. */
function isShorter(before: number | undefined, now: number | undefined): boolean {
  if (before === undefined) return false;
  return now === undefined || (before - now > PASSES && now < before * 0.9);
}

/** In words, for each term that got worse; its hourly price isn't among them. What was unknown was said to be. */
export function listChangedTerms(reviewed: Offer, now: Offer): string[] {
  const differs = (...fields: readonly (keyof Offer)[]) =>
    fields.some((field) => reviewed[field] !== undefined && reviewed[field] !== now[field]);
  const rose = (field: "inet_up_cost" | "inet_down_cost" | "storage_cost") => {
    const [before, price] = [reviewed[field], now[field]];
    return before !== undefined && (price === undefined || price > before + ROUNDING);
  };
  return [
    ...(differs("machine_id", "host_id") ? [t("another machine")] : []),
    ...(differs("gpu_name", "num_gpus", "gpu_ram") ? [t("another GPU")] : []),
    ...(differs("geolocation") ? [t("another location")] : []),
    ...(differs("cluster_id") ? [t("another cluster")] : []),
    ...(isShorter(reviewed.duration, now.duration)
      ? [t("rental length up to {0} instead of {1}", formatLength(now.duration), formatLength(reviewed.duration))]
      : []),
    ...(reviewed.verified && !now.verified ? [t("no longer verified")] : []),
    ...(rose("inet_up_cost")
      ? [t("upload {0}/GB instead of {1}/GB", formatPrice(now.inet_up_cost), formatPrice(reviewed.inet_up_cost))]
      : []),
    ...(rose("inet_down_cost")
      ? [t("download {0}/GB instead of {1}/GB", formatPrice(now.inet_down_cost), formatPrice(reviewed.inet_down_cost))]
      : []),
    ...(rose("storage_cost")
      ? [t("disk {0}/GB a month instead of {1}", formatPrice(now.storage_cost), formatPrice(reviewed.storage_cost))]
      : []),
  ];
}

const formatLength = (seconds: number | undefined): string => (seconds === undefined ? "?" : formatDuration(seconds));

/** Whether a bid that was enough is below the minimum now: the machine would be billed for its disk and never start. */
export function isOutbid(bid: number, reviewed: Pick<Offer, "min_bid">, now: Pick<Offer, "min_bid">): boolean {
  if (now.min_bid === undefined || bid >= now.min_bid - ROUNDING) return false;
  return reviewed.min_bid === undefined || bid >= reviewed.min_bid - ROUNDING;
}
