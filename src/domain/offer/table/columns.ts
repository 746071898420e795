// The columns that offers are compared by: what each of them says of a row, and which end of it is the better one.
import { toVramGb } from "../offer.ts";
import { calculateJobTotal, calculatePullTime, hasTraffic, type OfferJob } from "./job.ts";
import type { NumberField, OfferTable, TableTextField } from "./offer-table.ts";

export type Direction = "asc" | "desc";

interface Column {
  /** The direction in which the best comes first. */
  readonly best: Direction;
  /** Whether it is there before anyone chooses columns. */
  readonly isUsual?: true;
  /** What it sorts by; NaN if unknown. */
  readonly read: (table: OfferTable, job: OfferJob) => Float64Array;
  /** Text that is read in place of a number. */
  readonly text?: TableTextField;
}

/** Widths in pixels and names are the page's. In the order in which they are shown at first. */
export const COLUMNS = {
  gpu: { best: "asc", isUsual: true, text: "gpu_name", read: ranksOf("gpu_name") },
  price: { best: "asc", isUsual: true, read: field("dph_total") },
  gpus: { best: "desc", isUsual: true, read: field("num_gpus") },
  vram: { best: "desc", isUsual: true, read: readVram },
  gpuPrice: { best: "asc", isUsual: true, read: quotient("dph_total", "num_gpus") },
  vramPrice: { best: "asc", isUsual: true, read: readVramPrice },
  perfPrice: { best: "desc", isUsual: true, read: quotient("dlperf", "dph_total") },
  reliability: { best: "desc", isUsual: true, read: field("reliability") },
  down: { best: "desc", isUsual: true, read: field("inet_down") },
  place: { best: "asc", isUsual: true, text: "geolocation", read: ranksOf("geolocation") },
  duration: { best: "desc", isUsual: true, read: field("duration") },
  verified: { best: "desc", isUsual: true, read: field("verified") },
  total: { best: "asc", isUsual: true, read: readTotal },
  minBid: { best: "asc", read: field("min_bid") },
  pull: { best: "asc", read: readPull },
  seen: { best: "desc", text: "seen", read: ({ trust }) => trust },
  usual: { best: "asc", read: readAgainstUsual },
  dlperf: { best: "desc", read: field("dlperf") },
  tflops: { best: "desc", read: field("total_flops") },
  flopsPrice: { best: "desc", read: quotient("total_flops", "dph_total") },
  cores: { best: "desc", read: field("cpu_cores_effective") },
  cpu: { best: "asc", text: "cpu_name", read: ranksOf("cpu_name") },
  ram: { best: "desc", read: field("cpu_ram") },
  disk: { best: "desc", read: field("disk_space") },
  up: { best: "desc", read: field("inet_up") },
  downCost: { best: "asc", read: field("inet_down_cost") },
  upCost: { best: "asc", read: field("inet_up_cost") },
  cuda: { best: "desc", read: field("cuda_max_good") },
  ports: { best: "desc", read: field("direct_port_count") },
  machine: { best: "asc", read: field("machine_id") },
  host: { best: "asc", read: field("host_id") },
} as const satisfies Record<string, Column>;

export type ColumnId = keyof typeof COLUMNS;
export const COLUMN_IDS = Object.keys(COLUMNS) as readonly ColumnId[];

const columnOf = (id: ColumnId): Column => COLUMNS[id];

export const USUAL_COLUMNS: readonly ColumnId[] = COLUMN_IDS.filter((id) => columnOf(id).isUsual);

/** The text that the column shows, if it shows one. */
export const getTextField = (id: ColumnId): TableTextField | undefined => columnOf(id).text;

export const getBestDirection = (id: ColumnId): Direction => COLUMNS[id].best;

/** Whether the host has said what the column needs. */
export const isKnownColumn = (table: Pick<OfferTable, "usual">, id: ColumnId): boolean =>
  id !== "usual" || table.usual !== undefined;

/** What the rows are sorted by in this column; NaN if unknown. */
export function readColumn(table: OfferTable, id: ColumnId, job: OfferJob): Float64Array {
  return columnOf(id).read(table, job);
}

