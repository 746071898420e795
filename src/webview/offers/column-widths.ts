// How wide the columns of offers are: what the person set, and a share of the rest for all others.
import type { ColumnId } from "../../domain/offer/table/columns.ts";
import type { OffersLayout } from "../../domain/offer/table/offers-layout.ts";
import { findCell, HEAD } from "./grid-place.ts";
import { getUsualWidth } from "./words.ts";

export function setWidths(grid: HTMLElement, columns: readonly ColumnId[], { widths }: OffersLayout): void {
  const total = columns.reduce((sum, id) => sum + (widths[id] ?? getUsualWidth(id)), 0);
  const each = columns.map((id) =>
    widths[id] === undefined ? `minmax(${getUsualWidth(id)}px, ${getUsualWidth(id)}fr)` : `${widths[id]}px`,
  );
  grid.style.setProperty("--columns", each.join(" "));
  grid.style.setProperty("--total", `${total}px`);
}

/** Pixels that it takes now. */
export function measureWidth(grid: HTMLElement, columns: readonly ColumnId[], id: ColumnId): number {
  return findCell(grid, { row: HEAD, column: columns.indexOf(id) })?.offsetWidth ?? getUsualWidth(id);
}

/** Drags the edge of a column. `from`: its width in pixels. `widen` is told each width, and which one is the last. */
export function dragWidth(start: PointerEvent, from: number, widen: (width: number, isOver: boolean) => void): void {
  const { target, clientX, pointerId } = start;
  if (!(target instanceof HTMLElement)) return;
  start.preventDefault();
  target.setPointerCapture(pointerId);
  const follow = (event: PointerEvent) => widen(from + event.clientX - clientX, event.type !== "pointermove");
  const ends = new AbortController();
  const { signal } = ends;
  target.addEventListener("pointermove", follow, { signal });
  for (const end of ["pointerup", "pointercancel"] as const)
    target.addEventListener(
      end,
      (event) => {
        ends.abort();
        follow(event);
      },
      { signal },
    );
}
