// What a person made of the page of offers: its columns, their order and widths, and what they typed once.
import * as z from "zod";
import { COLUMN_IDS, type ColumnId, MEASURES, USUAL_COLUMNS } from "./columns.ts";
import { DEFAULT_JOB, OfferJob } from "./job.ts";

const Column = z.enum(COLUMN_IDS as [ColumnId, ...ColumnId[]]);

/** Pixels. */
export const WIDTHS = { least: 40, most: 600 } as const;

const Width = z.number().min(WIDTHS.least).max(WIDTHS.most);

export const OffersLayout = z.strictObject({
  /** Those that are shown, in their order. The GPU is always the first one. */
  columns: z.array(Column),
  widths: z.partialRecord(Column, Width),
  sort: z.strictObject({ column: Column, direction: z.enum(["asc", "desc"]) }),
  tab: z.enum(["table", "plot"]),
  measure: z.enum(MEASURES),
  job: OfferJob,
});
export type OffersLayout = z.infer<typeof OffersLayout>;

export const DEFAULT_LAYOUT: OffersLayout = {
  columns: [...USUAL_COLUMNS],
  widths: {},
  sort: { column: "price", direction: "asc" },
  tab: "table",
  measure: "dlperf",
  job: DEFAULT_JOB,
};

/** Each part that isn't understood is as it was at first. */
const KeptLayout = z.object({
  columns: z.array(z.unknown()).catch(DEFAULT_LAYOUT.columns),
  widths: z.record(z.string(), z.unknown()).catch({}),
  sort: OffersLayout.shape.sort.catch(DEFAULT_LAYOUT.sort),
  tab: OffersLayout.shape.tab.catch(DEFAULT_LAYOUT.tab),
  measure: OffersLayout.shape.measure.catch(DEFAULT_LAYOUT.measure),
  job: OfferJob.catch(DEFAULT_JOB),
});

/** What was kept, as far as this version still understands it. */
export function readLayout(kept: unknown): OffersLayout {
  const { columns, widths, ...rest } = KeptLayout.safeParse(kept).data ?? DEFAULT_LAYOUT;
  const known = columns.flatMap((one) => Column.safeParse(one).data ?? []);
  const wide = Object.entries(widths).filter(
    ([id, width]) => Column.safeParse(id).success && Width.safeParse(width).success,
  );
  return {
    ...rest,
    columns: orderColumns(known.length > 0 ? known : DEFAULT_LAYOUT.columns),
    widths: Object.fromEntries(wide),
  };
}

/** Each once, and the GPU first: it names the row. */
function orderColumns(columns: readonly ColumnId[]): ColumnId[] {
  return [...new Set<ColumnId>(["gpu", ...columns])];
}

/** Shows a column at the end, or hides it. */
export function toggleColumn(layout: OffersLayout, column: ColumnId): OffersLayout {
  const isShown = layout.columns.includes(column);
  const columns = isShown ? layout.columns.filter((one) => one !== column) : [...layout.columns, column];
  return { ...layout, columns: orderColumns(columns) };
}

/** Moves a column by so many places among those that can be seen. */
export function moveColumn(
  layout: OffersLayout,
  column: ColumnId,
  by: number,
  seen: readonly ColumnId[] = layout.columns,
): OffersLayout {
  const from = seen.indexOf(column);
  const to = Math.min(seen.length - 1, Math.max(1, from + by));
  const neighbor = seen[to];
  if (from < 1 || from === to || neighbor === undefined) return layout;
  const others = layout.columns.filter((one) => one !== column);
  return { ...layout, columns: others.toSpliced(others.indexOf(neighbor) + Number(to > from), 0, column) };
}

/** `width` in pixels. */
export function resizeColumn(layout: OffersLayout, column: ColumnId, width: number): OffersLayout {
  const bounded = Math.round(Math.min(WIDTHS.most, Math.max(WIDTHS.least, width)));
  return { ...layout, widths: { ...layout.widths, [column]: bounded } };
}
