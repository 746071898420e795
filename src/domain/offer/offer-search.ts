// A search for offers in everyday words, its wire form (interface 4.2), and why it found nothing.
import * as z from "zod";
import { t } from "../../lib/text.ts";
import { LEAST_DISK } from "./disk.ts";
import { Condition, type Filters, matchesFilters, meetsCondition } from "./filter.ts";
import { calculateGpuPrice, calculateVramPrice, getHourlyPrice, type Offer, type RentalType } from "./offer.ts";
import { readPlaceCode } from "./place.ts";

/**
 * Body of search offers: filters by field, plus keys that aren't filters (interface 4.2; `order` and
 * `allocated_storage` are extras). Conditions aren't type-checked here: the service judges unknown fields.
 */
export const SearchOffersBody = z
  .object({
    type: z.enum(["ondemand", "bid"]).optional(),
    limit: z.int().positive().optional(),
    order: z.array(z.tuple([z.string(), z.enum(["asc", "desc"])])).optional(),
    /** GB; included in the price of every offer returned. */
    allocated_storage: z.number().positive().optional(),
  })
  .catchall(z.unknown())
  .refine((body) => Object.keys(body).every((key) => SPECIAL.has(key) || Condition.safeParse(body[key]).success), {
    error: () => t("a filter must have the form { operator: value }"),
  });
export type SearchOffersBody = z.infer<typeof SearchOffersBody>;
const SPECIAL = new Set(["type", "limit", "order", "allocated_storage"]);

export const SORTS = ["price", "gpuPrice", "vramPrice", "reliability"] as const;
export type Sort = (typeof SORTS)[number];

export interface OfferSearch {
  /** Wire filters: `gpu_ram` in MB, `reliability` 0 to 1, `dph_total` $/h. */
  readonly filters: Filters;
  readonly type: RentalType;
  readonly sort: Sort;
  /** GB to rent, included in the price. */
  readonly diskGb: number;
  /** How many offers the service may return, the cheapest ones; undefined for as many as each list has room for. */
  readonly limit?: SearchLimit | undefined;
}

/** Enough to compare, few enough for one response. */
export const MOST_OFFERS = 500;
/** More than the whole market, for a page that compares all of it, and no more than one response may hold. */
export const MOST_EXPLORED = 15_000;

/** The most offers that a person wants to see. */
export const SearchLimit = z.int().min(1).max(MOST_EXPLORED);
export type SearchLimit = z.infer<typeof SearchLimit>;

export const anySearch: OfferSearch = {
  filters: { verified: { eq: true } },
  type: "ondemand",
  sort: "price",
  diskGb: LEAST_DISK,
};

/** A template's recommendations for machines. `recommended_disk_space` GB. */
interface Recommendation {
  readonly extra_filters?: Filters | undefined;
  readonly recommended_disk_space?: number | undefined;
}

/** GB that a launch from the template rents by default. */
export function getRecommendedDisk({ recommended_disk_space: diskGb }: Recommendation): number {
  return Math.max(LEAST_DISK, diskGb ?? LEAST_DISK);
}

/**
 * The starting point of a launch from the template: its machine search merged over ours, and its disk (interface 4.3,
 * rule 6).
 */
export function toOfferSearch(template: Recommendation): OfferSearch {
  const filters = { ...anySearch.filters, ...template.extra_filters };
  return { ...anySearch, filters, diskGb: getRecommendedDisk(template) };
}

/** Filters as a template keeps them, whose launch looks for verified machines unless it says otherwise. */
export const toTemplateFilters = (filters: Filters): Filters => ({ verified: { in: [true, false] }, ...filters });

/** How many offers a search asks for, where a list has room for `room`. */
export const getLimit = ({ limit }: Pick<OfferSearch, "limit">, room: number = MOST_OFFERS): number => limit ?? room;

/** The request body. It always requires `rentable`. Services return both kinds of `verified` only if both are named. */
export function toSearchBody(search: OfferSearch, room = MOST_OFFERS): SearchOffersBody {
  return {
    ...toTemplateFilters(search.filters),
    rentable: { eq: true },
    type: search.type,
    allocated_storage: search.diskGb,
    order: [["dph_total", "asc"]],
    limit: getLimit(search, room),
  };
}

