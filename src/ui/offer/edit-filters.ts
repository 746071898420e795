// The filters of an offer search, each with its own short question and a live count of the matches.

import { AppError } from "../../domain/base/error.ts";
import { dollars } from "../../domain/base/money.ts";
import type { Condition } from "../../domain/offer/filter.ts";
import { type Offer, vramGb, vramGbToMb } from "../../domain/offer/offer.ts";
import {
  conditionText,
  countMatches,
  fieldName,
  matching,
  type OfferSearch,
  type Sort,
  withCondition,
} from "../../domain/offer/offer-search.ts";
import { label, t } from "../../lib/text.ts";
import { type Answer, ask, BACK, type Choice, pick, pickMany, separator } from "../kit/steps.ts";

const ANY: Condition = {};
const drop = (condition: Condition): Condition | undefined => (condition === ANY ? undefined : condition);

type Menu = "done" | "market" | "sort" | "reset" | { readonly field: string };

const ASKED = ["gpu_name", "num_gpus", "gpu_ram", "dph_total", "reliability", "verified"] as const;

export function sortName(sort: Sort): string {
  return { price: t("$/h"), gpuPrice: t("$/GPU·h"), vramPrice: t("$/GB-VRAM·h"), reliability: t("reliability") }[sort];
}

export function marketName(search: OfferSearch): string {
  return search.type === "bid" ? t("interruptible") : t("on-demand");
}

/** Shows the menu of filters until the person is done. `market` contains everything rentable, for the counts. */
export async function editFilters(
  start: OfferSearch,
  fresh: OfferSearch,
  market: (search: OfferSearch) => Promise<readonly Offer[]>,
): Promise<OfferSearch | undefined> {
  let search = start;
  let last: Menu = "done";
  for (;;) {
    const chosen = await pick<Menu>({
      title: t("Filters"),
      back: true,
      placeholder: t("Choose a filter to change it"),
      choices: async () => menu(search, await market(search)),
      active: (value) => JSON.stringify(value) === JSON.stringify(last),
    });
    if (chosen === undefined) return undefined;
    if (chosen === BACK || chosen === "done") return search;
    last = chosen;
    const next = chosen === "reset" ? fresh : await change(search, chosen, await market(search));
    if (next === undefined) return undefined;
    if (next !== BACK) search = next;
  }
}

