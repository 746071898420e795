// Every offer of one rental type, read once for a page that filters and sorts on its own. Knows which offers it showed: nothing else
// can be rented from that page.
import { AppError } from "../../domain/base/error.ts";
import type { Offer, RentalType } from "../../domain/offer/offer.ts";
import { getLimit, MOST_EXPLORED, type OfferSearch } from "../../domain/offer/offer-search.ts";
import { getServiceFilters } from "../../domain/offer/table/filter-table.ts";
import type { Clock } from "../../lib/clock.ts";
import { t } from "../../lib/text.ts";
import type { SessionService, SignedIn } from "../core/session.ts";
import type { OffersService } from "./offers.ts";

interface Services {
  readonly session: SessionService;
  readonly offers: OffersService;
  readonly clock: Clock;
}

interface ExploredOffers {
  readonly offers: readonly Offer[];
  readonly unreadable: number;
  /** There may be more than were read. */
  readonly isCut: boolean;
  /** When they were read, in epoch milliseconds. */
  readonly at: number;
}

/** An offer with the search that it was found by. */
export interface RecheckedOffer {
  readonly offer: Offer;
  readonly search: OfferSearch;
}

export class OfferExplorer {
  readonly #services: Services;
  readonly #account: SignedIn;
  #search: OfferSearch;
  #reads = 0;
  /** By their IDs, with the search that they were read with. */
  #shown: { readonly offers: ReadonlyMap<number, Offer>; readonly search: OfferSearch } | undefined;

  constructor(services: Services, account: SignedIn, start: OfferSearch) {
    this.#services = services;
    this.#account = account;
    this.#search = start;
  }

  get search(): OfferSearch {
    return this.#search;
  }

  /** What was read last, to count what filters match; undefined if that was another rental type or not all of it. */
  readMarketOf(type: RentalType): readonly Offer[] | undefined {
    if (this.#shown?.search.type !== type) return undefined;
    const { filters, limit } = toRequest(this.#shown.search);
    const isWhole = limit === undefined && Object.keys(filters).length === 0;
    return isWhole ? [...this.#shown.offers.values()] : undefined;
  }

  /** @returns whether offers must be read again: another rental type or disk has other prices. */
  change(search: OfferSearch): boolean {
    const before = this.#search;
    this.#search = search;
    return toKey(before) !== toKey(search);
  }

  /**
   * Everything rentable, but for filters that only the service can judge (interface 4.2).
   * @throws AppError; `rejected` if the account was left, `cancelled` if the search changed, or they were read again, in the meantime.
   */
  async read(signal?: AbortSignal): Promise<ExploredOffers> {
    const { session, offers, clock } = this.#services;
    session.assertStill(this.#account);
    const search = this.#search;
    this.#reads += 1;
    const nth = this.#reads;
    const found = await offers.search(toRequest(search), signal, MOST_EXPLORED);
    session.assertStill(this.#account);
    if (nth !== this.#reads || toKey(search) !== toKey(this.#search))
      throw new AppError("cancelled", t("Canceled: the search changed."));
    this.#shown = { offers: new Map(found.offers.map((offer) => [offer.id, offer])), search };
    const isCut = found.offers.length + found.unreadable >= getLimit(search, MOST_EXPLORED);
    return { offers: found.offers, unreadable: found.unreadable, isCut, at: clock.now() };
  }

  /**
   * The offer with this ID, if this page showed it, with what it was shown for: the person may have chosen another rental type or disk
   * since. @throws AppError `rejected` otherwise, or if the account was left.
   */
  find(id: number): RecheckedOffer {
    this.#services.session.assertStill(this.#account);
    const offer = this.#shown?.offers.get(id);
    if (!offer || !this.#shown)
      throw new AppError("rejected", t("This offer is no longer in the list. Refresh the list."));
    const { type, diskGb } = this.#shown.search;
    return { offer, search: { ...this.#search, type, diskGb } };
  }

  /**
   * Reads the offer again, with the disk and rental type that its price was shown for.
   * @throws AppError `gone` if it was taken; otherwise as `find`.
   */
  async recheck(id: number, signal?: AbortSignal): Promise<RecheckedOffer> {
    const { session, offers } = this.#services;
    const { offer: shown, search } = this.find(id);
    const offer = await offers.reread(this.#account, shown.id, search.type, search.diskGb, signal);
    session.assertStill(this.#account);
    if (!offer) throw new AppError("gone", t("This offer was just taken. Choose another one, or refresh the list."));
    return { offer, search };
  }
}

/** The search without what the page judges on its own. */
function toRequest(search: OfferSearch): OfferSearch {
  return { ...search, sort: "price", filters: getServiceFilters(search) };
}

const toKey = (search: OfferSearch): string => JSON.stringify(toRequest(search));
