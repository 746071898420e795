// The offers that no other one beats in both price and performance: the Pareto front.

/** What is compared: less of `costs` and more of `gains` is better. NaN is unknown, and never best. */
export interface Tradeoff {
  readonly costs: Float64Array;
  readonly gains: Float64Array;
}

/** Beyond these, dollars per GPU and hour, or what one GPU has, weren't meant: one such offer would beat all others. */
const PLAUSIBLE = { costs: [1e-4, 1e4], gains: [1e-2, 1e6] } as const;

/** The rows whose price and performance can be compared. */
export function listComparable(rows: Uint32Array, tradeoff: Tradeoff): Uint32Array<ArrayBuffer> {
  return filterByBrush(rows, tradeoff, PLAUSIBLE);
}

/** Of these rows, those that are best for the money, from the cheapest to the best. Equals are all among them. */
export function findFront(rows: Uint32Array, tradeoff: Tradeoff): Uint32Array<ArrayBuffer> {
  const { costs, gains } = tradeoff;
  const cost = (row: number) => costs[row] ?? Number.NaN;
  const gain = (row: number) => gains[row] ?? Number.NaN;
  const known = listComparable(rows, tradeoff).sort((a, b) => cost(a) - cost(b) || gain(b) - gain(a));
  let [lastCost, lastGain] = [0, 0];
  return known.filter((row) => {
    const isBetter = gain(row) > lastGain;
    const isEqual = gain(row) === lastGain && cost(row) === lastCost;
    if (isBetter) [lastCost, lastGain] = [cost(row), gain(row)];
    return isBetter || isEqual;
  });
}

/** A rectangle in the plot, by its values. */
export interface Brush {
  readonly costs: readonly [least: number, most: number];
  readonly gains: readonly [least: number, most: number];
}

export function filterByBrush(rows: Uint32Array, { costs, gains }: Tradeoff, brush: Brush): Uint32Array<ArrayBuffer> {
  const isWithin = (value: number | undefined, [least, most]: readonly [number, number]) =>
    value !== undefined && value >= least && value <= most;
  return rows.filter((row) => isWithin(costs[row], brush.costs) && isWithin(gains[row], brush.gains));
}
