// The table of offers: thousands of rows of which only those in sight are drawn, with one cell that the keyboard is on.
import {
  defaultRangeExtractor,
  elementScroll,
  observeElementOffset,
  observeElementRect,
  type Range,
  Virtualizer,
} from "@tanstack/virtual-core";
import { html, render } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { type ColumnId, findTyped } from "../../domain/offer/table/columns.ts";
import { moveColumn, type OffersLayout, resizeColumn } from "../../domain/offer/table/offers-layout.ts";
import { styled } from "../kit/styled.ts";
import { dragWidth, measureWidth, setWidths } from "./column-widths.ts";
import { ROW_HEIGHT, renderLine, renderNames } from "./grid-lines.ts";
import { findCell, findEventPlace, HEAD, moveByKey, type Place, showColumn } from "./grid-place.ts";
import type { OffersModel } from "./model.ts";
import { TypeAhead } from "./type-ahead.ts";

/** Pixels, as in the style sheet. */
const HEAD_HEIGHT = 26;
/** Rows beyond those in sight, so that a fast hand finds no gap. */
const OVERSCAN = 8;
/** Pixels by which a key widens a column. */
const KEY_WIDTH = 10;

interface GridEvents {
  /** Another row is looked at. */
  readonly choose: (row: number) => void;
  /** This row, which the keyboard is on, or else the one that is looked at. */
  readonly review: (row?: number) => void;
  readonly sort: (column: ColumnId) => void;
  readonly relayout: (layout: OffersLayout) => void;
  /** Another width has room for other columns. */
  readonly fit: () => void;
  readonly openMenu: (column: ColumnId, at: Element) => void;
}

export class OffersGrid {
  readonly element: HTMLElement = document.createElement("div");
  readonly #model: OffersModel;
  readonly #events: GridEvents;
  readonly #virtualizer: Virtualizer<HTMLElement, HTMLElement>;
  #active: Place = { row: 0, column: 0 };
  readonly #typing = new TypeAhead();
  #isMounted = false;
  /** Whether the focus follows the active cell. */
  #mustFocus = false;
  #rows: Uint32Array | undefined;
  /** The rows that are drawn, but for the one that the keyboard is on. */
  #inSight = { from: 0, to: 0 };
  /** How many elements there are for rows. */
  #slots = 1;

