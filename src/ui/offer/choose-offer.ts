// Choosing an offer: the list, its filters, and, if nothing matches, which filters to loosen and how many offers that
// would give.
import type { Offer, RentalType } from "../../domain/offer/offer.ts";
import {
  describeCondition,
  describeFilters,
  fieldName,
  MOST_OFFERS,
  type OfferSearch,
  type Relaxation,
  relaxations,
  removedBy,
  withCondition,
} from "../../domain/offer/offer-search.ts";
import { lazily } from "../../lib/task.ts";
import { t } from "../../lib/text.ts";
import { offerLine } from "../../present/offer/offers.ts";
import type { FoundOffers, OffersService } from "../../services/offer/offers.ts";
import { type Answer, BACK, type Choice, pick, type StepPlace, separator } from "../kit/steps.ts";
import { editFilters, marketName, sortName } from "./edit-filters.ts";

export interface OfferChoice {
  readonly offer: Offer;
  readonly search: OfferSearch;
}

type Line =
  | { readonly kind: "filters" }
  | { readonly kind: "offer"; readonly offer: Offer }
  | { readonly kind: "relax"; readonly relaxation: Relaxation }
  | { readonly kind: "everything" };

/** `tried` offers are left out: those that are gone, and machines that died. */
export async function chooseOffer(
  offers: OffersService,
  { search: start, fresh }: { readonly search: OfferSearch; readonly fresh: OfferSearch },
  place: StepPlace,
  tried: ReadonlySet<number>,
  chosen: Offer | undefined,
): Promise<Answer<OfferChoice>> {
  const market = marketOf(offers, tried);
  let search = start;
  for (;;) {
    const line: Answer<Line> = await pick<Line>({
      ...place,
      placeholder: t("Type to search, or change the filters. Prices include {0} GB of disk.", search.diskGb),
      choices: async (signal) => {
        const found = await offers.search(search, signal);
        const untried = found.offers.filter((offer) => !tried.has(offer.id));
        return untried.length > 0
          ? offerChoices(search, { ...found, offers: untried })
          : emptyChoices(search, await market(search));
      },
      // A service may refuse a filter that came from a template.
      insteadOfRetry: [filtersChoice(search)],
      active: (value) =>
        value.kind === "relax" || (value.kind === "offer" && (chosen === undefined || value.offer.id === chosen.id)),
    });
    if (line === undefined || line === BACK) return line;
    if (line.kind === "offer") return { offer: line.offer, search };
    if (line.kind === "relax")
      search = { ...search, filters: withCondition(search.filters, line.relaxation.field, line.relaxation.condition) };
    else if (line.kind === "everything") search = { ...search, filters: {} };
    else {
      const edited = await editFilters(search, fresh, market);
      if (edited === undefined) return undefined;
      search = edited;
    }
  }
}

/** Reads the whole market once per rental type and uses it for all counts while the person chooses. */
function marketOf(
  offers: OffersService,
  tried: ReadonlySet<number>,
): (search: OfferSearch) => Promise<readonly Offer[]> {
  const looks = new Map<RentalType, () => Promise<readonly Offer[]>>();
  return (search) => {
    const look =
      looks.get(search.type) ??
      lazily(async () => (await offers.market(search)).filter((offer) => !tried.has(offer.id)));
    looks.set(search.type, look);
    return look();
  };
}

/** The search filters, with the number of results. */
function filtersChoice(search: OfferSearch, found?: string): Choice<Line> {
  const filters = describeFilters(search.filters) || t("no filters");
  const asked = [found, t("by {0}", sortName(search.sort)), marketName(search), filters];
  return {
    label: `$(filter) ${t("Filters…")}`,
    description: asked.filter(Boolean).join(" · "),
    alwaysShow: true,
    value: { kind: "filters" },
  };
}

function offerChoices(search: OfferSearch, { offers, unreadable }: FoundOffers): Choice<Line>[] {
  const count = offers.length >= MOST_OFFERS ? t("First {0} offers", offers.length) : t("{0} offers", offers.length);
  const lost = unreadable > 0 ? ` · ${t("{0} unreadable", unreadable)}` : "";
  return [
    filtersChoice(search, `${count}${lost}`),
    separator(""),
    ...offers.map((offer): Choice<Line> => ({ ...offerLine(offer), value: { kind: "offer", offer } })),
  ];
}

/** Shown if nothing matches: the filter that excludes the most, and the alternatives with their counts. */
function emptyChoices(search: OfferSearch, market: readonly Offer[]): Choice<Line>[] {
  const ways = relaxations(search.filters, market);
  const fields = Object.keys(search.filters);
  return [
    { label: `$(info) ${whyNone(search, market)}`, alwaysShow: true },
    separator(t("Loosen one filter")),
    ...ways.map(
      (relaxation): Choice<Line> => ({
        label: relaxation.condition
          ? `$(arrow-both) ${describeCondition(relaxation.field, relaxation.condition)}`
          : `$(close) ${t("Any {0}", fieldName(relaxation.field))}`,
        description: relaxation.count === 1 ? t("gives 1 offer") : t("gives {0} offers", relaxation.count),
        value: { kind: "relax", relaxation },
      }),
    ),
    ...(fields.length > 1 && market.length > 0
      ? [
          {
            label: `$(clear-all) ${t("Drop all filters")}`,
            description: t("gives {0} offers", market.length),
            value: { kind: "everything" } as const,
          },
        ]
      : []),
    filtersChoice(search),
  ];
}

/** Names the filter that excludes the most. */
function whyNone({ filters }: OfferSearch, market: readonly Offer[]): string {
  if (market.length === 0) return t("Nothing is for rent in this market right now.");
  const worst = Object.keys(filters)
    .map((field) => ({ field, removed: removedBy(field, filters, market) }))
    .sort((a, b) => b.removed - a.removed)[0];
  const condition = worst && filters[worst.field];
  if (!condition) return t("No offer matches.");
  const said = describeCondition(worst.field, condition);
  return t("No offer matches. “{0}” alone keeps {1} of {2} out.", said, worst.removed, market.length);
}
