// How many machines a launch from a template would offer right now, and the lowest price.
import { type StoredFilters, understood } from "../../domain/offer/filter.ts";
import { hourly } from "../../domain/offer/offer.ts";
import { MOST_OFFERS, searchOf } from "../../domain/offer/offer-search.ts";
import type { OfferSupply } from "../../domain/template/supply.ts";
import type { OffersService } from "../offer/offers.ts";

export interface SupplyQuestion {
  readonly filters: StoredFilters;
  readonly diskGb: number;
}

/**
 * Uses the search that a launch starts with: its disk is part of the price.
 * @throws AppError if the service refuses a filter.
 */
export async function countSupply(service: OffersService, { filters, diskGb }: SupplyQuestion): Promise<OfferSupply> {
  const template = { extra_filters: understood(filters), recommended_disk_space: diskGb };
  const { offers } = await service.search(searchOf(template));
  const prices = offers.map(hourly).filter((price) => price !== undefined);
  const lowest = prices.length === 0 ? undefined : Math.min(...prices);
  return { count: offers.length, isMore: offers.length >= MOST_OFFERS, lowest };
}
