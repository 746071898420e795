// Filters as the service reads them (interface 4.2, 4.5). Unusable filters are refused, field by field.
import { type Filters, OPERATORS, type Operator } from "../../domain/offer/filter.ts";
import { isRecord, Refusal } from "./refusal.ts";

/**
 * `place` holds `Country, CC`; it is compared by its two-letter code and has no order. `version` holds `535.86.05`; it
 * is compared as the integer 535086005, which public clients send instead.
 */
export type FieldKind = "string" | "number" | "boolean" | "place" | "version";
export type Kinds = Readonly<Record<string, FieldKind>>;

const UNORDERED: readonly FieldKind[] = ["boolean", "place"];
const ORDER: readonly Operator[] = ["lt", "lte", "gt", "gte"];

function refuse(message: string): never {
  throw new Refusal(400, "invalid_request", message);
}

function isOperator(word: string): word is Operator {
  return (OPERATORS as readonly string[]).includes(word);
}

/** `Sweden, SE` and `se` are both `SE`. */
export function readCountryCode(place: string): string {
  return place.slice(-2).toUpperCase();
}

/** `535.86.05` as 535086005: three digits for each of three parts. */
export function toVersionNumber(version: string): number {
  const parts = version.split(".").map((part) => part.padStart(3, "0"));
  return Number(parts.join("").padEnd(9, "0"));
}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const VERSION = /^\d{1,3}\.\d{1,3}(\.\d{1,3})?$/;

/** A number, also as text: public clients send `"2"`. */
function readNumber(name: string, value: unknown): number {
  const number = typeof value === "string" && NUMBER.test(value.trim()) ? Number(value) : value;
  return typeof number === "number" ? number : refuse(`${name} must be compared with a number`);
}

function readValue(name: string, kind: FieldKind, value: unknown): string | number | boolean {
  if (kind === "version" && typeof value === "string" && VERSION.test(value.trim()))
    return toVersionNumber(value.trim());
  if (kind === "number" || kind === "version") return readNumber(name, value);
  if (kind === "boolean") return typeof value === "boolean" ? value : refuse(`${name} must be compared with a boolean`);
  if (typeof value !== "string") return refuse(`${name} must be compared with a string`);
  return kind === "place" ? readCountryCode(value) : value;
}

function readOperand(field: string, operator: Operator, kind: FieldKind, value: unknown): unknown {
  const name = `${field}.${operator}`;
  if (ORDER.includes(operator) && UNORDERED.includes(kind))
    refuse(`${operator} is not a valid search op for ${field}, which has no order`);
  if (operator !== "in" && operator !== "notin") return readValue(name, kind, value);
  if (!Array.isArray(value)) refuse(`${name} takes a list of values`);
  return value.map((item) => readValue(name, kind, item));
}

/**
 * Checks a request's filters. A null filter or operand counts as unset, and a boolean with `eq` "any" as no condition.
 * @throws Refusal 400 `invalid_request` naming the field, its operator or its value.
 */
export function readFilters(given: Readonly<Record<string, unknown>>, kinds: Kinds): Filters {
  const filters: Record<string, Record<string, unknown>> = {};
  for (const [field, condition] of Object.entries(given)) {
    const kind = Object.hasOwn(kinds, field) ? kinds[field] : undefined;
    if (kind === undefined) refuse(`${field} is not a valid search key`);
    if (condition === null) continue;
    if (!isRecord(condition)) refuse(`${field} must be an object of conditions such as {"eq": value}`);
    if (kind === "boolean" && condition.eq === "any") continue;
    const read: Record<string, unknown> = {};
    for (const [operator, value] of Object.entries(condition)) {
      if (!isOperator(operator)) refuse(`${operator} is not a valid search op for ${field}`);
      if (value !== null) read[operator] = readOperand(field, operator, kind, value);
    }
    filters[field] = read;
  }
  return filters;
}

/** The JSON of a query parameter; undefined if it is left out or empty. @throws Refusal 400 `invalid_request`. */
export function readJsonText(name: string, text: string | undefined): unknown {
  if (text === undefined || text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return refuse(`${name} is not valid JSON`);
  }
}

/** The filters of a query parameter: a JSON object. @throws Refusal 400 `invalid_request`. */
export function readFilterText(name: string, text: string | undefined, kinds: Kinds): Filters {
  const value = readJsonText(name, text);
  if (value === undefined) return {};
  if (!isRecord(value)) refuse(`${name} must be a JSON object of conditions`);
  return readFilters(value, kinds);
}
