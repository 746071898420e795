// Shows every offer as a page to compare them. The page asks, and what spends money goes through the ordinary launch.
import * as vscode from "vscode";
import type { Filters } from "../../domain/offer/filter.ts";
import type { MachineHistories } from "../../domain/offer/machine-history.ts";
import { anySearch, type OfferSearch, toTemplateFilters, withCondition } from "../../domain/offer/offer-search.ts";
import type { OfferJob } from "../../domain/offer/table/job.ts";
import { toOfferTable } from "../../domain/offer/table/offer-table.ts";
import { type OffersLayout, readLayout } from "../../domain/offer/table/offers-layout.ts";
import { stored } from "../../ids.ts";
import type { Clock } from "../../lib/clock.ts";
import { Bag, type Disposable } from "../../lib/disposable.ts";
import type { Log } from "../../lib/log.ts";
import { t } from "../../lib/text.ts";
import { buildTableNotes } from "../../present/offer/offer-notes.ts";
import { type ChangedSearch, type ListedOffers, offersPage } from "../../protocol/offers-page.ts";
import type { Notes } from "../../services/core/notes.ts";
import type { SessionService, SignedIn } from "../../services/core/session.ts";
import { OfferExplorer, type RecheckedOffer } from "../../services/offer/offer-explorer.ts";
import { createMarketReader, type OffersService } from "../../services/offer/offers.ts";
import { type FindUsual, findUsualPrice } from "../../services/offer/price-history.ts";
import type { SavedSearches } from "../../services/offer/saved-searches.ts";
import { BACK } from "../kit/ask/steps.ts";
import { showError } from "../kit/errors.ts";
import { tellInfo } from "../kit/messages.ts";
import { type Answers, answerPage } from "../kit/page-line.ts";
import { PageTabs } from "../kit/page-tabs.ts";
import type { Objection } from "./choose-offer.ts";
import { editFilters } from "./edit-filters.ts";
import { askFilter, type FilterFacts } from "./filter-questions.ts";
import { askLimit } from "./other-filters.ts";

interface Services {
  readonly session: SessionService;
  readonly offers: OffersService;
  readonly searches: SavedSearches;
  readonly notes: Notes;
  readonly clock: Clock;
  readonly log: Log;
}

/** What happens with an offer, and what is known of offers elsewhere. */
export interface OffersHandlers {
  readonly readObjection: (account: SignedIn) => Promise<Objection>;
  /** How machines served the person before. Never fails. */
  readonly readHistories: (account: SignedIn) => Promise<MachineHistories>;
  /** What GPUs usually cost. Never fails. */
  readonly readUsual: (account: SignedIn) => Promise<FindUsual>;
  /** The ordinary launch. Resolves when it is over. */
  readonly review: (account: SignedIn, found: RecheckedOffer, job: OfferJob) => Promise<void>;
  /** Asks for the price to wait for. */
  readonly watch: (account: SignedIn, found: RecheckedOffer) => Promise<void>;
  readonly saveToTemplate: (account: SignedIn, filters: Filters) => Promise<void>;
}

export class OffersPanel implements Disposable {
  readonly #services: Services;
  readonly #handlers: OffersHandlers;
  readonly #tabs: PageTabs<"offers">;
  readonly #listening: Disposable;

  constructor(extension: vscode.Uri, services: Services, handlers: OffersHandlers) {
    this.#services = services;
    this.#handlers = handlers;
    this.#tabs = new PageTabs(extension, "offers");
    // Its offers were read with another account, and so was what the person rented before.
    this.#listening = services.session.onDidChange(() => this.#tabs.clear());
  }

  /**
   * Shows the page that is open, or with a search that is asked for, a new one in its place.
   * @throws AppError `signed-out`.
   */
  show(asked?: (search: OfferSearch) => OfferSearch): void {
    const account = this.#services.session.requireSignedIn();
    if (asked) this.#tabs.close("offers");
    this.#tabs.show("offers", t("Offers"), ({ webview }) => {
      const bag = new Bag();
      const { answers } = bag.add(new OffersLine(account, this.#services, this.#handlers, asked));
      const { log } = this.#services;
      bag.add(answerPage({ webview, contract: offersPage, answers, fieldOf: () => undefined, log }));
      return bag;
    });
  }

  dispose(): void {
    this.#listening.dispose();
    this.#tabs.dispose();
  }
}

/** Answers one page. */
class OffersLine implements Disposable {
  readonly #account: SignedIn;
  readonly #services: Services;
  readonly #handlers: OffersHandlers;
  readonly #explorer: OfferExplorer;
  readonly #fresh: OfferSearch;
  readonly #abort = new AbortController();
  #layout: OffersLayout;

