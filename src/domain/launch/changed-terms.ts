// What was reviewed of an offer and no longer holds: its ID may stand for something else by the time that somebody confirms.
import { t } from "../../lib/text.ts";
import { formatPrice } from "../base/money.ts";
import type { Offer } from "../offer/offer.ts";

/** More than this much is a higher price, and no rounding error. Dollars. */
const ROUNDING = 1e-9;

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
