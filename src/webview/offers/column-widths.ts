// How wide the columns of offers are: what the person set, and a share of the rest for all others.
import type { ColumnId } from "../../domain/offer/table/columns.ts";
import type { OffersLayout } from "../../domain/offer/table/offers-layout.ts";
import { findCell, HEAD } from "./grid-place.ts";
import { getUsualWidth } from "./words.ts";

/** `room`: the pixels that the table has, once it is drawn. */
export function setWidths(
  grid: HTMLElement,
  columns: readonly ColumnId[],
  { widths }: OffersLayout,
  room = Number.POSITIVE_INFINITY,
): void {
  const taken = columns.map((id) => widths[id] ?? getUsualWidth(id));
  const total = taken.reduce((sum, width) => sum + width, 0);
  const spare = findSpare(taken, total - room);
  const each = columns.map((id, at) =>
    widths[id] === undefined ? `minmax(${taken[at]}px, ${taken[at]}fr)` : `${taken[at]}px`,
  );
  grid.style.setProperty("--columns", [...each, ...(spare > 0 ? [`${spare}px`] : [])].join(" "));
  grid.style.setProperty("--total", `${total + spare}px`);
  grid.style.setProperty("--first", `${taken[0] ?? 0}px`);
  grid.classList.toggle("sideways", total > room);
}

/** Pixels after the last column with which scrolling to the end, too, leaves no column half behind the first one. */
function findSpare([, ...scrolled]: readonly number[], over: number): number {
  let gone = 0;
  for (const width of scrolled) {
    if (gone >= over) break;
    gone += width;
  }
  return over > 0 ? Math.max(0, gone - over) : 0;
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
