// What the page of offers shows: which rows, in which order, and why no others. Everything here happens without the host.
import { type Brush, filterByBrush, findFront, type Tradeoff } from "../../domain/offer/table/best-for-money.ts";
import {
  type ColumnId,
  getBestDirection,
  isKnownColumn,
  readColumn,
  readJobPrice,
  readMeasure,
} from "../../domain/offer/table/columns.ts";
import { type Judgment, judgeTable } from "../../domain/offer/table/filter-table.ts";
import { hasTraffic } from "../../domain/offer/table/job.ts";
import { DEFAULT_LAYOUT, type OffersLayout } from "../../domain/offer/table/offers-layout.ts";
import { rankByPrice, sortRows } from "../../domain/offer/table/sort-rows.ts";
import type { ChangedSearch, ListedOffers } from "../../protocol/offers-page.ts";
import { listFittingColumns } from "./fit-columns.ts";

const NONE = new Uint32Array();
const NOTHING: Judgment = { rows: NONE, without: new Map() };

export class OffersModel {
  search: ChangedSearch["search"] = { filters: {}, type: "ondemand" };
  layout: OffersLayout = DEFAULT_LAYOUT;
  listed: ListedOffers | undefined;
  /** The rectangle in the plot that rows must lie in. */
  brush: Brush | undefined;
  /** Whether only rows of the front are shown. */
  isBestOnly = false;
  /** The ID of the offer that is looked at. */
  chosen: number | undefined;
  /** Whether nothing is looked at because filters, or another reading, left out what was. */
  isChosenGone = false;
  /** Pixels that the table has for its columns, once it is drawn. */
  room: number | undefined;

  /** What the filters let through. */
  judged: Judgment = NOTHING;
  /** Of those, the ones that are best for the money, from the cheapest on. */
  front: Uint32Array = NONE;
  /** What is shown, in its order. */
  rows: Uint32Array = NONE;
  #ranks: Uint32Array = NONE;
  readonly #values = new Map<ColumnId, Float64Array>();
  #tradeoff: Tradeoff = { costs: new Float64Array(), gains: new Float64Array() };

  /** Other offers. The first of the first ones is looked at. */
  take(listed: ListedOffers): void {
    const isFirst = this.listed === undefined;
    this.listed = listed;
    this.#ranks = rankByPrice(listed.table);
    this.#values.clear();
    this.#measure();
    this.refilter();
    if (isFirst) this.chosen = this.#idOf(this.rows[0]);
  }

  /** After the filters changed. */
  refilter(): void {
    if (!this.listed) return;
    this.judged = judgeTable(this.listed.table, this.search.filters);
    this.#findFront();
  }

  /** After the layout changed. */
  relayout(layout: OffersLayout): void {
    const before = this.layout;
    this.layout = layout;
    if (!this.listed) return;
    if (before.job !== layout.job) for (const id of ["total", "pull"] as const) this.#values.delete(id);
    const isRepriced = before.job !== layout.job && (hasTraffic(before.job) || hasTraffic(layout.job));
    if (before.measure !== layout.measure || isRepriced) {
      // The rectangle was drawn over other values.
      this.brush = undefined;
      this.#measure();
      this.#findFront();
    } else if (before.sort !== layout.sort || before.job !== layout.job) this.#sort(this.rows);
  }

  /** After the rectangle or the front's button changed. What is left out is no longer looked at. */
  narrow(): void {
    const best = this.isBestOnly ? this.front : this.judged.rows;
    this.#sort(this.brush ? filterByBrush(best, this.#tradeoff, this.brush) : best);
    const row = this.chosenRow;
    if (this.chosen === undefined || (row !== undefined && this.rows.includes(row))) return;
    this.chosen = undefined;
    this.isChosenGone = true;
  }

  listValues(id: ColumnId): Float64Array {
    const known = this.#values.get(id);
    if (known || !this.listed) return known ?? new Float64Array();
    const values = readColumn(this.listed.table, id, this.layout.job);
    this.#values.set(id, values);
    return values;
  }

  /** What the plot compares. */
  get tradeoff(): Tradeoff {
    return this.#tradeoff;
  }

  /** The columns that are shown: those that are known and have room. */
  get columns(): readonly ColumnId[] {
    return listFittingColumns(this.layout, this.room).filter((id) => this.#isKnown(id));
  }

  /** How many columns are left out for want of room. */
  get leftOut(): number {
    return this.layout.columns.length - listFittingColumns(this.layout, this.room).length;
  }

  /** The layout whose columns a choice begins with: those that are seen, where others have no room. */
  get seenLayout(): OffersLayout {
    return this.leftOut === 0 ? this.layout : { ...this.layout, columns: [...this.columns] };
  }

  /** The row that is looked at, whether it is shown or not. */
  get chosenRow(): number | undefined {
    const row = this.chosen === undefined ? -1 : (this.listed?.table.numbers.id.indexOf(this.chosen) ?? -1);
    return row < 0 ? undefined : row;
  }

  choose(row: number): void {
    this.chosen = this.#idOf(row);
    this.isChosenGone = false;
  }

  /** The same column again turns its order round; another one begins with its best. */
  sortBy(column: ColumnId): OffersLayout {
    const { sort } = this.layout;
    const turned = sort.direction === "asc" ? "desc" : "asc";
    const direction = sort.column === column ? turned : getBestDirection(column);
    return { ...this.layout, sort: { column, direction } };
  }

  #idOf(row: number | undefined): number | undefined {
    return row === undefined ? undefined : this.listed?.table.numbers.id[row];
  }

  #isKnown(id: ColumnId): boolean {
    return this.listed === undefined || isKnownColumn(this.listed.table, id);
  }

  #sort(rows: Uint32Array): void {
    const { column, direction } = this.layout.sort;
    this.rows = sortRows(rows, this.listValues(column), direction, this.#ranks);
  }

  #measure(): void {
    if (!this.listed) return;
    const { job, measure } = this.layout;
    this.#tradeoff = { costs: readJobPrice(this.listed.table, job), gains: readMeasure(this.listed.table, measure) };
  }

  #findFront(): void {
    this.front = findFront(this.judged.rows, this.#tradeoff);
    this.narrow();
  }
}
