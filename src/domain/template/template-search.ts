// A typed template search: each field's operators and values, converted to the interface's filters (interface 4.5).
import { t } from "../../lib/text.ts";
import { AppError } from "../base/error.ts";
import { type Condition, type Filters, OPERATORS, type Operator, type Scalar, SIGNS } from "../offer/filter.ts";
import { TEMPLATE_FIELDS } from "./template.ts";

export type SearchField = keyof typeof TEMPLATE_FIELDS;
export const SEARCH_FIELDS = Object.keys(TEMPLATE_FIELDS) as SearchField[];
/** Compared as seconds since 1970, typed as a date. */
const DATES: readonly SearchField[] = ["created_at", "recent_create_date"];

export const isDate = (field: SearchField): boolean => DATES.includes(field);
export const isSearchField = (field: string): field is SearchField => Object.hasOwn(TEMPLATE_FIELDS, field);

/** For texts, the service decides what less and greater mean. For yes/no fields they mean nothing. */
export function listOperators(field: SearchField): readonly Operator[] {
  return TEMPLATE_FIELDS[field] === "boolean" ? ["eq", "neq"] : OPERATORS;
}

/** @throws AppError `rejected` that says what is expected. */
function readScalar(field: SearchField, typed: string): Scalar {
  const text = typed.trim();
  const no = (message: string) => new AppError("rejected", message);
  if (text === "") throw no(t("Enter a value."));
  const kind = TEMPLATE_FIELDS[field];
  if (kind === "string") return text;
  if (kind === "boolean") {
    if (text === "true" || text === "false") return text === "true";
    throw no(t("Enter true or false."));
  }
  if (isDate(field) && /^\d{4}-\d{2}-\d{2}$/.test(text)) {
    const seconds = Date.parse(`${text}T00:00:00Z`) / 1000;
    if (Number.isFinite(seconds)) return seconds;
  }
  const value = Number(text);
  const wanted = isDate(field) ? t("Enter a date, such as 2026-07-01.") : t("Enter a number.");
  if (!/^-?(?:\d+(?:\.\d*)?|\.\d+)$/.test(text) || !Number.isFinite(value)) throw no(wanted);
  if (kind === "integer" && !Number.isSafeInteger(value)) throw no(t("Enter a whole number."));
  // There is no -0 to type again.
  return value || 0;
}

/** Lists are typed with commas. @throws AppError `rejected` that says what is expected. */
export function readCondition(field: SearchField, operator: Operator, typed: string): Condition {
  if (operator !== "in" && operator !== "notin") return { [operator]: readScalar(field, typed) };
  const parts = typed.split(",").filter((part) => part.trim() !== "");
  if (parts.length === 0) throw new AppError("rejected", t("Enter one or more values, separated by commas."));
  return { [operator]: parts.map((part) => readScalar(field, part)) };
}

/** The value as a person would type it. */
export function toTypedValue(field: SearchField, value: Scalar | readonly Scalar[] | undefined): string {
  const one = (item: Scalar) =>
    isDate(field) && typeof item === "number" && item % 86_400 === 0
      ? new Date(item * 1000).toISOString().slice(0, 10)
      : String(item);
  if (value === undefined) return "";
  return Array.isArray(value) ? value.map(one).join(", ") : one(value as Scalar);
}

const ALL_SIGNS: Readonly<Record<Operator, string>> = { ...SIGNS, in: "∈", notin: "∉" };

/** The filters in one line. */
export function describeSearch(filters: Filters): string {
  return Object.entries(filters)
    .flatMap(([field, condition]) =>
      OPERATORS.filter((operator) => condition[operator] !== undefined).map((operator) => {
        const value = condition[operator];
        return `${field} ${ALL_SIGNS[operator]} ${isSearchField(field) ? toTypedValue(field, value) : String(value)}`;
      }),
    )
    .join(" · ");
}
