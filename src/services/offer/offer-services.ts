// Puts together what knows of offers: searches, what they remember, and what they saw of prices.
import { USUAL_WATCH_MINUTES } from "../../domain/offer/price-watch.ts";
import type { Bag } from "../../lib/disposable.ts";
import type { Log } from "../../lib/log.ts";
import type { Disk } from "../core/book/disk.ts";
import type { Liveness } from "../core/heartbeat.ts";
import type { Notes } from "../core/notes.ts";
import type { Scheduler } from "../core/scheduler.ts";
import type { SessionService } from "../core/session.ts";
import { OffersService } from "./offers.ts";
import { PriceHistory } from "./price-history.ts";
import { PriceWatches } from "./price-watches.ts";
import { SavedSearches } from "./saved-searches.ts";

interface Parts {
  readonly session: SessionService;
  readonly folders: { readonly prices: string; readonly priceWatches: string };
  readonly scheduler: Scheduler;
  readonly liveness: Liveness;
  readonly log: Log;
}

interface Ports {
  readonly notes: Notes;
  readonly disk?: Disk;
  /** Minutes between two looks at a watched price. */
  readonly watchMinutes?: () => number;
}

export function assembleOffers(bag: Bag, ports: Ports, parts: Parts) {
  const { session, folders, scheduler } = parts;
  const { notes, disk, watchMinutes: minutes = () => USUAL_WATCH_MINUTES } = ports;
  const offers = bag.add(new OffersService(session));
  const searches = new SavedSearches(notes, session);
  const priceHistory = bag.add(new PriceHistory({ ...parts, offers, folder: folders.prices, clock: scheduler.clock }));
  const priceWatches = bag.add(new PriceWatches({ ...parts, offers, disk, minutes, folder: folders.priceWatches }));
  return { offers, searches, priceHistory, priceWatches };
}