  constructor(model: OffersModel, events: GridEvents) {
    this.#model = model;
    this.#events = events;
    this.element.className = "grid";
    this.element.setAttribute("role", "grid");
    this.element.id = "offers-table";
    this.#virtualizer = new Virtualizer({
      count: 0,
      getScrollElement: () => this.element,
      estimateSize: () => ROW_HEIGHT,
      scrollToFn: elementScroll,
      observeElementRect,
      observeElementOffset,
      overscan: OVERSCAN,
      // The names cover the rows that scroll below them.
      scrollPaddingEnd: HEAD_HEIGHT,
      rangeExtractor: (range) => this.#rangeOf(range),
      onChange: () => this.#draw(),
    });
    new ResizeObserver(() => this.#measure()).observe(this.element);
    this.element.addEventListener("click", (event) => this.#click(event));
    this.element.addEventListener("dblclick", (event) => findEventPlace(event)?.row !== HEAD && this.#events.review());
    // A click, or a screen reader, may move the focus, too.
    this.element.addEventListener("focusin", (event) => {
      this.#active = findEventPlace(event) ?? this.#active;
    });
    this.element.addEventListener("keydown", (event) => this.#press(event));
    this.element.addEventListener("contextmenu", (event) => this.#openMenu(event));
    this.element.addEventListener("pointerdown", (event) => this.#grab(event));
  }

  /** After the model changed. Other rows begin at their first one. */
  update(name: string): void {
    const { rows } = this.#model;
    this.element.setAttribute("aria-label", name);
    this.#virtualizer.setOptions({ ...this.#virtualizer.options, count: rows.length });
    if (rows !== this.#rows) {
      this.#rows = rows;
      if (this.#active.row !== HEAD) this.#active = { ...this.#active, row: 0 };
      this.element.scrollTop = 0;
    }
    const last = this.#model.columns.length - 1;
    if (this.#active.column > last) this.#active = { ...this.#active, column: last };
    this.#draw();
  }

  /** Other columns may have room. */
  #measure(): void {
    const { clientWidth } = this.element;
    if (!this.element.isConnected || clientWidth === this.#model.room) return;
    this.#model.room = clientWidth;
    this.#events.fit();
  }

  /** After another row was chosen. */
  redraw(): void {
    this.#draw();
  }

  /** After the element is in the page. */
  mount(): void {
    if (this.#isMounted || !this.element.isConnected) return;
    this.#isMounted = true;
    this.#virtualizer._didMount();
    this.#virtualizer._willUpdate();
  }

  focus(): void {
    this.#mustFocus = true;
    this.#draw();
  }

  /** The row that the keyboard is on is there even out of sight, so that the focus isn't lost. */
  #rangeOf(range: Range): number[] {
    const indexes = defaultRangeExtractor(range);
    this.#inSight = { from: indexes[0] ?? 0, to: indexes.at(-1) ?? 0 };
    const { row } = this.#active;
    return row < 0 || row >= range.count || indexes.includes(row) ? indexes : [...indexes, row].sort((a, b) => a - b);
  }

  #draw(): void {
    const { columns, rows, layout, room } = this.#model;
    this.element.setAttribute("aria-rowcount", String(rows.length + 1));
    this.element.setAttribute("aria-colcount", String(columns.length));
    setWidths(this.element, columns, layout, room);
    const hadFocus = this.element.contains(document.activeElement);
    const items = this.#virtualizer.getVirtualItems();
    this.#slots = Math.max(this.#slots, this.#inSight.to - this.#inSight.from + 1);
    render(
      html`${renderNames(this.#model, this.#active)}
        <div class="body" role="rowgroup" ${styled({ height: `${rows.length * ROW_HEIGHT}px` })}>
          ${repeat(
            items,
            ({ index }) => this.#slotOf(index),
            ({ index }) => renderLine(this.#model, this.#active, index),
          )}
        </div>`,
      this.element,
    );
    // An element that had the focus may show another row by now.
    if (this.#mustFocus || (hadFocus && document.activeElement !== findCell(this.element, this.#active)))
      this.#takeFocus();
  }

  /** Elements are used again for other rows, as in a ring: new ones take longer than a frame. */
  #slotOf(index: number): number {
    const isAside = index === this.#active.row && (index < this.#inSight.from || index > this.#inSight.to);
    return isAside ? -1 : index % this.#slots;
  }

  #takeFocus(): void {
    const cell = findCell(this.element, this.#active);
    if (!cell) return;
    this.#mustFocus = false;
    if (cell !== document.activeElement) cell.focus({ preventScroll: true });
    showColumn(this.element, cell);
  }

  #go(place: Place): void {
    const last = this.#model.rows.length - 1;
    const row = Math.min(last, Math.max(HEAD, place.row));
    const column = Math.min(this.#model.columns.length - 1, Math.max(0, place.column));
    this.#active = { row, column };
    this.#mustFocus = true;
    const number = this.#model.rows[row];
    if (row !== HEAD) this.#virtualizer.scrollToIndex(row, { align: "auto" });
    if (number === undefined) this.#draw();
    else this.#events.choose(number);
  }

  #click(event: MouseEvent): void {
    const place = findEventPlace(event);
    if (!place || (event.target instanceof HTMLElement && event.target.dataset.edge)) return;
    const id = this.#model.columns[place.column];
    this.#go(place);
    if (place.row === HEAD && id) this.#events.sort(id);
  }

  #openMenu(event: MouseEvent): void {
    const place = findEventPlace(event);
    const id = place?.row === HEAD ? this.#model.columns[place.column] : undefined;
    // The editor's own menu has nothing for a table.
    event.preventDefault();
    if (id && event.target instanceof Element) this.#events.openMenu(id, event.target.closest(".cell") ?? this.element);
  }

  #grab(event: PointerEvent): void {
    const id = event.target instanceof HTMLElement ? event.target.dataset.edge : undefined;
    const column = this.#model.columns.find((one) => one === id);
    if (!column) return;
    dragWidth(event, measureWidth(this.element, this.#model.columns, column), (width, isOver) => {
      const changed = resizeColumn(this.#model.layout, column, width);
      if (isOver) this.#events.relayout(changed);
      else setWidths(this.element, this.#model.columns, changed, this.#model.room);
    });
  }

  #press(event: KeyboardEvent): void {
    const { row } = this.#active;
    if (row === HEAD && this.#pressOnName(event)) {
      event.preventDefault();
      return;
    }
    const page = Math.max(1, Math.floor(this.element.clientHeight / ROW_HEIGHT) - 2);
    const move = event.altKey ? undefined : moveByKey(event.key, this.#active, { page, rows: this.#model.rows.length });
    if (move) {
      this.#go(move);
      // In a low window, the page scrolls, too.
      this.element.scrollIntoView({ block: "nearest" });
    } else if (event.key === "Enter" && row !== HEAD) this.#events.review(this.#model.rows[row]);
    else if (!this.#type(event)) return;
    event.preventDefault();
  }

  /** @returns whether the key means something on a column's name. */
  #pressOnName({ key, shiftKey, altKey }: KeyboardEvent): boolean {
    const { columns, layout } = this.#model;
    const { column } = this.#active;
    const id = columns[column];
    if (!id) return false;
    const by = { ArrowLeft: -1, ArrowRight: 1 }[key];
    if (key === "Enter" || key === " ") this.#events.sort(id);
    else if (by && shiftKey)
      this.#events.relayout(resizeColumn(layout, id, measureWidth(this.element, columns, id) + by * KEY_WIDTH));
    else if (by && altKey) {
      this.#events.relayout(moveColumn(layout, id, by, columns));
      this.#go({ row: HEAD, column: Math.max(0, this.#model.columns.indexOf(id)) });
    } else return false;
    return true;
  }

  /** @returns whether the key is a letter. */
  #type(event: KeyboardEvent): boolean {
    const { listed, rows, columns } = this.#model;
    const { row, column } = this.#active;
    const id = columns[column];
    const typed = this.#typing.read(event);
    if (!typed || !listed || !id) return typed !== undefined;
    const found = findTyped(listed.table, rows, id, {
      typed: typed.text,
      from: Math.max(0, typed.isNew ? row + 1 : row),
    });
    if (found !== undefined) this.#go({ row: found, column });
    return true;
  }
}
