// Offers are read when the person looks at them and aren't kept any longer: they change by the second.
import type { OfferId } from "../../domain/base/id.ts";
import type { Offer, RentalType } from "../../domain/offer/offer.ts";
import { type OfferSearch, searchBody, sortOffers } from "../../domain/offer/offer-search.ts";
import type { SessionService, SignedIn } from "../core/session.ts";

export interface FoundOffers {
  readonly offers: readonly Offer[];
  readonly unreadable: number;
}

/** Enough of the market to explain why a search is empty. */
export const WHOLE_MARKET = 5000;

export class OffersService {
  readonly #session: SessionService;

  constructor(session: SessionService) {
    this.#session = session;
  }

  /** Offers that match the search, in its order (interface 4.2). */
  async search(search: OfferSearch, signal?: AbortSignal, limit?: number): Promise<FoundOffers> {
    const found = await this.#session.signedIn().client.searchOffers(searchBody(search, limit), signal);
    return {
      offers: sortOffers(
        found.rows.map((row) => row.value),
        search.sort,
      ),
      unreadable: found.unreadable,
    };
  }

  /** Everything rentable now in one market, for counting the matches of other filters. */
  async market(search: OfferSearch, signal?: AbortSignal): Promise<readonly Offer[]> {
    const everything = searchBody({ ...search, filters: {} }, WHOLE_MARKET);
    const found = await this.#session.signedIn().client.searchOffers(everything, signal);
    return found.rows.map((row) => row.value);
  }

  /** One offer as it is now with this disk size; undefined if it is gone. */
  async reread(
    { client }: SignedIn,
    id: OfferId,
    type: RentalType,
    diskGb: number,
    signal?: AbortSignal,
  ): Promise<Offer | undefined> {
    const body = {
      id: { eq: id },
      rentable: { eq: true },
      verified: { in: [true, false] },
      type,
      allocated_storage: diskGb,
      limit: 1,
    };
    const found = await client.searchOffers(body, signal);
    return found.rows.map((row) => row.value).find((offer) => offer.id === id && offer.rentable !== false);
  }
}
