// How many machines a launch from a template would offer right now, and the lowest price.
import { type StoredFilters, toFilters } from "../../domain/offer/filter.ts";
import { findUnknownGpus, listAskedGpus } from "../../domain/offer/gpu-names.ts";
import { getHourlyPrice } from "../../domain/offer/offer.ts";
import { MOST_OFFERS, toOfferSearch } from "../../domain/offer/offer-search.ts";
import type { OfferSupply } from "../../domain/template/supply.ts";
import type { OffersService } from "../offer/offers.ts";

interface SupplyQuestion {
  readonly filters: StoredFilters;
  readonly diskGb: number;
}

/**
 * Uses the search that a launch starts with: its disk is part of the price.
 * @throws AppError if the service refuses a filter.
 */
export async function countSupply(service: OffersService, { filters, diskGb }: SupplyQuestion): Promise<OfferSupply> {
  const template = { extra_filters: toFilters(filters), recommended_disk_space: diskGb };
  const { offers } = await service.search(toOfferSearch(template));
  const prices = offers.map(getHourlyPrice).filter((price) => price !== undefined);
  const lowest = prices.length === 0 ? undefined : Math.min(...prices);
  const asked = offers.length === 0 ? listAskedGpus(filters) : [];
  const known = asked.length === 0 ? [] : ((await service.readGpuNames()) ?? []);
  const unknownGpus = findUnknownGpus(asked, known);
  return { unknownGpus, count: offers.length, isMore: offers.length >= MOST_OFFERS, lowest };
}
