// What a template asks of machines, and a machine that was chosen before it is known not to have.
import { type Condition, type Filters, meetsCondition, OPERATORS, type Operator, type Scalar } from "./filter.ts";
import { isMemory } from "./filter-units.ts";
import { formatCondition } from "./filter-words.ts";
import { LEAST_MB, type Offer } from "./offer.ts";
import { readFilterField } from "./offer-search.ts";

/** The part of a filter that an offer doesn't meet, and what the offer has instead. */
export interface UnmetFilter {
  readonly field: string;
  readonly condition: Condition;
  readonly actual: Scalar;
}

/** A price says nothing of the machine. */
const PRICES = new Set(["dph_total", "min_bid"]);

/**
 * Which filters of a template an offer's machine is known not to meet. What the offer doesn't state, or states as another type than the
 * template, isn't known; and whatever reads the same to a person is met.
 */
export function listUnmet(filters: Filters, offer: Offer): readonly UnmetFilter[] {
  return Object.entries(filters).flatMap(([field, wanted]) => {
    const actual = readKnown(offer, field);
    if (actual === undefined) return [];
    const missed = OPERATORS.filter((operator) => misses(field, operator, wanted, actual));
    const condition: Condition = Object.fromEntries(missed.map((operator) => [operator, wanted[operator]]));
    return missed.length === 0 ? [] : [{ field, condition, actual }];
  });
}

function readKnown(offer: Offer, field: string): Scalar | undefined {
  const actual = PRICES.has(field) ? undefined : readFilterField(offer, field);
  // Some services send GB.
  if (isMemory(field) && typeof actual === "number" && actual < LEAST_MB) return undefined;
  return typeof actual === "string" || typeof actual === "number" || typeof actual === "boolean" ? actual : undefined;
}

function misses(field: string, operator: Operator, { [operator]: wanted }: Condition, actual: Scalar): boolean {
  const each = wanted === undefined ? [] : [wanted].flat();
  if (each.length === 0 || !each.every((value) => isComparable(field, value, actual))) return false;
  const fold = (value: Scalar) => foldName(field, value);
  const folded = { [operator]: Array.isArray(wanted) ? each.map(fold) : each.map(fold)[0] };
  return !meetsCondition(fold(actual), folded) && !each.some((value) => readsTheSame(field, operator, value, actual));
}

/** Services compare countries by their two letters; what else a template names there can't be judged. */
function isComparable(field: string, wanted: Scalar, actual: Scalar): boolean {
  if (typeof wanted !== typeof actual) return false;
  return field !== "geolocation" || /^[A-Z]{2}$/.test(String(wanted));
}

/** Templates write `rtx_4090` for what a service calls `RTX 4090`. */
const foldName = (field: string, value: Scalar): Scalar =>
  field === "gpu_name" ? String(value).replaceAll("_", " ").toLowerCase() : value;

const BOUNDS: ReadonlySet<Operator> = new Set(["gte", "lte", "eq", "in"]);

/** Whether a sentence would ask for what it says is there: 24,564 MB are a card of 24 GB. */
function readsTheSame(field: string, operator: Operator, wanted: Scalar, actual: Scalar): boolean {
  const format = (value: Scalar) => formatCondition(field, { eq: value });
  return BOUNDS.has(operator) && format(wanted) === format(actual);
}
