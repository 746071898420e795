// Puts together what knows of offers: searches, what they remember, and what they saw of prices.
import type { Clock } from "../../lib/clock.ts";
import type { Bag } from "../../lib/disposable.ts";
import type { Log } from "../../lib/log.ts";
import type { Notes } from "../core/notes.ts";
import type { SessionService } from "../core/session.ts";
import { OffersService } from "./offers.ts";
import { PriceHistory } from "./price-history.ts";
import { SavedSearches } from "./saved-searches.ts";

interface Parts {
  readonly session: SessionService;
  readonly notes: Notes;
  readonly folders: { readonly prices: string };
  readonly clock: Clock;
  readonly log: Log;
}

export function assembleOffers(bag: Bag, parts: Parts) {
  const { session, notes, folders } = parts;
  const offers = bag.add(new OffersService(session));
  const searches = new SavedSearches(notes, session);
  const priceHistory = bag.add(new PriceHistory({ ...parts, offers, folder: folders.prices }));
  return { offers, searches, priceHistory };
}
