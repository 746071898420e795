// Builds a template search from short questions. What will be sent is always visible.
import { type Condition, type Filters, OPERATORS, type Operator } from "../../domain/offer/filter.ts";
import { withCondition } from "../../domain/offer/offer-search.ts";
import {
  describeSearch,
  isDate,
  isSearchField,
  listOperators,
  readCondition,
  SEARCH_FIELDS,
  type SearchField,
  toTypedValue,
} from "../../domain/template/template-search.ts";
import { t, toLabel } from "../../lib/text.ts";
import { formatOperator } from "../../present/offer/operators.ts";
import { describeTemplateField } from "../../present/template/templates.ts";
import { type Choice, createSeparator, pickOne } from "../kit/ask/pick.ts";
import { type Answer, askText, BACK } from "../kit/ask/steps.ts";

interface Part {
  readonly field: SearchField;
  readonly operator: Operator;
}
type Menu = "search" | "add" | "clear" | Part;

/** Shows the menu until the person searches; undefined if they leave. */
export async function askTemplateSearch(start: Filters): Promise<Filters | undefined> {
  let filters = start;
  for (;;) {
    const chosen = await pickOne<Menu>({
      title: t("Search Templates"),
      placeholder: t("select_filters: {0}", toLabel(JSON.stringify(filters), 300)),
      choices: menu(filters),
    });
    if (chosen === undefined || chosen === BACK) return undefined;
    if (chosen === "search") return filters;
    if (chosen === "clear") filters = {};
    else {
      const next = chosen === "add" ? await add(filters) : await change(filters, chosen);
      if (next === undefined) return undefined;
      if (next !== BACK) filters = next;
    }
  }
}

function menu(filters: Filters): Choice<Menu>[] {
  const parts = Object.entries(filters).flatMap(([field, condition]) =>
    OPERATORS.flatMap((operator): Choice<Menu>[] =>
      condition[operator] === undefined || !isSearchField(field)
        ? []
        : [
            {
              label: `$(filter) ${toLabel(describeSearch({ [field]: { [operator]: condition[operator] } }), 200)}`,
              description: t("change or remove"),
              value: { field, operator },
            },
          ],
    ),
  );
  const empty = parts.length === 0;
  return [
    ...(empty ? [] : [{ label: `$(search) ${t("Search")}`, value: "search" as const, alwaysShow: true }]),
    { label: `$(add) ${t("Add Filter…")}`, value: "add" as const, alwaysShow: true },
    ...(empty ? [] : [createSeparator<Menu>(t("Filters (all must match)")), ...parts, createSeparator<Menu>("")]),
    ...(empty ? [] : [{ label: `$(discard) ${t("Clear Search")}`, value: "clear" as const }]),
  ];
}

async function add(filters: Filters): Promise<Answer<Filters>> {
  for (;;) {
    const field = await pickOne<SearchField>({
      title: t("Search Templates: Field"),
      back: true,
      placeholder: t("Which field?"),
      choices: SEARCH_FIELDS.map((name) => ({ label: name, description: describeTemplateField(name), value: name })),
    });
    if (field === undefined || field === BACK) return field;
    const operator = await pickOne<Operator>({
      title: t("Search Templates: {0}", field),
      back: true,
      placeholder: t("Which comparison?"),
      choices: listOperators(field).map((name) => ({ label: name, description: formatOperator(name), value: name })),
    });
    if (operator === undefined) return undefined;
    if (operator === BACK) continue;
    const next = await change(filters, { field, operator });
    if (next !== BACK) return next;
  }
}

function exampleOf(field: Part["field"]): string {
  if (isDate(field)) return "2026-07-01";
  return field === "recommended" ? "true" : "";
}

async function change(filters: Filters, { field, operator }: Part): Promise<Answer<Filters>> {
  const { [operator]: now, ...others } = filters[field] ?? {};
  const list = operator === "in" || operator === "notin";
  const condition = await askText<Condition>({
    title: t("Search Templates: {0} {1}", field, formatOperator(operator)),
    back: true,
    prompt: list
      ? t("Separate values with commas. Leave empty to remove the filter.")
      : t("Must match exactly. Leave empty to remove the filter."),
    value: toTypedValue(field, now),
    placeholder: exampleOf(field),
    read: (typed) => (typed.trim() === "" ? {} : readCondition(field, operator, typed)),
  });
  if (condition === undefined || condition === BACK) return condition;
  const merged = { ...others, ...condition };
  return withCondition(filters, field, Object.keys(merged).length === 0 ? undefined : merged);
}
