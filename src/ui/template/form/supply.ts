// How many machines a launch from a template would offer right now, and the lowest price.

import { perHour } from "../../../domain/base/money.ts";
import { type StoredFilters, understood } from "../../../domain/offer/filter.ts";
import { hourly } from "../../../domain/offer/offer.ts";
import { MOST_OFFERS, searchOf } from "../../../domain/offer/offer-search.ts";
import { t } from "../../../lib/text.ts";
import type { Supply } from "../../../protocol/template-page.ts";
import type { OffersService } from "../../../services/offer/offers.ts";

export interface Wanted {
  readonly filters: StoredFilters;
  readonly diskGb: number;
}

/**
 * Uses the search that a launch starts with: its disk is part of the price.
 * @throws AppError if the service refuses a filter.
 */
export async function supply(service: OffersService, { filters, diskGb }: Wanted): Promise<Supply> {
  const template = { extra_filters: understood(filters), recommended_disk_space: diskGb };
  const { offers } = await service.search(searchOf(template));
  const prices = offers.map(hourly).filter((price) => price !== undefined);
  const count = offers.length;
  if (count === 0) return { count, text: t("No machine matches right now.") };
  const from = perHour(prices.length === 0 ? undefined : Math.min(...prices));
  if (count >= MOST_OFFERS) return { count, text: t("{0} machines or more match right now, from {1}.", count, from) };
  if (count === 1) return { count, text: t("One machine matches right now, for {0}.", from) };
  return { count, text: t("{0} machines match right now, from {1}.", count, from) };
}
