// What someone new rents first works: a machine that fails is a lesson for later.
import { matchesFilters } from "../../domain/offer/filter.ts";
import type { OfferSearch } from "../../domain/offer/offer-search.ts";
import { calculateStoragePrice, type MarketOffer } from "./market.ts";
import { buildMachineFields } from "./offer-record.ts";

/** How far down a list someone new looks. */
const LOOKED_AT = 6;

/**
 * Makes the cheapest offers of each search work, for both kinds of rental. The filters are those on a machine: what depends on the time or
 * the price isn't among its fields.
 */
export function smoothFirstTries(offers: readonly MarketOffer[], searches: readonly OfferSearch[]): void {
  const free = offers.filter(({ taken }) => !taken).map((offer) => ({ offer, fields: buildMachineFields(offer) }));
  for (const { filters, diskGb } of searches) {
    const found = free.flatMap(({ offer, fields }) => {
      const fits = offer.machine.disk >= diskGb && matchesFilters(fields, filters, (one, field) => one[field]);
      return fits ? [offer] : [];
    });
    const withDisk = (price: number, { machine }: MarketOffer) => price + calculateStoragePrice(machine, diskGb);
    runCheapest(found, (offer) => withDisk(offer.price, offer));
    const interruptible = found.filter(({ minBid }) => minBid !== null);
    runCheapest(interruptible, (offer) => withDisk(offer.minBid ?? 0, offer));
  }
}

function runCheapest(offers: readonly MarketOffer[], priceOf: (offer: MarketOffer) => number): void {
  for (const offer of offers.toSorted((a, b) => priceOf(a) - priceOf(b)).slice(0, LOOKED_AT)) offer.fate = "runs";
}
