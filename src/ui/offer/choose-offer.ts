// Choosing an offer: the list, its filters, and what is offered if nothing matches.
import type { MachineHistories } from "../../domain/offer/machine-history.ts";
import type { Offer } from "../../domain/offer/offer.ts";
import { getLimit, type OfferSearch, withCondition } from "../../domain/offer/offer-search.ts";
import { createLazy } from "../../lib/task.ts";
import { t } from "../../lib/text.ts";
import { countOffers, type OfferNotes } from "../../present/offer/offers.ts";
import { createMarketReader, type OffersService, WHOLE_MARKET } from "../../services/offer/offers.ts";
import { type FindUsual, findUsualPrice } from "../../services/offer/price-history.ts";
import type { SavedSearches } from "../../services/offer/saved-searches.ts";
import { pickOne } from "../kit/ask/pick.ts";
import { type Answer, BACK, type StepPlace } from "../kit/ask/steps.ts";
import { editFilters } from "./edit-filters.ts";
import {
  buildEmptyChoices,
  buildFiltersChoice,
  buildOfferChoices,
  buildTypedChoices,
  FILTERS,
  type Line,
} from "./offer-lines.ts";

interface OfferChoice {
  readonly offer: Offer;
  readonly search: OfferSearch;
}

interface Listed {
  readonly offers: readonly Offer[];
  readonly unreadable: number;
  /** There may be more that match. */
  readonly isCut: boolean;
}

/** Says why the person can't rent an offer, by limits of their own. */
export type Objection = (offer: Offer, search: OfferSearch) => string | undefined;

export interface OfferQuestion {
  readonly offers: OffersService;
  readonly searches: SavedSearches;
  /** Where the filters start. */
  readonly search: OfferSearch;
  /** Where *Start Over* leads. */
  readonly fresh: OfferSearch;
  /** Offers that are left out: those that are gone, and machines that died. */
  readonly tried: ReadonlySet<number>;
  /** Chosen before. */
  readonly chosen: Offer | undefined;
  /** Read again with each list. */
  readonly readObjection: () => Promise<Objection>;
  /** How machines served the person before. Never fails. */
  readonly readHistories: () => Promise<MachineHistories>;
  /** What GPUs usually cost. Never fails. */
  readonly readUsual: () => Promise<FindUsual>;
  /** Waits for a better price than those of now. */
  readonly watch: (search: OfferSearch) => Promise<void>;
  /** Tells the person why an offer can't be chosen. The list stays open. */
  readonly refuse: (offer: Offer, search: OfferSearch) => void;
}

export async function chooseOffer(question: OfferQuestion, place: StepPlace): Promise<Answer<OfferChoice>> {
  const { offers, tried, chosen } = question;
  const market = marketOf(offers, tried);
  let search = question.search;
  const typed = { text: "" };
  for (;;) {
    let listed: Listed = { offers: [], unreadable: 0, isCut: false };
    let known: Known = { object: () => undefined, histories: new Map(), findUsual: () => undefined };
    const describe = (offer: Offer): OfferNotes => ({
      objection: known.object(offer, search),
      usual: findUsualPrice(known.findUsual, offer, search)?.median,
      history: offer.machine_id === undefined ? undefined : known.histories.get(offer.machine_id),
    });
    const findAll = createLazy(() => findUntried(question, search));
    const line: Answer<Line> = await pickOne<Line>({
      ...place,
      placeholder: t("Type to search, or change the filters. Prices include {0} GB of disk.", search.diskGb),
      choices: async (signal) => {
        const [found, object, histories, findUsual] = await Promise.all([
          offers.search(search, signal),
          question.readObjection(),
          question.readHistories(),
          question.readUsual(),
        ]);
        known = { object, histories, findUsual };
        const untried = found.offers.filter((offer) => !tried.has(offer.id));
        const isCut = found.offers.length >= getLimit(search);
        listed = { offers: untried, unreadable: found.unreadable, isCut };
        return untried.length > 0
          ? buildOfferChoices(search, untried, describe)
          : buildEmptyChoices(search, await market(search));
      },
      // A service may refuse a filter that came from a template.
      insteadOfRetry: [buildFiltersChoice(search)],
      typed,
      whenNoneFits: async (text) => {
        const [matching, rentable] = await Promise.all([listed.isCut ? findAll() : listed.offers, market(search)]);
        const beyond = { matching, market: rentable, isWholeMarket: rentable.length < WHOLE_MARKET };
        return buildTypedChoices(text, search, beyond, describe);
      },
      button: { icon: "filter", tooltip: t("Filters…"), value: FILTERS },
      isLast: (value) => value.kind === "filters" || value.kind === "watch",
      summarize: (fitting) => summarize(fitting, listed, getLimit(search)),
      mayTake: (value) => {
        if (value.kind !== "offer" || known.object(value.offer, search) === undefined) return true;
        question.refuse(value.offer, search);
        return false;
      },
      active: (value) =>
        value.kind === "relax" || (value.kind === "offer" && (chosen === undefined || value.offer.id === chosen.id)),
    });
    if (line === undefined || line === BACK) return line;
    if (line.kind === "offer") return { offer: line.offer, search };
    const changed = await changeSearch(question, line, search, { ...known, market });
    if (changed === undefined) return undefined;
    search = changed;
  }
}

/** What matches the filters, however many of it the person wants to see. */
async function findUntried({ offers, tried }: OfferQuestion, search: OfferSearch): Promise<readonly Offer[]> {
  const { offers: all } = await offers.search({ ...search, limit: undefined }, undefined, WHOLE_MARKET);
  return all.filter(({ id }) => !tried.has(id));
}

/** What was read with a list. */
interface Known {
  readonly object: Objection;
  readonly histories: MachineHistories;
  readonly findUsual: FindUsual;
}

/** What is searched for once a line was chosen that isn't an offer. @returns undefined if the person dropped the question. */
async function changeSearch(
  { fresh, searches, watch }: OfferQuestion,
  line: Exclude<Line, { readonly kind: "offer" }>,
  search: OfferSearch,
  { market, histories, findUsual }: Known & { readonly market: ReturnType<typeof marketOf> },
): Promise<OfferSearch | undefined> {
  if (line.kind === "everything") return { ...search, filters: {} };
  if (line.kind === "relax") {
    const { field, condition } = line.relaxation;
    return { ...search, filters: withCondition(search.filters, field, condition) };
  }
  if (line.kind === "filters")
    return await editFilters({ start: search, fresh, market, searches, histories, findUsual });
  await watch(search);
  return search;
}

/** Everything rentable but for what was tried already. */
function marketOf(
  offers: OffersService,
  tried: ReadonlySet<number>,
): (search: OfferSearch) => Promise<readonly Offer[]> {
  const market = createMarketReader(offers);
  return async (search) => (await market(search)).filter((offer) => !tried.has(offer.id));
}

/** How many offers fit what is typed. */
function summarize(
  fitting: readonly Line[],
  { offers: { length: total }, unreadable }: Listed,
  limit: number,
): string | undefined {
  if (total === 0) return undefined;
  const shown = fitting.reduce((sum, line) => sum + (line.kind === "offer" ? line.count : 0), 0);
  return countOffers(shown, total, limit, unreadable);
}
