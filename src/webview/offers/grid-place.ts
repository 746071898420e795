// Cells of the table of offers: which one an event is about, and which one a key leads to.

/** The row of the names. */
export const HEAD = -1;

export interface Place {
  /** The position of a row, not its number in the table. */
  readonly row: number;
  readonly column: number;
}

/** Where a key leads. `page`: the rows in sight. Undefined for other keys. */
export function moveByKey(
  key: string,
  { row, column }: Place,
  { page, rows }: { readonly page: number; readonly rows: number },
): Place | undefined {
  const moves: Readonly<Record<string, Place>> = {
    ArrowUp: { row: row - 1, column },
    ArrowDown: { row: row + 1, column },
    ArrowLeft: { row, column: column - 1 },
    ArrowRight: { row, column: column + 1 },
    PageUp: { row: Math.max(0, row - page), column },
    PageDown: { row: row + page, column },
    Home: { row: 0, column },
    End: { row: rows - 1, column },
  };
  return Object.hasOwn(moves, key) ? moves[key] : undefined;
}

/** The cell that an event is about. */
export function findEventPlace({ target }: Event): Place | undefined {
  const cell = target instanceof Element ? target.closest<HTMLElement>(".cell") : null;
  const row = Number(cell?.parentElement?.dataset.row);
  const column = Number(cell?.getAttribute("aria-colindex")) - 1;
  return Number.isInteger(row) && column >= 0 ? { row, column } : undefined;
}

/** The cell in this place, if it is drawn. */
export function findCell(grid: HTMLElement, { row, column }: Place): HTMLElement | null {
  return grid.querySelector<HTMLElement>(`[data-row="${row}"] > [aria-colindex="${column + 1}"]`);
}

/** Scrolls sideways to a cell, which the first column may cover, and cuts none beside that one. */
export function showColumn(grid: HTMLElement, cell: HTMLElement): void {
  const [frozen, ...others] = grid.querySelectorAll<HTMLElement>(".head .cell");
  if (!frozen || cell.getAttribute("aria-colindex") === frozen.getAttribute("aria-colindex")) return;
  const [left, right] = [cell.offsetLeft - frozen.offsetWidth, cell.offsetLeft + cell.offsetWidth - grid.clientWidth];
  if (grid.scrollLeft > left) grid.scrollLeft = left;
  else if (grid.scrollLeft < right)
    grid.scrollLeft = others.map((one) => one.offsetLeft - frozen.offsetWidth).find((start) => start >= right) ?? right;
}
