// The lines of the table of offers: the names of its columns, and one line for each offer in sight.
import { html, nothing } from "lit";
import type { ColumnId } from "../../domain/offer/table/columns.ts";
import { styled } from "../kit/styled.ts";
import { HEAD, type Place } from "./grid-place.ts";
import type { OffersModel } from "./model.ts";
import { formatCell, formatColumnName, getColumnHelp, isNumeric, UNKNOWN } from "./words.ts";

/** Pixels, as in the style sheet. */
export const ROW_HEIGHT = 22;

/** `active`: the cell that the keyboard is on. */
export function renderNames(model: OffersModel, active: Place) {
  return html`<div class="head" role="rowgroup">
    <div class="line" role="row" aria-rowindex="1" data-row=${HEAD}>
      ${model.columns.map((id, column) => renderName(model, active, { id, column }))}
    </div>
  </div>`;
}

function renderName(
  { layout: { sort } }: OffersModel,
  active: Place,
  { id, column }: { readonly id: ColumnId; readonly column: number },
) {
  const direction = sort.direction === "asc" ? "ascending" : "descending";
  const sorted = sort.column === id ? direction : "none";
  return html`<div
    class="cell ${isNumeric(id) ? "number" : ""}"
    role="columnheader"
    aria-sort=${sorted}
    aria-colindex=${column + 1}
    title=${getColumnHelp(id) ?? nothing}
    tabindex=${tabIndexOf(active, { row: HEAD, column })}
  >
    <span class="name">${formatColumnName(id)}</span>
    <span class="arrow" aria-hidden="true">${sorted === "none" ? "" : { ascending: "↑", descending: "↓" }[sorted]}</span>
    <span class="edge" data-edge=${id} aria-hidden="true"></span>
  </div>`;
}

export function renderLine(model: OffersModel, active: Place, position: number) {
  const { rows, listed, columns, chosen } = model;
  const row = rows[position];
  if (row === undefined || !listed) return nothing;
  const { table } = listed;
  const isChosen = table.numbers.id[row] === chosen;
  const isRuledOut = (table.texts.objection.at[row] ?? 0) > 0;
  return html`<div
    class="line ${isChosen ? "chosen" : ""} ${isRuledOut ? "ruled-out" : ""}"
    role="row"
    aria-rowindex=${position + 2}
    data-row=${position}
    aria-selected=${isChosen}
    ${styled({ top: `${position * ROW_HEIGHT}px` })}
  >
    ${columns.map((id, column) => {
      const text = formatCell(table, id, row, model.listValues(id));
      const kind = `cell ${isNumeric(id) ? "number" : ""} ${text === UNKNOWN ? "unknown" : ""}`;
      return html`<div
        class=${kind}
        role=${column === 0 ? "rowheader" : "gridcell"}
        aria-colindex=${column + 1}
        tabindex=${tabIndexOf(active, { row: position, column })}
      >${text}</div>`;
    })}
  </div>`;
}

const tabIndexOf = (active: Place, { row, column }: Place): string =>
  active.row === row && active.column === column ? "0" : "-1";
