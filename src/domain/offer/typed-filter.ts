// A filter on any field of the service's offers, and how many of them it may return, as a person types them (interface
// 4.2). The service judges fields that aren't known here.
import { formatNumber, t, toPlainText } from "../../lib/text.ts";
import { createRejection } from "../base/typed-number.ts";
import { type Condition, needsOrder, OPERATORS, type Operator, type Scalar } from "./filter.ts";
import { findFilterMistakes } from "./filter-mistakes.ts";
import { FILTER_FIELDS, type FilterField, hasOrder, readFilterRows, toFilterRows } from "./filter-rows.ts";
import { MOST_EXPLORED } from "./offer-search.ts";

/** A name as fields of offers have them. */
const FIELD_NAME = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;
/** Characters of a value. */
const LONGEST_VALUE = 1000;

/** What a search takes beside filters: the name in the list of filters, or what the search makes of it itself. */
function findSetting(name: string): string | undefined {
  const titles = new Map([
    ["type", t("Rental type")],
    ["limit", t("Number of offers")],
    ["order", t("Sort by")],
  ]);
  const title = titles.get(name);
  if (title !== undefined) return t("“{0}” isn't a filter. It's set under “{1}”.", name, title);
  if (name === "allocated_storage")
    return t("“{0}” isn't a filter: every price includes the disk that you rent.", name);
  if (name === "rentable") return t("“{0}” is always set: only offers that can be rented are listed.", name);
  return undefined;
}

/** The name of any field. @throws AppError `rejected`. */
export function readFieldName(typed: string): string {
  const name = typed.trim();
  if (name === "") throw createRejection("field", t("Field: type the name of a field of the offers, such as dlperf."));
  if (!FIELD_NAME.test(name))
    throw createRejection(
      "field",
      t(
        "Field: “{0}” can't be a field's name. Use letters, digits and underscores, and begin with a letter.",
        toPlainText(name, 60),
      ),
    );
  const setting = findSetting(name);
  if (setting !== undefined) throw createRejection("field", setting);
  return name;
}

const findField = (name: string): FilterField | undefined =>
  Object.hasOwn(FILTER_FIELDS, name) ? FILTER_FIELDS[name] : undefined;

/** How a field may be compared: without an order of its values, not by which one is larger. */
export function listComparisons(name: string): readonly Operator[] {
  const field = findField(name);
  return field === undefined || hasOrder(field) ? OPERATORS : OPERATORS.filter((operator) => !needsOrder(operator));
}

/** The value that a field is compared with, in the unit of the wire. @throws AppError `rejected` that says what fits. */
export function readComparison(name: string, operator: Operator, typed: string): Scalar | Scalar[] {
  if (typed.length > LONGEST_VALUE)
    throw createRejection("value", t("Enter at most {0} characters.", formatNumber(LONGEST_VALUE)));
  const { filters, problems } = readFilterRows([{ field: name, operator, value: typed }]);
  const condition = filters[name] as Condition | undefined;
  const value = condition?.[operator];
  const wrong = problems[0]?.message ?? findMisfit(name, operator, value);
  if (wrong !== undefined || value === undefined) throw createRejection("value", wrong ?? t("Enter a value."));
  return Array.isArray(value) ? value.map(toSent) : toSent(value);
}

/** JSON has no -0. */
const toSent = (value: Scalar): Scalar => (value === 0 ? 0 : value);

function findMisfit(name: string, operator: Operator, value: Scalar | Scalar[] | undefined): string | undefined {
  if (value === undefined) return undefined;
  if (Array.isArray(value) && value.length === 0) return t("Enter one or more values, separated by commas.");
  const [mistake] = findFilterMistakes({ [name]: { [operator]: value } });
  if (mistake) return mistake.message;
  const values = [value].flat();
  if (findField(name)?.kind === "text" && values.some((one) => typeof one !== "string"))
    return t('Enter text. To use it as it stands, write ="text".');
  return needsOrder(operator) && values.some((one) => typeof one === "boolean")
    ? t("True and false have no order. Enter a number or text, or choose another comparison.")
    : undefined;
}

/** The value of a comparison as a person would type it; empty for none. */
export function toTypedComparison(name: string, operator: Operator, value: Condition[Operator]): string {
  return toFilterRows({ [name]: { [operator]: value } })[0]?.value ?? "";
}

/** The most offers that a search may return; undefined for as many as usual. @throws AppError `rejected`. */
export function parseSearchLimit(typed: string): number | undefined {
  const text = typed.trim();
  if (text === "") return undefined;
  const limit = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= MOST_EXPLORED) return limit;
  throw createRejection(
    "limit",
    t("Number of offers: enter a whole number from 1 to {0}.", formatNumber(MOST_EXPLORED)),
  );
}
