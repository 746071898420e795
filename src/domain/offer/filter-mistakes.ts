// What can't be meant by a condition on a known field: an order of texts, words in place of a number, 9,900 % reliability.
import { t } from "../../lib/text.ts";
import { type Filters, needsOrder, type Operator, type Scalar } from "./filter.ts";
import { FILTER_FIELDS, type FilterField, hasOrder } from "./filter-rows.ts";

interface FilterMistake {
  readonly field: string;
  readonly operator: Operator;
  readonly part: "operator" | "value";
  readonly message: string;
}

/** Every mistake at once. Fields that aren't known are for the service to judge. */
export function findFilterMistakes(filters: Filters): FilterMistake[] {
  return Object.entries(filters).flatMap(([name, condition]) => {
    const field = Object.hasOwn(FILTER_FIELDS, name) ? FILTER_FIELDS[name] : undefined;
    const parts = Object.entries(condition) as [Operator, Scalar | Scalar[] | undefined][];
    return parts.flatMap(([operator, value]): FilterMistake[] => {
      if (field === undefined || value === undefined) return [];
      if (needsOrder(operator) && !hasOrder(field))
        return [{ field: name, operator, part: "operator", message: orderMessage(name, field) }];
      const message = valueMistake(name, field, [value].flat());
      return message === undefined ? [] : [{ field: name, operator, part: "value", message }];
    });
  });
}

function orderMessage(name: string, field: FilterField): string {
  return field.kind === "text"
    ? t("{0} is text. Compare it with =, ≠, “one of”, or “none of”.", name)
    : t("{0} is true or false. Compare it with = or ≠.", name);
}

function valueMistake(name: string, field: FilterField, values: readonly Scalar[]): string | undefined {
  if (field.kind === "number" && values.some((value) => typeof value !== "number")) return t("Enter a number.");
  if (field.kind === "yes-no" && values.some((value) => typeof value !== "boolean" && value !== "any"))
    return t("Choose true or false.");
  const isFraction = (value: Scalar) => typeof value === "number" && value >= 0 && value <= 1;
  if (name === "reliability" && !values.every(isFraction))
    return t("Enter a percentage from 0 to 100. In a file, enter a number from 0 to 1.");
  return undefined;
}
