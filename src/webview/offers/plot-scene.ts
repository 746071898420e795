// Where each offer lies in the plot, and which one is near the pointer.
import { type Quadtree, quadtree } from "d3-quadtree";
import { type ScaleLogarithmic, scaleLog } from "d3-scale";
import { type Brush, listComparable, type Tradeoff } from "../../domain/offer/table/best-for-money.ts";
import { listLargestFamilies, toGpuFamily } from "../../domain/offer/table/gpu-family.ts";
import type { OfferTable } from "../../domain/offer/table/offer-table.ts";

/** Pixels around the points. */
export const MARGIN = { left: 58, right: 16, top: 12, bottom: 40 } as const;
const MOST_FAMILIES = 8;

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Which family each row belongs to: its place among the largest, or their number for all others. */
export interface Families {
  readonly names: readonly string[];
  readonly of: Uint8Array;
}

export function sortIntoFamilies({ texts, numbers }: OfferTable): Families {
  const { words, at } = texts.gpu_name;
  const hasPrice = (row: number) => !Number.isNaN(numbers.dph_total[row]);
  const byWord = words.map(toGpuFamily);
  const names = listLargestFamilies(
    Array.from(at, (place, row) => (hasPrice(row) ? (byWord[place] ?? "") : "")),
    MOST_FAMILIES,
  );
  const places = byWord.map((family) => (names.includes(family) ? names.indexOf(family) : names.length));
  return { names, of: Uint8Array.from(at, (place) => places[place] ?? names.length) };
}

type Extent = readonly [least: number, most: number];

export class PlotScene {
  /** The rows that lie in the plot. */
  readonly rows: Uint32Array;
  /** Pixels, by rows of the table. */
  readonly x: (row: number) => number;
  readonly y: (row: number) => number;
  readonly costs: ScaleLogarithmic<number, number>;
  readonly gains: ScaleLogarithmic<number, number>;
  #tree: Quadtree<number> | undefined;

  constructor(rows: Uint32Array, tradeoff: Tradeoff, { width, height }: Size) {
    const { costs, gains } = tradeoff;
    this.rows = listComparable(rows, tradeoff);
    this.costs = scaleLog(widen(extentOf(this.rows, costs)), [MARGIN.left, width - MARGIN.right]);
    this.gains = scaleLog(widen(extentOf(this.rows, gains)), [height - MARGIN.bottom, MARGIN.top]);
    this.x = (row) => this.costs(costs[row] ?? 1);
    this.y = (row) => this.gains(gains[row] ?? 1);
  }

  /** The row within so many pixels. Built when someone points for the first time. */
  find(x: number, y: number, radius: number): number | undefined {
    this.#tree ??= quadtree<number>()
      .x(this.x)
      .y(this.y)
      .addAll([...this.rows]);
    return this.#tree.find(x, y, radius);
  }

  /** What lies between two corners, in pixels. */
  readBrush([x, y]: readonly [number, number], [otherX, otherY]: readonly [number, number]): Brush {
    const between = (scale: ScaleLogarithmic<number, number>, a: number, b: number): [number, number] => {
      const [from, to] = [scale.invert(a), scale.invert(b)];
      return from < to ? [from, to] : [to, from];
    };
    return { costs: between(this.costs, x, otherX), gains: between(this.gains, y, otherY) };
  }
}

function extentOf(rows: Uint32Array, values: Float64Array): Extent {
  let [least, most] = [Number.POSITIVE_INFINITY, 0];
  for (const row of rows) {
    const value = values[row] ?? Number.NaN;
    if (value < least) least = value;
    if (value > most) most = value;
  }
  return most > 0 ? [least, most] : [0.1, 10];
}

/** Some room, so that no point lies on an axis. */
const widen = ([least, most]: Extent): [number, number] => [least / 1.15, most * 1.15];
