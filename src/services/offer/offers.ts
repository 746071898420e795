// Offers are read when the person looks at them and aren't kept any longer: they change by the second.
import type { OfferId } from "../../domain/base/id.ts";
import type { Offer, RentalType } from "../../domain/offer/offer.ts";
import {
  anySearch,
  getLimit,
  MOST_OFFERS,
  type OfferSearch,
  sortOffers,
  toSearchBody,
} from "../../domain/offer/offer-search.ts";
import { looksAtAllPrices, type SeenOffers } from "../../domain/offer/price-history.ts";
import { realClock } from "../../lib/clock.ts";
import type { Disposable } from "../../lib/disposable.ts";
import { Emitter } from "../../lib/event.ts";
import { createLazy } from "../../lib/task.ts";
import type { SessionService, SignedIn } from "../core/session.ts";

export interface FoundOffers {
  readonly offers: readonly Offer[];
  readonly unreadable: number;
}

/** Enough of the market to explain why a search is empty. */
export const WHOLE_MARKET = 5000;

/** Reads the whole market once for each rental type, for all counts while a person chooses. */
export function createMarketReader(offers: OffersService): (search: OfferSearch) => Promise<readonly Offer[]> {
  const markets = new Map<RentalType, () => Promise<readonly Offer[]>>();
  return (search) => {
    const market = markets.get(search.type) ?? createLazy(() => offers.readMarket(search));
    markets.set(search.type, market);
    return market();
  };
}

/** Milliseconds for which the names of GPUs are believed: kinds of GPUs come and go slowly. */
const NAMES_KEPT = 3_600_000;
/** Milliseconds for which a market that couldn't be read isn't asked for them again. */
const NAMES_PAUSE = 300_000;

interface KnownGpus {
  /** Monotonic milliseconds. */
  readonly at: number;
  readonly reading: Promise<readonly string[] | undefined>;
  names: readonly string[] | undefined;
}

export class OffersService implements Disposable {
  readonly #session: SessionService;
  readonly #finds = new Emitter<SeenOffers & { readonly account: SignedIn }>();
  /** Fires with the result of each search. */
  readonly onDidFind = this.#finds.event;

  readonly #gpuNames = new WeakMap<SignedIn, KnownGpus>();

  constructor(session: SessionService) {
    this.#session = session;
  }

  /** Offers that match the search, in its order (interface 4.2): at most `room` of them, or as many as the search says. */
  async search(search: OfferSearch, signal?: AbortSignal, room = MOST_OFFERS): Promise<FoundOffers> {
    return await this.searchIn(this.#session.requireSignedIn(), search, signal, room);
  }

  /** The same in an account that may not be the one signed in to by the time of the response. */
  async searchIn(
    account: SignedIn,
    search: OfferSearch,
    signal?: AbortSignal,
    room = MOST_OFFERS,
  ): Promise<FoundOffers> {
    const found = await account.client.searchOffers(toSearchBody(search, room), signal);
    const offers = found.rows.map((row) => row.value);
    const isWhole = offers.length + found.unreadable < getLimit(search, room) && looksAtAllPrices(search.filters);
    this.#finds.fire({ account, type: search.type, diskGb: search.diskGb, offers, isWhole });
    return { offers: sortOffers(offers, search.sort), unreadable: found.unreadable };
  }

  /** Everything rentable now in one market, for counting the matches of other filters. */
  async readMarket(search: OfferSearch, signal?: AbortSignal): Promise<readonly Offer[]> {
    const everything = { ...search, filters: {}, limit: undefined };
    return (await this.searchIn(this.#session.requireSignedIn(), everything, signal, WHOLE_MARKET)).offers;
  }

  /** The names of all GPUs on offer as they were read last in this account; undefined before. */
  get gpuNames(): readonly string[] | undefined {
    const { current } = this.#session;
    return current.kind === "signed-in" ? this.#gpuNames.get(current)?.names : undefined;
  }

  /**
   * Reads the whole market for them, unless that was tried a moment ago.
   * @returns undefined if it couldn't be read, or not all of it: then no one knows which GPU no machine has.
   */
  async readGpuNames(): Promise<readonly string[] | undefined> {
    const account = this.#session.requireSignedIn();
    const before = this.#gpuNames.get(account);
    const age = before === undefined ? Infinity : realClock.elapsed() - before.at;
    if (before && age < (before.names ? NAMES_KEPT : NAMES_PAUSE)) return await before.reading;
    const reading = this.#findGpuNames(account).catch(() => undefined);
    const known: KnownGpus = { at: realClock.elapsed(), reading, names: before?.names };
    this.#gpuNames.set(account, known);
    known.names = await reading;
    return known.names;
  }

  async #findGpuNames(account: SignedIn): Promise<readonly string[] | undefined> {
    const { offers, unreadable } = await this.searchIn(account, { ...anySearch, filters: {} }, undefined, WHOLE_MARKET);
    if (unreadable > 0 || offers.length >= WHOLE_MARKET) return undefined;
    return [...new Set(offers.flatMap(({ gpu_name: name }) => name || []))];
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

  dispose(): void {
    this.#finds.dispose();
  }
}
