// The names of the columns of offers, and what their cells say.
import { formatPercent } from "../../domain/base/percent.ts";
import { formatDuration } from "../../domain/offer/offer.ts";
import { type ColumnId, getTextField, type Measure } from "../../domain/offer/table/columns.ts";
import { getRowText, type OfferTable } from "../../domain/offer/table/offer-table.ts";
import { formatNumber, t } from "../../lib/text.ts";

export const UNKNOWN = "–";

interface ColumnWords {
  readonly name: () => string;
  /** One sentence on what it says. */
  readonly help?: () => string;
  /** Pixels. */
  readonly width: number;
  /** Of a number; texts say themselves. */
  readonly format?: (value: number) => string;
}

const round = (value: number): string => formatNumber(Math.round(value));
/** As prices are written: with a point in every language. Without a fraction where no one reads it. */
const tenth = (value: number): string => (value < 1000 ? String(Math.round(value * 10) / 10) : round(value));
/** What rounds to nothing has no sign. */
const signed = (value: number): string => {
  const size = Math.round(Math.abs(value * 100));
  if (size === 0) return "0%";
  return `${value > 0 ? "+" : "−"}${size}%`;
};
const score = (value: number): string => (value < 1000 ? value.toFixed(value < 10 ? 2 : 1) : round(value));

const WORDS: Readonly<Record<ColumnId, ColumnWords>> = {
  gpu: { name: () => t("GPU"), width: 150 },
  price: {
    name: () => "$/h",
    width: 78,
    format: price,
    help: () => t("Price per hour for the whole machine, including its disk"),
  },
  gpus: { name: () => t("GPUs"), width: 62, format: round },
  vram: { name: () => t("VRAM"), width: 76, format: (gb) => `${round(gb)} GB`, help: () => t("Memory of each GPU") },
  gpuPrice: { name: () => t("$/GPU·h"), width: 86, format: price, help: () => t("Price per GPU per hour") },
  vramPrice: { name: () => t("$/GB·h"), width: 86, format: price, help: () => t("Price per GB of VRAM per hour") },
  perfPrice: {
    name: () => t("DLPerf/$"),
    width: 88,
    format: score,
    help: () => t("Deep learning score per dollar per hour"),
  },
  reliability: { name: () => t("Reliability"), width: 112, format: formatPercent },
  down: { name: () => t("Down Mbps"), width: 96, format: round, help: () => t("Download speed") },
  place: { name: () => t("Location"), width: 132 },
  duration: {
    name: () => t("Available"),
    width: 92,
    format: formatDuration,
    help: () => t("Maximum rental length"),
  },
  verified: { name: () => t("Verified"), width: 80, format: (value) => (value === 1 ? t("yes") : t("no")) },
  total: {
    name: () => t("Your job"),
    width: 92,
    format: price,
    help: () => t("What all of your job costs: its hours and its traffic"),
  },
  minBid: {
    name: () => t("Min. bid"),
    width: 84,
    format: price,
    help: () => t("Lowest bid per hour, without the disk"),
  },
  pull: {
    name: () => t("Image download"),
    width: 116,
    format: minutes,
    help: () => t("Minutes to download the image at the line's full speed"),
  },
  seen: { name: () => t("History"), width: 220, help: () => t("Your history with this machine") },
  usual: {
    name: () => t("Usual price"),
    width: 100,
    format: signed,
    help: () => t("Compared with the median that this editor has seen for this GPU"),
  },
  dlperf: { name: () => "DLPerf", width: 80, format: score, help: () => t("Deep learning score of all its GPUs") },
  tflops: { name: () => "TFLOPS", width: 80, format: tenth },
  flopsPrice: { name: () => t("TFLOPS/$"), width: 90, format: score },
  cores: { name: () => t("CPUs"), width: 66, format: tenth },
  cpu: { name: () => t("CPU"), width: 230 },
  ram: { name: () => t("RAM"), width: 88, format: (mb) => `${round(mb / 1024)} GB` },
  disk: { name: () => t("Free disk"), width: 96, format: (gb) => `${round(gb)} GB` },
  up: { name: () => t("Up Mbps"), width: 86, format: round, help: () => t("Upload speed") },
  downCost: { name: () => t("Down $/GB"), width: 98, format: price, help: () => t("Price per GB downloaded") },
  upCost: { name: () => t("Up $/GB"), width: 90, format: price, help: () => t("Price per GB uploaded") },
  cuda: { name: () => "CUDA", width: 70, format: String },
  ports: { name: () => t("Ports"), width: 70, format: round },
  machine: { name: () => t("Machine"), width: 92, format: String },
  host: { name: () => t("Host"), width: 84, format: String },
};

const CENTS = new Intl.NumberFormat("en", { style: "currency", currency: "USD" });

/** What costs something is never written as nothing. */
const LEAST = 0.0001;

/** With as many digits as others of its size: in a column, points stand below points. */
function price(value: number): string {
  if (value === 0) return "$0";
  if (value < LEAST / 2) return `<$${LEAST}`;
  if (value >= 1) return CENTS.format(value);
  return `$${value.toFixed(value >= 0.1 ? 3 : 4)}`;
}

function minutes(value: number): string {
  return value < 1 ? t("< 1 min") : t("{0} min", round(value));
}

export const formatColumnName = (id: ColumnId): string => WORDS[id].name();
export const getColumnHelp = (id: ColumnId): string | undefined => WORDS[id].help?.();
export const getUsualWidth = (id: ColumnId): number => WORDS[id].width;

/** Numbers stand at the right. */
export const isNumeric = (id: ColumnId): boolean => getTextField(id) === undefined;

/** What a value says. */
export function formatValue(id: ColumnId, value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return UNKNOWN;
  return WORDS[id].format?.(value) ?? String(value);
}

/** What a cell says. `values` are those of its column. */
export function formatCell(table: OfferTable, id: ColumnId, row: number, values: Float64Array): string {
  const text = getTextField(id);
  if (text !== undefined) return getRowText(table.texts[text], row) || UNKNOWN;
  return formatValue(id, values[row]);
}

/** `2× RTX 4090`. */
export function formatTableMachine(table: OfferTable, row: number): string {
  const gpus = table.numbers.num_gpus[row] ?? Number.NaN;
  return `${Number.isNaN(gpus) ? "?" : gpus}× ${getRowText(table.texts.gpu_name, row) || t("unknown GPU")}`;
}

export function formatMeasureName(measure: Measure): string {
  return { dlperf: t("DLPerf per GPU"), tflops: t("TFLOPS per GPU"), vram: t("VRAM per GPU (GB)") }[measure];
}

/** What one GPU has of it. */
export const formatMeasure = (measure: Measure, value: number | undefined): string =>
  formatValue(measure === "vram" ? "gpus" : measure, value);
