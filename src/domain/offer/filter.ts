// Filters as `{ field: { operator: value } }` (interface 4.2, 4.5): built, checked and evaluated.
import * as z from "zod";

export const OPERATORS = ["eq", "neq", "lt", "lte", "gt", "gte", "in", "notin"] as const;
export type Operator = (typeof OPERATORS)[number];
/** The signs people see for operators that compare with one value. */
export const SIGNS = { eq: "=", neq: "≠", lt: "<", lte: "≤", gt: ">", gte: "≥" } as const satisfies Partial<
  Record<Operator, string>
>;
/** Whether a comparison needs values of which one is larger. */
export const needsOrder = (operator: string): boolean => ["lt", "lte", "gt", "gte"].includes(operator);
const Scalar = z.union([z.string(), z.number(), z.boolean()]);
export type Scalar = z.infer<typeof Scalar>;

/** One field's conditions; all must hold. `in` and `notin` take a list, the others one value. */
export const Condition = z.strictObject({
  eq: Scalar.optional(),
  neq: Scalar.optional(),
  lt: Scalar.optional(),
  lte: Scalar.optional(),
  gt: Scalar.optional(),
  gte: Scalar.optional(),
  in: z.array(Scalar).optional(),
  notin: z.array(Scalar).optional(),
});
export type Condition = z.infer<typeof Condition>;
export const Filters = z.record(z.string(), Condition);
export type Filters = z.infer<typeof Filters>;

/** Filters as stored: an entry that isn't a condition is kept unchanged for the service to judge. */
export const StoredFilters = z.record(z.string(), z.unknown());
export type StoredFilters = z.infer<typeof StoredFilters>;

/** The condition an entry represents, or undefined. A name with surrounding whitespace isn't a field. */
export const toCondition = (field: string, entry: unknown): Condition | undefined =>
  field === "" || field !== field.trim() ? undefined : Condition.safeParse(entry).data;

/** The entries that are conditions. */
export function toFilters(filters: StoredFilters): Filters {
  return Object.fromEntries(
    Object.entries(filters).flatMap(([field, entry]) => {
      const condition = toCondition(field, entry);
      return condition === undefined ? [] : [[field, condition]];
    }),
  );
}

function holds(actual: unknown, operator: Operator, wanted: unknown): boolean {
  const list = Array.isArray(wanted) ? wanted : [wanted];
  switch (operator) {
    case "in":
      return list.includes(actual);
    case "notin":
      return !list.includes(actual);
    case "eq":
      return actual === wanted;
    case "neq":
      return actual !== wanted;
    default:
      return compares(actual, operator, wanted);
  }
}

function compares(actual: unknown, operator: "lt" | "lte" | "gt" | "gte", wanted: unknown): boolean {
  const comparable = typeof actual === typeof wanted && (typeof actual === "number" || typeof actual === "string");
  if (!comparable) return false;
  const [a, b] = [actual as number | string, wanted as number | string];
  if (operator === "lt") return a < b;
  if (operator === "lte") return a <= b;
  return operator === "gt" ? a > b : a >= b;
}

/** Whether one field of a record meets its condition. A missing field meets only `neq` and `notin`. */
export function meetsCondition(actual: unknown, condition: Condition): boolean {
  return toTest(condition)(actual);
}

/** The same for many values. */
export function toTest(condition: Condition): (actual: unknown) => boolean {
  const parts = OPERATORS.filter((operator) => condition[operator] !== undefined);
  return (actual) => parts.every((operator) => holds(actual, operator, condition[operator]));
}

/** Whether a record meets all filters. `read` returns a field's value, for records with aliases or computed fields. */
export function matchesFilters<R>(record: R, filters: Filters, read: (record: R, field: string) => unknown): boolean {
  return Object.entries(filters).every(([field, condition]) => meetsCondition(read(record, field), condition));
}
