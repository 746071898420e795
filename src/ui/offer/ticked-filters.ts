// Filters of which one ticks any number of values: GPUs, places and hosts, each with how many offers it has now.
import type { Condition } from "../../domain/offer/filter.ts";
import { formatCondition } from "../../domain/offer/filter-words.ts";
import { getHourlyPrice, type Offer, toVramGb } from "../../domain/offer/offer.ts";
import { filterOffers, type OfferSearch, withCondition } from "../../domain/offer/offer-search.ts";
import { formatRegionName, listCountries, listPlaces, REGIONS, readPlaceCode } from "../../domain/offer/place.ts";
import { formatCountryName, t, toLabel } from "../../lib/text.ts";
import { formatFilterTitle, formatGroupCount } from "../../present/offer/offers.ts";
import { describePriceHistory, formatPriceHistoryHeading } from "../../present/offer/price-history.ts";
import type { FindUsual } from "../../services/offer/price-history.ts";
import { type Choice, createSeparator, pickMany } from "../kit/ask/pick.ts";
import { type Answer, BACK } from "../kit/ask/steps.ts";

const ANY: Condition = {};

/** Offers that the other filters let through, by one of their fields. What is `wanted` is there even without an offer. */
function groupMatching<K>(
  field: string,
  search: OfferSearch,
  market: readonly Offer[],
  wanted: Iterable<K>,
  keyOf: (offer: Offer) => K | undefined,
): [K, Offer[]][] {
  const others = withCondition(search.filters, field, undefined);
  const groups = Map.groupBy(filterOffers(market, others), keyOf);
  const keys = new Set([...groups.keys(), ...wanted].filter((key) => key !== undefined));
  return [...keys].map((key) => [key, groups.get(key) ?? []]);
}

/** The values that a filter names, as far as they are of the field's type. */
function namedIn<T>(condition: Condition | undefined, isRight: (value: unknown) => value is T): Set<T> {
  const values: readonly unknown[] = condition?.in ?? (condition?.eq === undefined ? [] : [condition.eq]);
  return new Set(values.filter(isRight));
}

const cheapest = (offers: readonly Offer[]): number | undefined =>
  offers.reduce<number | undefined>((least, offer) => {
    const price = getHourlyPrice(offer);
    return price === undefined || (least !== undefined && least <= price) ? least : price;
  }, undefined);

interface GpuFacts {
  readonly search: OfferSearch;
  readonly market: readonly Offer[];
  readonly findUsual: FindUsual;
}

export async function askGpuNames({ search, market, findUsual }: GpuFacts): Promise<Answer<Condition>> {
  const { type, filters } = search;
  const verified = filters.verified?.eq !== false;
  const wanted = namedIn(search.filters.gpu_name, (name) => typeof name === "string");
  let since = Number.POSITIVE_INFINITY;
  const choices = groupMatching("gpu_name", search, market, wanted, (offer) => offer.gpu_name || undefined)
    .sort(([a], [b]) => a.localeCompare(b, "en", { numeric: true }))
    .map(([name, offers]): Choice<string> => {
      const gb = toVramGb(offers[0]?.gpu_ram);
      const count = formatGroupCount(offers.length, cheapest(offers));
      const history = findUsual({ gpu: name, type, verified });
      since = Math.min(since, history?.since ?? since);
      return {
        ...(history ? { detail: describePriceHistory(history) } : {}),
        label: toLabel(name, 60),
        description: gb === undefined ? count : `${t("{0} GB", gb)} · ${count}`,
        value: name,
        picked: wanted.has(name),
      };
    });
  const heading = Number.isFinite(since) ? [createSeparator<string>(formatPriceHistoryHeading(since))] : [];
  return askTicks("gpu_name", search, [...heading, ...choices]);
}

/** What isn't a list of values, such as "not in China": a choice of its own, so that no one loses it by looking. */
const OTHERWISE = Symbol("otherwise");

/** Asks for any number of values of a field. */
async function askTicks<T extends string | number>(
  field: string,
  search: OfferSearch,
  choices: readonly Choice<T | readonly T[]>[],
): Promise<Answer<Condition>> {
  const { eq: _, in: __, ...otherwise } = search.filters[field] ?? ANY;
  const has = Object.keys(otherwise).length > 0;
  const kept: Choice<typeof OTHERWISE> = {
    label: toLabel(formatCondition(field, otherwise), 60),
    value: OTHERWISE,
    picked: true,
  };
  const ticked = await pickMany<T | readonly T[] | typeof OTHERWISE>({
    title: formatFilterTitle(field),
    back: true,
    placeholder: askForTicks(),
    choices: [...(has ? [kept] : []), ...choices],
  });
  if (ticked === undefined || ticked === BACK) return ticked;
  const values = ticked.flatMap((value): readonly T[] => {
    if (value === OTHERWISE) return [];
    return Array.isArray(value) ? value : [value as T];
  });
  const all = [...new Set(values)].sort();
  return { ...(ticked.includes(OTHERWISE) ? otherwise : {}), ...(all.length > 0 ? { in: all } : {}) };
}

const askForTicks = () => t("Select one or more. Select none for any.");

/** Regions, then countries. A region stands for all its countries, with or without an offer now. */
export async function askPlaces(search: OfferSearch, market: readonly Offer[]): Promise<Answer<Condition>> {
  const groups = new Map(groupMatching("geolocation", search, market, [], (offer) => readPlaceCode(offer.geolocation)));
  const wanted = listPlaces(search.filters.geolocation ?? ANY);
  const row = (name: string, codes: readonly string[], picked: boolean): Choice<readonly string[]> => {
    const offers = codes.flatMap((code) => groups.get(code) ?? []);
    return {
      label: toLabel(name, 60),
      description: formatGroupCount(offers.length, cheapest(offers)),
      value: codes,
      picked,
    };
  };
  const regions = REGIONS.filter((region) =>
    listCountries(region).some((code) => groups.has(code) || wanted.has(code)),
  );
  const inWanted = new Set(
    regions.filter((region) => listCountries(region).every((code) => wanted.has(code))).flatMap(listCountries),
  );
  const codes = [...new Set([...groups.keys(), ...wanted])].filter((code) => groups.has(code) || !inWanted.has(code));
  const countries = codes
    .map((code) => ({ code, name: formatCountryName(code) }))
    .sort((a, b) => a.name.localeCompare(b.name));
  return askTicks<string>("geolocation", search, [
    createSeparator<readonly string[]>(t("Regions")),
    ...regions.map((region) =>
      row(
        formatRegionName(region),
        listCountries(region),
        listCountries(region).every((code) => inWanted.has(code)),
      ),
    ),
    createSeparator<readonly string[]>(t("Countries")),
    ...countries.map(({ code, name }) => row(name, [code], wanted.has(code) && !inWanted.has(code))),
  ]);
}

export async function askHosts(search: OfferSearch, market: readonly Offer[]): Promise<Answer<Condition>> {
  const wanted = namedIn(search.filters.host_id, (id) => typeof id === "number");
  const choices = groupMatching("host_id", search, market, wanted, (offer) => offer.host_id)
    .sort(([, a], [, b]) => b.length - a.length)
    .map(
      ([id, offers]): Choice<number> => ({
        label: t("Host {0}", id),
        description: formatGroupCount(offers.length, cheapest(offers)),
        value: id,
        picked: wanted.has(id),
      }),
    );
  return askTicks("host_id", search, choices);
}
