// Which rows of a table meet the filters of a search, and how many each filter alone keeps out.
import { type Condition, type Filters, type Scalar, toTest } from "../filter.ts";
import { readPlaceCode } from "../place.ts";
import { NUMBER_FIELDS, type NumberField, type OfferTable, type TableTextField, toTableText } from "./offer-table.ts";

const TEXTS: readonly string[] = ["gpu_name", "geolocation", "cpu_name"] satisfies TableTextField[];

/** Whether the table itself can say which rows meet a filter on this field. Others are the service's to judge. */
const isTableField = (field: string): boolean =>
  TEXTS.includes(field) || (NUMBER_FIELDS as readonly string[]).includes(field);

/** The filters that the table judges, and those that only the service can: what isn't of the field's own kind it may read differently. */
export function splitFilters(filters: Filters): { readonly table: Filters; readonly service: Filters } {
  const entries = Object.entries(filters);
  return {
    table: Object.fromEntries(entries.filter(([field, condition]) => isTableFilter(field, condition))),
    service: Object.fromEntries(entries.filter(([field, condition]) => !isTableFilter(field, condition))),
  };
}

/** What the service is asked to judge. The cheapest few of all that match are its own to choose, by every filter. */
export function getServiceFilters({
  filters,
  limit,
}: {
  readonly filters: Filters;
  readonly limit?: number | undefined;
}): Filters {
  return limit === undefined ? splitFilters(filters).service : filters;
}

const COUNTRY = /^[A-Z]{2}$/;

function isTableFilter(field: string, condition: Condition): boolean {
  if (!isTableField(field)) return false;
  const operands = Object.values(condition).flat();
  if (field === "verified") return operands.every((one) => typeof one === "boolean");
  if (!TEXTS.includes(field)) return operands.every((one) => typeof one === "number");
  if (!operands.every((one) => typeof one === "string")) return false;
  return field !== "geolocation" || operands.every((one) => COUNTRY.test(one));
}

export interface Judgment {
  /** Rows that meet all filters, in the table's order. */
  readonly rows: Uint32Array;
  /** How many more rows there would be without a filter. */
  readonly without: ReadonlyMap<string, number>;
}

/** Filters on fields that the table doesn't have keep nothing out. */
export function judgeTable(table: OfferTable, filters: Filters): Judgment {
  const { table: own } = splitFilters(filters);
  const fields = Object.keys(own);
  const failures = new Uint8Array(table.count);
  /** Which filter a row failed last: the only one if it failed one. */
  const failed = new Uint8Array(table.count);
  for (const [nth, [field, condition]] of Object.entries(own).entries()) {
    const passes = toRowTest(table, field, condition);
    for (let row = 0; row < table.count; row += 1) {
      if (passes(row)) continue;
      failures[row] = (failures[row] ?? 0) + 1;
      failed[row] = nth;
    }
  }
  const counts = new Uint32Array(fields.length);
  for (let row = 0; row < table.count; row += 1) {
    const nth = failed[row] ?? 0;
    if (failures[row] === 1) counts[nth] = (counts[nth] ?? 0) + 1;
  }
  return {
    rows: Uint32Array.from({ length: table.count }, (_, row) => row).filter((row) => failures[row] === 0),
    without: new Map(fields.map((field, nth) => [field, counts[nth] ?? 0])),
  };
}

function toRowTest({ numbers, texts }: OfferTable, field: string, condition: Condition): (row: number) => boolean {
  if (!TEXTS.includes(field)) {
    const test = toTest(condition);
    const isTruth = field === "verified";
    const values = numbers[field as NumberField];
    return (row) => {
      const value = values[row] ?? Number.NaN;
      if (Number.isNaN(value)) return test(undefined);
      return test(isTruth ? value === 1 : value);
    };
  }
  const { words, at } = texts[field as TableTextField];
  const test = toTest(withTableTexts(condition));
  const passing = words.map((word) => test(readWord(field, word)));
  return (row) => passing[at[row] ?? 0] ?? false;
}

/** Places are compared by their country (interface 4.2). */
function readWord(field: string, word: string): string | undefined {
  if (field === "geolocation") return readPlaceCode(word);
  return word === "" ? undefined : word;
}

/** The condition on texts as the table holds them: cut, and without what can't be seen. */
function withTableTexts(condition: Condition): Condition {
  const cut = (value: Scalar) => (typeof value === "string" ? toTableText(value) : value);
  const parts = Object.entries(condition).map(([operator, value]) => [
    operator,
    Array.isArray(value) ? value.map(cut) : cut(value as Scalar),
  ]);
  return Object.fromEntries(parts);
}