/** The filters with another condition for one field; undefined removes the field. */
export function withCondition(filters: Filters, field: string, condition: Condition | undefined): Filters {
  const { [field]: _, ...rest } = filters;
  return condition === undefined ? rest : { ...rest, [field]: condition };
}

const measures: Record<Sort, (offer: Offer) => number | undefined> = {
  price: getHourlyPrice,
  gpuPrice: calculateGpuPrice,
  vramPrice: calculateVramPrice,
  reliability: (offer) => (offer.reliability === undefined ? undefined : -offer.reliability),
};

/** Sorted by the measure. On a tie the cheaper offer comes first; unknown values come last. */
export function sortOffers(offers: readonly Offer[], sort: Sort): Offer[] {
  const by = (measure: (offer: Offer) => number | undefined) => (a: Offer, b: Offer) => {
    const [x, y] = [measure(a) ?? Number.POSITIVE_INFINITY, measure(b) ?? Number.POSITIVE_INFINITY];
    return x === y ? 0 : x - y;
  };
  return [...offers].sort((a, b) => by(measures[sort])(a, b) || by(getHourlyPrice)(a, b) || a.id - b.id);
}

export interface Relaxation {
  readonly field: string;
  /** The replacement. Undefined removes the filter. */
  readonly condition: Condition | undefined;
  /** How many offers the search would then return. */
  readonly count: number;
}

/** A field as filters compare it. Places are compared by their country (interface 4.2). */
export function readFilterField(offer: Offer, field: string): unknown {
  return field === "geolocation" ? readPlaceCode(offer.geolocation) : (offer as Record<string, unknown>)[field];
}

/** Whether every filter is on a field that these offers contain: counts are exact only then. */
export const canJudgeAll = (filters: Filters, offers: readonly Offer[]): boolean =>
  Object.keys(judgeable(filters, offers)).length === Object.keys(filters).length;

/** The filters on fields that these offers contain. Others can't be evaluated here. */
function judgeable(filters: Filters, offers: readonly Offer[]): Filters {
  return Object.fromEntries(
    Object.entries(filters).filter(([field]) => offers.some((offer) => readFilterField(offer, field) !== undefined)),
  );
}

/** The offers that meet the filters, as far as that can be evaluated here. */
export function filterOffers(offers: readonly Offer[], filters: Filters): readonly Offer[] {
  const known = judgeable(filters, offers);
  return offers.filter((offer) => matchesFilters(offer, known, readFilterField));
}

/** The number of those offers. */
export function countMatches(offers: readonly Offer[], filters: Filters): number {
  return filterOffers(offers, filters).length;
}

/**
 * Ways to loosen one filter of an empty search, the smallest change first, evaluated on `offers`: the whole market, everything
 * rentable now, or some of it. For a threshold, also the nearest value with a result.
 */
export function listRelaxations(filters: Filters, offers: readonly Offer[], market = offers): Relaxation[] {
  const known = judgeable(filters, market);
  const found: Relaxation[] = [];
  for (const [field, condition] of Object.entries(known)) {
    const rest = withCondition(known, field, undefined);
    const others = offers.filter((offer) => matchesFilters(offer, rest, readFilterField));
    if (others.length === 0) continue;
    found.push({ field, condition: undefined, count: others.length });
    const nearest = loosened(
      condition,
      others.map((offer) => readFilterField(offer, field)),
    );
    if (nearest !== undefined) {
      const count = others.filter((offer) => meetsCondition(readFilterField(offer, field), nearest)).length;
      if (count < others.length) found.push({ field, condition: nearest, count });
    }
  }
  return found.sort((a, b) => a.count - b.count);
}

function loosened(condition: Condition, values: readonly unknown[]): Condition | undefined {
  const numbers = values.filter((value): value is number => typeof value === "number");
  if (numbers.length === 0) return undefined;
  if (typeof condition.lte === "number") return { ...condition, lte: Math.min(...numbers) };
  if (typeof condition.gte === "number") return { ...condition, gte: Math.max(...numbers) };
  return undefined;
}