function menu(search: OfferSearch, market: readonly Offer[]): Choice<Menu>[] {
  const line = (field: string): Choice<Menu> => {
    const condition = search.filters[field];
    const without = countMatches(market, withCondition(search.filters, field, undefined));
    return {
      label: label(capital(fieldName(field))),
      description: condition ? conditionText(field, condition) : t("any"),
      ...(condition ? { detail: t("{0} offers without this filter", without) } : {}),
      value: { field },
    };
  };
  const others = Object.keys(search.filters).filter((field) => !(ASKED as readonly string[]).includes(field));
  return [
    {
      label: `$(check) ${t("Show {0} offers", countMatches(market, search.filters))}`,
      value: "done",
      alwaysShow: true,
    },
    separator(t("Filters")),
    ...ASKED.map(line),
    ...(others.length > 0 ? [separator<Menu>(t("From the template")), ...others.map(line)] : []),
    separator(t("Market and order")),
    { label: t("Market"), description: marketName(search), value: "market" },
    { label: t("Sort by"), description: sortName(search.sort), value: "sort" },
    { label: `$(discard) ${t("Start over")}`, description: t("the filters it began with"), value: "reset" },
  ];
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

async function change(
  search: OfferSearch,
  what: Exclude<Menu, "done" | "reset">,
  market: readonly Offer[],
): Promise<Answer<OfferSearch>> {
  if (what === "market") return changeMarket(search);
  if (what === "sort") return changeSort(search);
  const answer = await question(what.field, search, market);
  if (answer === undefined || answer === BACK) return answer;
  return { ...search, filters: withCondition(search.filters, what.field, drop(answer)) };
}

async function changeMarket(search: OfferSearch): Promise<Answer<OfferSearch>> {
  const type = await pick<OfferSearch["type"]>({
    title: t("Market"),
    back: true,
    placeholder: t("How do you want to rent?"),
    active: (value) => value === search.type,
    choices: [
      { label: t("On-demand"), detail: t("Fixed price, yours until you destroy it."), value: "ondemand" },
      { label: t("Interruptible"), detail: t("You bid; whoever bids more stops your machine. Cheaper."), value: "bid" },
    ],
  });
  return type === undefined || type === BACK ? type : { ...search, type };
}

async function changeSort(search: OfferSearch): Promise<Answer<OfferSearch>> {
  const sorts: Sort[] = ["price", "gpuPrice", "vramPrice", "reliability"];
  const sort = await pick<Sort>({
    title: t("Sort by"),
    back: true,
    placeholder: t("Best first"),
    active: (value) => value === search.sort,
    choices: sorts.map((value) => ({ label: sortName(value), value })),
  });
  return sort === undefined || sort === BACK ? sort : { ...search, sort };
}

function question(field: string, search: OfferSearch, market: readonly Offer[]): Promise<Answer<Condition>> {
  switch (field) {
    case "gpu_name":
      return gpuNames(search, market);
    case "num_gpus":
      return counts(search);
    case "gpu_ram":
      return vram(search, market);
    case "dph_total":
      return price(search);
    case "reliability":
      return oneOf(
        field,
        search,
        [0.9, 0.95, 0.98, 0.99, 0.995].map((value) => ({ gte: value })),
      );
    case "verified":
      return oneOf(field, search, [{ eq: true }, { eq: false }]);
    default:
      return oneOf(field, search, search.filters[field] ? [search.filters[field]] : []);
  }
}

/** "any" and a few conditions, with the current one selected. */
function oneOf(
  field: string,
  search: OfferSearch,
  conditions: readonly Condition[],
  more: readonly Choice<Condition>[] = [],
): Promise<Answer<Condition>> {
  const present = search.filters[field];
  const now = JSON.stringify(present ?? ANY);
  const all = present && !conditions.some((one) => JSON.stringify(one) === now) ? [present, ...conditions] : conditions;
  return pick<Condition>({
    title: capital(fieldName(field)),
    back: true,
    placeholder: t("Choose what the machine must have"),
    active: (value) => JSON.stringify(value) === now,
    choices: [
      { label: t("Any"), value: ANY },
      ...all.map((condition) => ({ label: label(capital(conditionText(field, condition))), value: condition })),
      ...more,
    ],
  });
}

async function gpuNames(search: OfferSearch, market: readonly Offer[]): Promise<Answer<Condition>> {
  const others = withCondition(search.filters, "gpu_name", undefined);
  const groups = Map.groupBy(matching(market, others), (offer) => offer.gpu_name ?? "");
  const wanted = search.filters.gpu_name;
  const named = new Set<unknown>(wanted?.in ?? (wanted?.eq === undefined ? [] : [wanted.eq]));
  const choices = [...groups]
    .filter(([name]) => name !== "")
    .sort(([a], [b]) => a.localeCompare(b, "en", { numeric: true }))
    .map(([name, offers]): Choice<string> => {
      const cheapest = Math.min(...offers.map((offer) => offer.dph_total ?? Number.POSITIVE_INFINITY));
      const gb = vramGb(offers[0]?.gpu_ram);
      return {
        label: label(name, 60),
        description: t("{0} GB · {1} offers · from {2}/h", gb ?? "?", offers.length, dollars(cheapest)),
        value: name,
        picked: named.has(name),
      };
    });
  const names = await pickMany({
    title: t("GPU"),
    back: true,
    placeholder: t("Tick one or more; none means any"),
    choices,
  });
  if (names === undefined || names === BACK) return names;
  return names.length === 0 ? ANY : { in: names };
}

function counts(search: OfferSearch): Promise<Answer<Condition>> {
  return oneOf("num_gpus", search, [{ eq: 1 }, { eq: 2 }, { eq: 4 }, { eq: 8 }, { gte: 2 }, { gte: 4 }]);
}

async function vram(search: OfferSearch, market: readonly Offer[]): Promise<Answer<Condition>> {
  const sizes = [...new Set(market.map((offer) => vramGb(offer.gpu_ram)).filter((gb) => gb !== undefined))].sort(
    (a, b) => a - b,
  );
  const conditions = sizes.map((gb) => ({ gte: vramGbToMb(gb) }));
  const other: Condition = { gte: -1 };
  const answer = await oneOf("gpu_ram", search, conditions, [{ label: t("Other…"), value: other }]);
  if (answer !== other) return answer;
  return ask<Condition>({
    title: t("VRAM"),
    back: true,
    prompt: t("Least VRAM of each GPU, in GB"),
    read: (text) => ({ gte: vramGbToMb(readPositive(t("VRAM"), text, 10_000)) }),
  });
}

function price(search: OfferSearch): Promise<Answer<Condition>> {
  const now = search.filters.dph_total?.lte;
  return ask<Condition>({
    title: t("Price"),
    back: true,
    prompt: t("Most dollars an hour for the whole machine; empty for any"),
    value: now === undefined ? "" : String(now),
    placeholder: "0.50",
    read: (text) => (text.trim() === "" ? ANY : { lte: readPositive(t("Price"), text.replace(/^\s*\$/, ""), 10_000) }),
  });
}

function readPositive(name: string, text: string, most: number): number {
  const value = Number(text.trim());
  const isNumber = /^\d*\.?\d+$/.test(text.trim()) && value > 0;
  if (isNumber && value <= most) return value;
  if (isNumber)
    throw new AppError(
      "rejected",
      t("{0}: {1} is more than any machine has. Type a smaller number.", name, text.trim()),
    );
  const message = t(
    "{0}: “{1}” is not a number above 0. Write it with a decimal point, such as 0.5.",
    name,
    text.trim(),
  );
  throw new AppError("rejected", message, { fields: { [name]: message } });
}
