// The order of a list (an extra): how a request states it, and how two records compare.
import type { Kinds } from "../base/filters.ts";
import { isRecord, Refusal } from "../base/refusal.ts";

type Direction = "asc" | "desc";
export type Order = readonly (readonly [field: string, direction: Direction])[];

const isDirection = (value: unknown): value is Direction => value === "asc" || value === "desc";

function refuse(message: string): never {
  throw new Refusal(400, "invalid_request", message);
}

function readTerm(term: unknown): readonly [string, Direction] {
  const { col, dir = "asc" } = isRecord(term) ? term : { col: term };
  if (typeof col !== "string" || !isDirection(dir))
    return refuse('order_by must be a column or a list such as [{"col": "id", "dir": "asc"}]');
  return [col, dir];
}

function parseTerms(text: string): readonly unknown[] {
  if (!/^\s*[[{"]/.test(text)) return [text.trim()];
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [value];
  } catch {
    return refuse("order_by is not valid JSON");
  }
}

/** The query parameter `order_by`: a column, or a JSON list of columns with directions. @throws Refusal 400 `invalid_request`. */
export function readOrderBy(text: string | undefined, columns: Kinds): Order {
  if (text === undefined || text.trim() === "") return [];
  const order = parseTerms(text).map(readTerm);
  const unknown = order.find(([field]) => !Object.hasOwn(columns, field));
  return unknown === undefined ? order : refuse(`${unknown[0]} is not a valid column to order by`);
}

/**
 * Compares two records. Records that are equal in every field of the order compare as equal; missing values come last.
 */
export function compareBy<R>(order: Order, read: (record: R, field: string) => unknown) {
  return (a: R, b: R): number => {
    for (const [field, direction] of order) {
      const [x, y] = [read(a, field) ?? null, read(b, field) ?? null];
      if (x === y) continue;
      if (x === null) return 1;
      if (y === null) return -1;
      return (x < y ? -1 : 1) * (direction === "asc" ? 1 : -1);
    }
    return 0;
  };
}
