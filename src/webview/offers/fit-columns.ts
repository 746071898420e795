// Which columns there is room for, until a person chooses columns of their own.
import { type ColumnId, USUAL_COLUMNS } from "../../domain/offer/table/columns.ts";
import type { OffersLayout } from "../../domain/offer/table/offers-layout.ts";
import { getUsualWidth } from "./words.ts";

/** Those that a narrow page does without, from the first to go on. The details have them all. */
const DISPENSABLE: readonly ColumnId[] = [
  "verified",
  "vramPrice",
  "duration",
  "down",
  "place",
  "perfPrice",
  "reliability",
  "gpuPrice",
  "vram",
  "gpus",
];

/** The columns that fit into `room` pixels. What someone chose is all shown, and scrolls sideways instead. */
export function listFittingColumns(
  { columns, widths, sort }: OffersLayout,
  room: number | undefined,
): readonly ColumnId[] {
  const isChosen = columns.length !== USUAL_COLUMNS.length || !columns.every((id) => USUAL_COLUMNS.includes(id));
  if (room === undefined || isChosen) return columns;
  const gone = new Set<ColumnId>();
  let over = columns.reduce((sum, id) => sum + (widths[id] ?? getUsualWidth(id)), -room);
  for (const id of DISPENSABLE) {
    if (over <= 0) break;
    // What the rows are sorted by explains their order.
    if (id === sort.column) continue;
    gone.add(id);
    over -= widths[id] ?? getUsualWidth(id);
  }
  return columns.filter((id) => !gone.has(id));
}
