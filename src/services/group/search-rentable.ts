// The machines that a group may be of: what the person can rent now, by their filters and their limits.
import type { LaunchDraft } from "../../domain/launch/launch-draft.ts";
import { getHourlyPrice, type Offer } from "../../domain/offer/offer.ts";
import type { OfferSearch } from "../../domain/offer/offer-search.ts";
import type { SignedIn } from "../core/session.ts";
import type { LaunchService } from "../launch/launch.ts";
import type { OfferLimits } from "../launch/offer-limits.ts";
import { type OffersService, WHOLE_MARKET } from "../offer/offers.ts";

interface Services {
  readonly offers: OffersService;
  readonly offerLimits: OfferLimits;
  readonly launches: LaunchService;
}

/** What the person's limits allow, cheapest first. Groups are rented on demand: bids of several machines can't be kept together. */
export async function searchRentable(
  { offers, offerLimits, launches }: Services,
  account: SignedIn,
  base: Pick<LaunchDraft, "search" | "diskGb">,
  signal?: AbortSignal,
): Promise<readonly Offer[]> {
  const search: OfferSearch = { ...base.search, type: "ondemand", sort: "price", diskGb: base.diskGb };
  const [{ offers: all }, find] = await Promise.all([
    offers.search(search, signal, WHOLE_MARKET),
    offerLimits.read(account),
  ]);
  const { diskGb } = search;
  const isAllowed = (offer: Offer) => find({ offer, type: "ondemand", diskGb, bid: undefined }) === undefined;
  return all.filter(
    (offer) => getHourlyPrice(offer) !== undefined && !launches.tried.has(offer.id) && isAllowed(offer),
  );
}
