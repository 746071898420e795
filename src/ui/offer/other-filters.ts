// Asks for a filter on any field of the offers, and for how many offers a search may return (interface 4.2). The service judges
// fields that it doesn't know.
import { type Condition, type Filters, OPERATORS, type Operator } from "../../domain/offer/filter.ts";
import { FILTER_FIELDS, takesList } from "../../domain/offer/filter-rows.ts";
import { describeCondition } from "../../domain/offer/filter-words.ts";
import { getLimit, type OfferSearch } from "../../domain/offer/offer-search.ts";
import {
  listComparisons,
  parseSearchLimit,
  readComparison,
  readFieldName,
  toTypedComparison,
} from "../../domain/offer/typed-filter.ts";
import { t, toLabel } from "../../lib/text.ts";
import { formatFilterTitle } from "../../present/offer/offers.ts";
import { formatOperator } from "../../present/offer/operators.ts";
import { type Choice, pickOne } from "../kit/ask/pick.ts";
import { type Answer, askText, BACK } from "../kit/ask/steps.ts";

const ANY: Condition = {};

interface FieldFilter {
  readonly field: string;
  /** Without a comparison: no filter. */
  readonly condition: Condition;
}

/** @param named fields that have a question of their own; they can be typed. */
export async function askOtherFilter(filters: Filters, named: readonly string[]): Promise<Answer<FieldFilter>> {
  for (;;) {
    const field = await askField(named);
    if (field === undefined || field === BACK) return field;
    const condition = await askComparisons(field, filters);
    if (condition !== BACK) return condition && { field, condition };
  }
}

async function askField(named: readonly string[]): Promise<Answer<string>> {
  const typed = Symbol("typed");
  for (;;) {
    const field = await pickOne<string | typeof typed>({
      title: t("Another Field"),
      back: true,
      placeholder: t("Which field?"),
      choices: [
        { label: `$(edit) ${t("Type a Name…")}`, description: t("any field of the service's offers"), value: typed },
        ...Object.entries(FILTER_FIELDS)
          .filter(([name]) => !named.includes(name))
          .map(([name, { unit }]) => ({ label: name, ...(unit ? { description: unit } : {}), value: name })),
      ],
    });
    if (field !== typed) return field;
    const name = await askText({
      title: t("Another Field"),
      back: true,
      prompt: t("Name of the field, such as dlperf. The service says so if it doesn't know it."),
      read: readFieldName,
    });
    if (name !== BACK) return name;
  }
}

/** How a field is compared now, to change, remove or add a comparison. */
export async function askComparisons(field: string, filters: Filters): Promise<Answer<Condition>> {
  const present = (Object.hasOwn(filters, field) ? filters[field] : undefined) ?? ANY;
  const set = OPERATORS.filter((operator) => present[operator] !== undefined);
  if (set.length === 0) return addComparison(field, present);
  const add = Symbol("add");
  for (;;) {
    const chosen = await pickOne<Operator | typeof ANY | typeof add>({
      title: formatFilterTitle(field),
      back: true,
      placeholder: t("Choose a comparison to change or remove"),
      active: (value) => value === set[0],
      choices: [
        { label: t("Any"), value: ANY },
        ...set.map((operator) => ({
          label: toLabel(describeCondition(field, { [operator]: present[operator] }), 200),
          description: t("change or remove"),
          value: operator,
        })),
        { label: `$(add) ${t("Another Comparison…")}`, value: add },
      ],
    });
    if (chosen === undefined || chosen === BACK) return chosen;
    if (typeof chosen === "object") return chosen;
    const next = chosen === add ? await addComparison(field, present) : await askValue(field, chosen, present);
    if (next !== BACK) return next;
  }
}

async function addComparison(field: string, present: Condition): Promise<Answer<Condition>> {
  for (;;) {
    const operator = await pickOne<Operator>({
      title: formatFilterTitle(field),
      back: true,
      placeholder: t("Which comparison?"),
      choices: listComparisons(field).map((name): Choice<Operator> => ({ label: formatOperator(name), value: name })),
    });
    if (operator === undefined || operator === BACK) return operator;
    const next = await askValue(field, operator, present);
    if (next !== BACK) return next;
  }
}

function askValue(field: string, operator: Operator, present: Condition): Promise<Answer<Condition>> {
  const { [operator]: now, ...others } = present;
  return askText<Condition>({
    title: `${formatFilterTitle(field)} ${formatOperator(operator)}`,
    back: true,
    prompt: promptOf(field, operator, now !== undefined),
    value: now === undefined ? "" : toTypedComparison(field, operator, now),
    read: (typed) =>
      typed.trim() === "" && now !== undefined
        ? others
        : { ...present, [operator]: readComparison(field, operator, typed) },
  });
}

function promptOf(field: string, operator: Operator, isSet: boolean): string {
  const unit = Object.hasOwn(FILTER_FIELDS, field) ? FILTER_FIELDS[field]?.unit : undefined;
  const what = takesList(operator)
    ? t("Numbers, text, true, or false, separated by commas.")
    : t('A number, text, true, or false. For text that looks like a number, write ="24.04".');
  return [unit && t("Unit: {0}.", unit), what, isSet && t("Leave empty to remove this comparison.")]
    .filter(Boolean)
    .join(" ");
}

/** How many offers the service may return. */
export async function askLimit(search: OfferSearch): Promise<Answer<OfferSearch>> {
  const limit = await askText<{ readonly limit: number | undefined }>({
    title: t("Number of offers"),
    back: true,
    prompt: t("At most how many offers, the cheapest per hour? Leave empty for as many as usual."),
    value: search.limit === undefined ? "" : String(search.limit),
    placeholder: String(getLimit({})),
    read: (typed) => ({ limit: parseSearchLimit(typed) }),
  });
  return limit === undefined || limit === BACK ? limit : { ...search, ...limit };
}
