// The menu of an offer search: its filters with a live count of the matches, market and order, and the saved searches.
import { createRejection } from "../../domain/base/typed-number.ts";
import type { Filters } from "../../domain/offer/filter.ts";
import { describeRequirements, formatCondition, formatLimit } from "../../domain/offer/filter-words.ts";
import type { MachineHistories } from "../../domain/offer/machine-history.ts";
import type { Offer } from "../../domain/offer/offer.ts";
import {
  canJudgeAll,
  countMatches,
  type OfferSearch,
  SORTS,
  type Sort,
  withCondition,
} from "../../domain/offer/offer-search.ts";
import { t, toLabel, toPlainText } from "../../lib/text.ts";
import { formatOfferCount } from "../../present/base/counts.ts";
import { formatFilterTitle, formatMarket } from "../../present/offer/offers.ts";
import type { FindUsual } from "../../services/offer/price-history.ts";
import { MOST_NAMED, type NamedSearch, type SavedSearches } from "../../services/offer/saved-searches.ts";
import { type Choice, createSeparator, pickOne } from "../kit/ask/pick.ts";
import { type Answer, askText, BACK } from "../kit/ask/steps.ts";
import { ASKED_FILTERS, askFilter } from "./filter-questions.ts";
import { askLimit, askOtherFilter } from "./other-filters.ts";

type Menu =
  | "done"
  | "market"
  | "sort"
  | "limit"
  | "other"
  | "reset"
  | "save"
  | { readonly field: string }
  | { readonly saved: NamedSearch };

interface FilterEdit {
  readonly start: OfferSearch;
  /** Where *Start Over* leads. */
  readonly fresh: OfferSearch;
  /** Everything rentable, for the counts. */
  readonly market: (search: OfferSearch) => Promise<readonly Offer[]>;
  readonly searches: SavedSearches;
  readonly histories: MachineHistories;
  readonly findUsual: FindUsual;
  /** Of the row that ends the menu, with the number of offers that match; *Show* if left out. */
  readonly doneLabel?: (count: string) => string;
}

export function formatSort(sort: Sort): string {
  return { price: t("$/h"), gpuPrice: t("$/GPU·h"), vramPrice: t("$/GB-VRAM·h"), reliability: t("reliability") }[sort];
}

/** Shows the menu of filters until the person is done. */
export async function editFilters(edit: FilterEdit): Promise<OfferSearch | undefined> {
  const { start, market } = edit;
  let search = start;
  let last: Menu = "done";
  for (;;) {
    const chosen = await pickOne<Menu>({
      title: t("Filters"),
      back: true,
      placeholder: t("Choose a filter to change"),
      choices: async () => menu(edit, search, await market(search)),
      active: (value) => JSON.stringify(value) === JSON.stringify(last),
    });
    if (chosen === undefined) return undefined;
    if (chosen === BACK || chosen === "done") return search;
    last = chosen;
    const next = await change(edit, search, chosen);
    if (next === undefined) return undefined;
    if (next !== BACK) search = next;
  }
}

function menu({ searches, doneLabel }: FilterEdit, search: OfferSearch, market: readonly Offer[]): Choice<Menu>[] {
  const show = doneLabel ?? ((count) => t("Show {0}", count));
  const isExact = canJudgeAll(search.filters, market);
  const countWith = (filters: Filters, most = Number.POSITIVE_INFINITY) => {
    const count = formatOfferCount(Math.min(most, countMatches(market, filters)));
    return isExact ? count : t("up to {0}", count);
  };
  const line = (field: string): Choice<Menu> => {
    const condition = search.filters[field];
    const without = countWith(withCondition(search.filters, field, undefined));
    return {
      label: formatFilterTitle(field),
      description: condition ? formatCondition(field, condition) : t("any"),
      ...(condition ? { detail: t("{0} without this filter", without) } : {}),
      value: { field },
    };
  };
  const others = Object.keys(search.filters).filter((field) => !ASKED_FILTERS.includes(field));
  return [
    {
      label: `$(check) ${show(countWith(search.filters, search.limit))}`,
      value: "done",
    },
    createSeparator(t("Filters")),
    ...ASKED_FILTERS.map(line),
    ...(others.length > 0 ? [createSeparator<Menu>(t("Other fields")), ...others.map(line)] : []),
    { label: `$(add) ${t("Another Field…")}`, value: "other" },
    createSeparator(t("Rental type and order")),
    { label: t("Rental type"), description: formatMarket(search), value: "market" },
    { label: t("Sort by"), description: formatSort(search.sort), value: "sort" },
    {
      label: t("Number of offers"),
      description: search.limit === undefined ? t("as many as usual") : formatLimit(search.limit),
      value: "limit",
    },
    createSeparator(t("Saved searches")),
    ...searches.listNamed().map((saved): Choice<Menu> => ({ ...savedLine(saved), value: { saved } })),
    { label: `$(save) ${t("Save This Search…")}`, value: "save" },
    { label: `$(discard) ${t("Reset Filters")}`, description: t("to the initial filters"), value: "reset" },
  ];
}