  constructor(
    account: SignedIn,
    services: Services,
    handlers: OffersHandlers,
    asked?: (search: OfferSearch) => OfferSearch,
  ) {
    this.#account = account;
    this.#services = services;
    this.#handlers = handlers;
    this.#layout = readLayout(services.notes.get(stored.offersLayout));
    this.#fresh = { ...anySearch, diskGb: this.#layout.job.diskGb };
    const start = asked?.(this.#fresh) ?? services.searches.getLast(undefined, this.#fresh) ?? this.#fresh;
    const { diskGb } = start;
    if (asked) this.#layout = { ...this.#layout, job: { ...this.#layout.job, diskGb } };
    this.#explorer = new OfferExplorer(services, account, start);
  }

  readonly answers: Answers<typeof offersPage> = {
    open: async () => ({
      search: this.#searchOfPage(),
      layout: this.#layout,
      language: vscode.env.language,
      dictionary: vscode.l10n.bundle ?? {},
    }),
    read: () => this.#read(),
    filter: ({ field }) => this.#filter(field),
    loosen: async ({ field }) => this.#loosen(field),
    limit: (what) => this.#limit(what),
    type: async (type) => this.#change({ ...this.#explorer.search, type }),
    disk: async (diskGb) => this.#change({ ...this.#explorer.search, diskGb }),
    keep: async (layout) => {
      this.#layout = layout;
      this.#services.notes.set(stored.offersLayout, layout);
      return null;
    },
    review: async ({ id }) => {
      const found = await this.#explorer.recheck(id, this.#abort.signal);
      // Its questions and its summary may stay open for long, and the page doesn't wait for them.
      const { job } = this.#layout;
      this.#handlers.review(this.#account, found, job).catch((error) => showError(error, this.#services.log));
      return null;
    },
    watch: async ({ id }) => {
      // Its questions may stay open for long, and the page doesn't wait for them.
      const { log } = this.#services;
      this.#handlers.watch(this.#account, this.#explorer.find(id)).catch((error) => showError(error, log));
      return null;
    },
    copy: async () => {
      await vscode.env.clipboard.writeText(JSON.stringify(toTemplateFilters(this.#explorer.search.filters), null, 2));
      void tellInfo(t("Copied the filters as JSON, as template files have them under “extra_filters”."));
      return null;
    },
    saveToTemplate: async () => {
      this.#services.session.assertStill(this.#account);
      await this.#handlers.saveToTemplate(this.#account, toTemplateFilters(this.#explorer.search.filters));
      return null;
    },
  };

  async #read(): Promise<ListedOffers> {
    const { readObjection, readHistories, readUsual } = this.#handlers;
    const { search } = this.#explorer;
    const [found, object, histories, findUsual] = await Promise.all([
      this.#explorer.read(this.#abort.signal),
      readObjection(this.#account),
      readHistories(this.#account),
      readUsual(this.#account),
    ]);
    const { offers, ...about } = found;
    const table = toOfferTable(
      offers,
      buildTableNotes(
        histories,
        (offer) => object(offer, search),
        (offer) => findUsualPrice(findUsual, offer, search),
      ),
    );
    return { table, ...about, type: search.type, diskGb: search.diskGb };
  }

  async #filter(field: string | undefined): Promise<ChangedSearch | undefined> {
    const { offers, searches, session } = this.#services;
    const { search: start } = this.#explorer;
    const [histories, findUsual] = await Promise.all([
      this.#handlers.readHistories(this.#account),
      this.#handlers.readUsual(this.#account),
    ]);
    const readMarket = createMarketReader(offers);
    const market = async (search: OfferSearch) =>
      this.#explorer.readMarketOf(search.type) ?? (await readMarket(search));
    const edited =
      field === undefined
        ? await editFilters({ start, fresh: this.#fresh, market, searches, histories, findUsual })
        : await askOneFilter(field, { search: start, market: await market(start), histories, findUsual });
    session.assertStill(this.#account);
    return edited && this.#change({ ...edited, diskGb: this.#explorer.search.diskGb });
  }

  #loosen(field: string | undefined): ChangedSearch {
    const { search } = this.#explorer;
    if (field === undefined) return this.#change({ ...search, filters: {}, limit: undefined });
    return this.#change({ ...search, filters: withCondition(search.filters, field, undefined) });
  }

  async #limit(what: "ask" | "remove"): Promise<ChangedSearch | undefined> {
    const { search } = this.#explorer;
    const edited = what === "remove" ? { ...search, limit: undefined } : await askLimit(search);
    this.#services.session.assertStill(this.#account);
    if (edited === undefined || edited === BACK) return undefined;
    return this.#change({ ...edited, diskGb: this.#explorer.search.diskGb });
  }

  #change(search: OfferSearch): ChangedSearch {
    const before = this.#explorer.search;
    const mustRead = this.#explorer.change(search);
    return {
      search: this.#searchOfPage(),
      mustRead,
      ...(before.sort === search.sort ? {} : { sort: search.sort }),
    };
  }

  #searchOfPage(): ChangedSearch["search"] {
    const { filters, type, limit } = this.#explorer.search;
    return { filters, type, ...(limit === undefined ? {} : { limit }) };
  }

  dispose(): void {
    this.#abort.abort();
  }
}

async function askOneFilter(field: string, facts: FilterFacts): Promise<OfferSearch | undefined> {
  const answer = await askFilter(field, facts);
  if (answer === undefined || answer === BACK) return undefined;
  const { search } = facts;
  return { ...search, filters: withCondition(search.filters, field, answer.condition) };
}
