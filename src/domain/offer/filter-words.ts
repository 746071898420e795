// Filters in words: the name of a field, what a condition requires, and all of them as one line.
import { formatNumber, t } from "../../lib/text.ts";
import { formatPrice } from "../base/money.ts";
import { toPercent } from "../base/percent.ts";
import type { Condition, Filters, Operator } from "./filter.ts";
import { isMemory, toWholeGb } from "./filter-units.ts";
import { formatDuration, LEAST_MB, toVramGb } from "./offer.ts";
import { formatPlaces } from "./place.ts";

const SIGNS: Record<string, string> = {
  eq: "",
  neq: "≠ ",
  lt: "< ",
  lte: "≤ ",
  gt: "> ",
  gte: "≥ ",
  in: "",
  notin: "≠ ",
};

/** Whoever wrote a filter may have made a text of it that reads like several. */
const quoteForeign = (text: string): string => (/[·“”]/.test(text) ? `“${text.replaceAll(/[“”]/g, "'")}”` : text);

function value(field: string, operator: Operator, raw: unknown): string {
  if (field === "geolocation") return formatPlaces(raw);
  if (Array.isArray(raw)) return listText(field, operator, raw);
  if (typeof raw !== "number") return quoteForeign(String(raw));
  // Templates of others write thousands of MB.
  if (isMemory(field)) return `${toWholeGb({ operator }, raw) ?? toNominalGb(field, raw)} GB`;
  if (field === "dph_total" || field === "min_bid") return `${formatPrice(raw)}/h`;
  if (field === "reliability") return `${toPercent(raw)}%`;
  if (field === "compute_cap") return (raw / 100).toFixed(1);
  if (field === "disk_space") return `${raw} GB`;
  if (field === "inet_up" || field === "inet_down") return `${raw} Mbps`;
  if (field === "duration") return formatDuration(raw);
  return String(raw);
}

function toNominalGb(field: string, mb: number): number {
  if (mb % 1000 === 0) return mb / 1000;
  return (field === "gpu_ram" && mb >= LEAST_MB ? toVramGb(mb) : undefined) ?? Math.round(mb / 1024);
}

/** Numbers say little: of a long list of them, how many there are says more. */
const MOST_NUMBERS = 4;

function listText(field: string, operator: Operator, raw: readonly unknown[]): string {
  const texts = raw.map((item) => value(field, operator, item));
  const isOfNumbers = field === "machine_id" || field === "host_id";
  if (!isOfNumbers || texts.length <= MOST_NUMBERS) return texts.join(", ");
  const named = texts.slice(0, MOST_NUMBERS - 1);
  return t("{0} and {1} more", named.join(", "), texts.length - named.length);
}

/** The common name of a filter field. */
export function formatFieldName(field: string): string {
  const names: Record<string, string> = {
    gpu_name: t("GPU"),
    num_gpus: t("GPUs"),
    gpu_ram: t("VRAM"),
    dph_total: t("price"),
    reliability: t("reliability"),
    verified: t("verified"),
    disk_space: t("disk"),
    cuda_max_good: "CUDA",
    compute_cap: t("compute capability"),
    geolocation: t("location"),
    inet_down: t("download"),
    inet_up: t("upload"),
    cpu_ram: t("RAM"),
    duration: t("rental length"),
    host_id: t("host"),
    machine_id: t("machine"),
  };
  // A foreign template may name a field `constructor`.
  return Object.hasOwn(names, field) ? (names[field] ?? field) : quoteForeign(field);
}

/** What one filter requires: `≥ 24 GB`. */
export function formatCondition(field: string, condition: Condition): string {
  const sentence = sentenceOf(field, condition);
  if (sentence !== undefined) return sentence;
  const parts = (Object.entries(condition) as [Operator, unknown][]).map(
    ([operator, raw]) => `${SIGNS[operator] ?? `${operator} `}${value(field, operator, raw)}`,
  );
  return parts.join(" ");
}

/** One filter in words: `VRAM ≥ 24 GB`. */
export function describeCondition(field: string, condition: Condition): string {
  const { eq, ...others } = condition;
  if (field === "num_gpus" && typeof eq === "number" && Object.keys(others).length === 0)
    return eq === 1 ? t("1 GPU") : t("{0} GPUs", eq);
  return sentenceOf(field, condition) ?? `${formatFieldName(field)} ${formatCondition(field, condition)}`;
}

/** What says it all without the field's name; undefined for other fields, and for what only someone else's template asks: `≠ true`. */
function sentenceOf(field: string, condition: Condition): string | undefined {
  if (field !== "verified") return undefined;
  if (Object.values(condition).every((value) => value === undefined)) return t("verified or not");
  if (condition.eq === true) return t("verified only");
  return condition.eq === false ? t("unverified only") : undefined;
}

/** All filters in words, as one line. */
export function describeFilters(filters: Filters): string {
  return Object.entries(filters)
    .map(([field, condition]) => describeCondition(field, condition))
    .join(" · ");
}

/** What a search keeps out, as one line; empty if it's nothing. */
export function describeRequirements({
  filters,
  limit,
}: {
  readonly filters: Filters;
  readonly limit?: number | undefined;
}): string {
  return [describeFilters(filters), limit === undefined ? "" : formatLimit(limit)].filter(Boolean).join(" · ");
}

/** How many offers a search returns at most. */
export const formatLimit = (limit: number): string =>
  limit === 1 ? t("only the cheapest one") : t("only the {0} cheapest", formatNumber(limit));
