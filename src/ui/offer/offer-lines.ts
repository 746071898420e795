// The rows of the list of offers: the offers, the way to the filters, and, if nothing matches, which filters to loosen and how many
// offers that would give.
import { describeCondition, describeRequirements, formatFieldName } from "../../domain/offer/filter-words.ts";
import { groupOffers, type Offer, type OfferGroup } from "../../domain/offer/offer.ts";
import { canJudgeAll, listRelaxations, type OfferSearch, type Relaxation } from "../../domain/offer/offer-search.ts";
import { matchesWords } from "../../lib/markup.ts";
import { t, toLabel } from "../../lib/text.ts";
import { formatOfferCount } from "../../present/base/counts.ts";
import { buildOfferLine, formatMarket, type OfferNotes } from "../../present/offer/offers.ts";
import { type Choice, createSeparator } from "../kit/ask/pick.ts";
import { formatSort } from "./edit-filters.ts";

export type Line =
  | { readonly kind: "filters" }
  | { readonly kind: "watch" }
  | { readonly kind: "offer"; readonly offer: Offer; readonly count: number }
  | { readonly kind: "relax"; readonly relaxation: Relaxation }
  | { readonly kind: "everything" };

export const FILTERS: Line = { kind: "filters" };

export function buildFiltersChoice(search: OfferSearch): Choice<Line> {
  const filters = describeRequirements(search) || t("no filters");
  return {
    label: `$(filter) ${t("Filters…")}`,
    description: [t("by {0}", formatSort(search.sort)), formatMarket(search), filters].join(" · "),
    value: FILTERS,
  };
}

const watchChoice = (): Choice<Line> => ({
  label: `$(bell) ${t("Watch Price…")}`,
  description: t("be notified when such an offer costs less"),
  value: { kind: "watch" },
});

export function buildOfferChoices(
  search: OfferSearch,
  offers: readonly Offer[],
  describe: (offer: Offer) => OfferNotes,
): Choice<Line>[] {
  return [
    buildFiltersChoice(search),
    watchChoice(),
    createSeparator(""),
    ...groupOffers(offers).map((group) => offerRow(group, describe)),
  ];
}

const offerRow = (group: OfferGroup, describe: (offer: Offer) => OfferNotes): Choice<Line> => ({
  ...buildOfferLine(group, describe(group.offer)),
  value: { kind: "offer", ...group },
});

/** What a text that no listed offer fits may be about. */
interface BeyondList {
  /** Those that match the filters, the listed ones among them, in the list's order. */
  readonly matching: readonly Offer[];
  /** Everything rentable now. */
  readonly market: readonly Offer[];
  readonly isWholeMarket: boolean;
}

/**
 * Shown if the editor finds no listed offer for what is typed, which it looks for as one piece: those that have all its words, also beyond
 * the end of the list, or else how to loosen the filters for them.
 */
export function buildTypedChoices(
  typed: string,
  search: OfferSearch,
  { matching, market, isWholeMarket }: BeyondList,
  describe: (offer: Offer) => OfferNotes,
): Choice<Line>[] {
  const fits = (offer: Offer) => matchesWords(buildOfferLine({ offer, count: 1 }, describe(offer)), typed);
  const beyond = groupOffers(matching.filter(fits));
  if (beyond.length > 0) return beyond.map((group) => offerRow(group, describe));
  const fitting = market.filter(fits);
  if (fitting.length > 0) return buildEmptyChoices(search, fitting, market);
  const text = toLabel(typed, 40);
  const says = isWholeMarket
    ? t("No offers of this rental type match “{0}”.", text)
    : t("None of the {0} cheapest offers of this rental type match “{1}”.", market.length, text);
  return [{ label: `$(info) ${says}` }, buildFiltersChoice(search)];
}

/**
 * Shown if none of these offers matches the filters: the filter whose removal shows the most, and the alternatives with their
 * counts.
 */
export function buildEmptyChoices(search: OfferSearch, offers: readonly Offer[], market = offers): Choice<Line>[] {
  const ways = listRelaxations(search.filters, offers, market);
  const fields = Object.keys(search.filters);
  const isExact = canJudgeAll(search.filters, market);
  const all: Choice<Line>[] = [
    { label: `$(info) ${whyNone(search, offers, ways, isExact)}` },
    ...(ways.length > 0 ? [createSeparator<Line>(t("Relax one filter"))] : []),
    ...ways.map((relaxation): Choice<Line> => {
      const count = formatOfferCount(relaxation.count);
      return {
        label: relaxation.condition
          ? `$(arrow-both) ${describeCondition(relaxation.field, relaxation.condition)}`
          : `$(close) ${t("Any {0}", formatFieldName(relaxation.field))}`,
        description: isExact ? count : t("up to {0}", count),
        value: { kind: "relax", relaxation },
      };
    }),
    ...(fields.length > 1 && offers.length > 0
      ? [
          {
            label: `$(clear-all) ${t("Clear All Filters")}`,
            description: formatOfferCount(offers.length),
            value: { kind: "everything" } as const,
          },
        ]
      : []),
    buildFiltersChoice(search),
    watchChoice(),
  ];
  // Whatever is typed: there is nothing that it could find.
  return all.map((choice) => ({ ...choice, alwaysShow: true }));
}

/** Names the filter whose removal shows the most offers. */
function whyNone(
  { filters }: OfferSearch,
  offers: readonly Offer[],
  ways: readonly Relaxation[],
  isExact: boolean,
): string {
  if (offers.length === 0) return t("No offers are available for this rental type right now.");
  // Some filter is on a field that no offer has, so how many each removal shows isn't known.
  if (!isExact) return t("No offers match.");
  const best = ways.findLast(({ condition }) => condition === undefined);
  const condition = best && filters[best.field];
  if (!condition) return t("No offers match, even with any one filter removed.");
  const said = describeCondition(best.field, condition);
  return t("No offers match. Removing “{0}” alone would show {1} of {2}.", said, best.count, offers.length);
}