function savedLine({ name, search }: NamedSearch): { readonly label: string; readonly description: string } {
  const filters = describeRequirements(search) || t("no filters");
  return { label: `$(bookmark) ${toLabel(name, 60)}`, description: `${formatMarket(search)} · ${filters}` };
}

async function change(edit: FilterEdit, search: OfferSearch, what: Menu): Promise<Answer<OfferSearch>> {
  switch (what) {
    case "done":
      return search;
    case "reset":
      // The disk belongs to the launch, and every price includes it.
      return { ...edit.fresh, diskGb: search.diskGb };
    case "market":
      return changeMarket(search);
    case "sort":
      return changeSort(search);
    case "limit":
      return askLimit(search);
    case "other":
      return changeOther(search);
    case "save":
      return saveSearch(edit.searches, search);
  }
  if ("saved" in what) return applySaved(edit.searches, what.saved, search);
  const { market, histories, findUsual } = edit;
  const answer = await askFilter(what.field, { search, market: await market(search), histories, findUsual });
  if (answer === undefined || answer === BACK) return answer;
  return { ...search, filters: withCondition(search.filters, what.field, answer.condition) };
}

async function changeOther(search: OfferSearch): Promise<Answer<OfferSearch>> {
  const answer = await askOtherFilter(search.filters, ASKED_FILTERS);
  if (answer === undefined || answer === BACK) return answer;
  const condition = Object.keys(answer.condition).length === 0 ? undefined : answer.condition;
  return { ...search, filters: withCondition(search.filters, answer.field, condition) };
}

async function changeMarket(search: OfferSearch): Promise<Answer<OfferSearch>> {
  const type = await pickOne<OfferSearch["type"]>({
    title: t("Rental type"),
    back: true,
    placeholder: t("How do you want to rent?"),
    active: (value) => value === search.type,
    choices: [
      {
        label: t("On-demand"),
        detail: t("Fixed price. The machine is yours until you destroy it."),
        value: "ondemand",
      },
      {
        label: t("Interruptible"),
        detail: t("Cheaper. You bid, and the machine stops when someone bids more."),
        value: "bid",
      },
    ],
  });
  return type === undefined || type === BACK ? type : { ...search, type };
}

async function changeSort(search: OfferSearch): Promise<Answer<OfferSearch>> {
  const sort = await pickOne<Sort>({
    title: t("Sort by"),
    back: true,
    placeholder: t("Best first"),
    active: (value) => value === search.sort,
    choices: SORTS.map((value) => ({ label: formatSort(value), value })),
  });
  return sort === undefined || sort === BACK ? sort : { ...search, sort };
}

/** Characters of a name. */
const LONGEST_NAME = 60;

async function saveSearch(searches: SavedSearches, search: OfferSearch): Promise<Answer<OfferSearch>> {
  const name = await askText({
    title: t("Save This Search"),
    back: true,
    prompt: t("Name of the search. A saved search of the same name is replaced."),
    placeholder: toPlainText(describeRequirements(search), LONGEST_NAME),
    read: (text) => readName(text, searches),
  });
  if (name === undefined || name === BACK) return name;
  searches.save(name, search);
  return search;
}

/** @throws AppError `rejected`. */
function readName(text: string, searches: SavedSearches): string {
  const name = text.trim();
  if (name === "") throw createRejection("name", t("Name: type a name for the search."));
  if (name.length > LONGEST_NAME) throw createRejection("name", t("Name: use at most {0} characters.", LONGEST_NAME));
  if (!searches.hasRoom(name))
    throw createRejection(
      "name",
      t("Name: you have {0} saved searches already. Remove one first, or replace one by its name.", MOST_NAMED),
    );
  return name;
}

/** What a saved search is used for. */
async function applySaved(
  searches: SavedSearches,
  { name, search }: NamedSearch,
  now: OfferSearch,
): Promise<Answer<OfferSearch>> {
  const what = await pickOne<"use" | "remove">({
    title: toLabel(name, LONGEST_NAME),
    back: true,
    placeholder: toPlainText(`${formatMarket(search)} · ${describeRequirements(search) || t("no filters")}`),
    choices: [
      { label: `$(check) ${t("Use This Search")}`, value: "use" },
      { label: `$(trash) ${t("Remove")}`, value: "remove" },
    ],
  });
  if (what === undefined || what === BACK) return what;
  if (what === "use") return { ...search, diskGb: now.diskGb };
  searches.remove(name);
  return now;
}
