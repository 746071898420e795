// Sorts rows by a column. Unknown is last in both directions, and of equals the cheaper one comes first.
import type { Direction } from "./columns.ts";
import type { OfferTable } from "./offer-table.ts";

/** The place of each row by price and then by ID: what equals are told apart by. */
export function rankByPrice({ count, numbers }: OfferTable): Uint32Array {
  const { dph_total: prices, id: ids } = numbers;
  const known = (value: number | undefined) =>
    value === undefined || Number.isNaN(value) ? Number.POSITIVE_INFINITY : value;
  const order = Uint32Array.from({ length: count }, (_, row) => row).sort((a, b) => {
    const [x, y] = [known(prices[a]), known(prices[b])];
    return x === y ? known(ids[a]) - known(ids[b]) || a - b : x - y;
  });
  const ranks = new Uint32Array(count);
  for (const [rank, row] of order.entries()) ranks[row] = rank;
  return ranks;
}

/** @param ranks those of `rankByPrice`. */
export function sortRows(
  rows: Uint32Array,
  values: Float64Array,
  direction: Direction,
  ranks: Uint32Array,
): Uint32Array<ArrayBuffer> {
  const sorted = new Uint32Array(rows.length);
  const known = rows.filter((row) => !Number.isNaN(values[row]));
  const unknown = rows.filter((row) => Number.isNaN(values[row]));
  const sign = direction === "asc" ? 1 : -1;
  const byRank = (a: number, b: number) => (ranks[a] ?? 0) - (ranks[b] ?? 0);
  sorted.set(known.sort((a, b) => sign * ((values[a] ?? 0) - (values[b] ?? 0)) || byRank(a, b)));
  sorted.set(unknown.sort(byRank), known.length);
  return sorted;
}