/** Dollars per hour and GPU for all of the job, traffic included: what performance is weighed against. NaN if unknown. */
export function readJobPrice(table: OfferTable, job: OfferJob): Float64Array {
  if (!hasTraffic(job)) return readColumn(table, "gpuPrice", job);
  const { num_gpus } = table.numbers;
  return readTotal(table, job).map((total, row) => total / job.hours / (num_gpus[row] ?? Number.NaN));
}

/** What performance or memory of one GPU is compared by. */
export const MEASURES = ["dlperf", "tflops", "vram"] as const;
export type Measure = (typeof MEASURES)[number];

/** Of one GPU; NaN if unknown. */
export function readMeasure(table: OfferTable, measure: Measure): Float64Array {
  if (measure === "vram") return readVram(table);
  return quotient(measure === "dlperf" ? "dlperf" : "total_flops", "num_gpus")(table);
}

function field(name: NumberField): Column["read"] {
  return ({ numbers }) => numbers[name];
}

function quotient(above: NumberField, below: NumberField) {
  return ({ numbers }: OfferTable): Float64Array => {
    const divisors = numbers[below];
    return numbers[above].map((value, row) => value / (divisors[row] ?? Number.NaN));
  };
}

/** GB of one GPU as its maker states it. A market has few sizes. */
function readVram({ numbers }: OfferTable): Float64Array {
  const known = new Map<number, number>();
  return numbers.gpu_ram.map((mb) => {
    const gb = known.get(mb) ?? (Number.isNaN(mb) ? mb : (toVramGb(mb) ?? Number.NaN));
    known.set(mb, gb);
    return gb;
  });
}

function readVramPrice(table: OfferTable): Float64Array {
  const { dph_total, num_gpus } = table.numbers;
  return readVram(table).map((gb, row) =>
    gb > 0 ? (dph_total[row] ?? Number.NaN) / (num_gpus[row] ?? Number.NaN) / gb : Number.NaN,
  );
}

function readTotal({ numbers }: OfferTable, job: OfferJob): Float64Array {
  const { dph_total, inet_down_cost, inet_up_cost } = numbers;
  return dph_total.map((hourly, row) =>
    calculateJobTotal(job, {
      hourly,
      downCost: inet_down_cost[row] ?? Number.NaN,
      upCost: inet_up_cost[row] ?? Number.NaN,
    }),
  );
}

function readPull({ numbers }: OfferTable, job: OfferJob): Float64Array {
  return numbers.inet_down.map((down) => calculatePullTime(job, down));
}

/** −0.12 is 12 % below. */
function readAgainstUsual(table: OfferTable): Float64Array {
  const { usual } = table;
  return quotient("dph_total", "num_gpus")(table).map((price, row) => price / (usual?.[row] ?? Number.NaN) - 1);
}

/** The place of each row's text in the alphabet. */
function ranksOf(name: TableTextField): Column["read"] {
  return ({ texts }) => {
    const { words, at } = texts[name];
    const order = words.map((_, place) => place).sort((a, b) => compareTexts(words[a] ?? "", words[b] ?? ""));
    const ranks = new Float64Array(words.length);
    for (const [rank, place] of order.entries()) ranks[place] = words[place] === "" ? Number.NaN : rank;
    return Float64Array.from(at, (place) => ranks[place] ?? Number.NaN);
  };
}

const { compare: compareTexts } = new Intl.Collator("en", { numeric: true });

/** Where the next row is, from `from` on and around, whose GPU, or else whose text in this column, begins with what is typed. */
export function findTyped(
  { texts }: Pick<OfferTable, "texts">,
  rows: Uint32Array,
  column: ColumnId,
  { typed, from }: { readonly typed: string; readonly from: number },
): number | undefined {
  const words = texts[getTextField(column) ?? "gpu_name"];
  const wanted = typed.toLowerCase();
  const fits = new Set(words.words.flatMap((word, place) => (word.toLowerCase().startsWith(wanted) ? [place] : [])));
  for (let step = 0; step < rows.length; step += 1) {
    const position = (from + step) % rows.length;
    if (fits.has(words.at[rows[position] ?? 0] ?? -1)) return position;
  }
  return undefined;
}
