// The question that each filter of an offer search asks. None of them depends on another.
import { AppError } from "../../domain/base/error.ts";
import type { Condition } from "../../domain/offer/filter.ts";
import { toWire } from "../../domain/offer/filter-units.ts";
import { formatCondition } from "../../domain/offer/filter-words.ts";
import { listFailed, listProven, type MachineHistories } from "../../domain/offer/machine-history.ts";
import { type Offer, toVramGb } from "../../domain/offer/offer.ts";
import type { OfferSearch } from "../../domain/offer/offer-search.ts";
import { t, toLabel } from "../../lib/text.ts";
import { formatFilterTitle } from "../../present/offer/offers.ts";
import type { FindUsual } from "../../services/offer/price-history.ts";
import { type Choice, pickOne } from "../kit/ask/pick.ts";
import { type Answer, askText, BACK } from "../kit/ask/steps.ts";
import { askComparisons } from "./other-filters.ts";
import { askGpuNames, askHosts, askPlaces } from "./ticked-filters.ts";

const ANY: Condition = {};

/** A filter for at least so much, in the unit that people write. */
interface Threshold {
  readonly prompt: () => string;
  readonly typical: readonly number[];
  readonly most: number;
}

const THRESHOLDS: Readonly<Record<string, Threshold>> = {
  gpu_ram: {
    prompt: () => t("Minimum VRAM per GPU (GB)"),
    typical: [8, 12, 16, 24, 32, 48, 80, 96, 141],
    most: 999,
  },
  cpu_ram: {
    prompt: () => t("Minimum RAM (GB)"),
    typical: [16, 32, 64, 128, 256, 512],
    most: 100_000,
  },
  disk_space: {
    prompt: () => t("Minimum free disk (GB)"),
    typical: [50, 100, 250, 500, 1000, 2000],
    most: 1_000_000,
  },
  inet_down: {
    prompt: () => t("Minimum download speed (Mbps)"),
    typical: [100, 250, 500, 1000, 2500],
    most: 1_000_000,
  },
  duration: {
    prompt: () => t("Minimum rental length (days)"),
    typical: [1, 3, 7, 14, 30, 90],
    most: 10_000,
  },
  cuda_max_good: {
    prompt: () => t("Minimum CUDA version"),
    typical: [11.8, 12.1, 12.4, 12.6, 12.8, 13],
    most: 100,
  },
};

/** The filters that are always offered, in the order of the menu. */
export const ASKED_FILTERS: readonly string[] = [
  "gpu_name",
  "num_gpus",
  "gpu_ram",
  "dph_total",
  "geolocation",
  "reliability",
  "verified",
  "cpu_ram",
  "disk_space",
  "inet_down",
  "duration",
  "cuda_max_good",
  "host_id",
  "machine_id",
];

/** What the questions are about. */
export interface FilterFacts {
  readonly search: OfferSearch;
  /** Everything rentable now. */
  readonly market: readonly Offer[];
  /** How machines served the person before. */
  readonly histories: MachineHistories;
  readonly findUsual: FindUsual;
}

/** Asks for one filter. @returns undefined for a filter that is removed, wrapped so that Escape stays apart. */
export async function askFilter(
  field: string,
  facts: FilterFacts,
): Promise<Answer<{ readonly condition: Condition | undefined }>> {
  const answer = await askCondition(field, facts);
  if (answer === undefined || answer === BACK) return answer;
  return { condition: Object.keys(answer).length === 0 ? undefined : answer };
}

function askCondition(field: string, facts: FilterFacts): Promise<Answer<Condition>> {
  const { search, market, histories } = facts;
  switch (field) {
    case "machine_id":
      return askMachines(search, histories);
    case "gpu_name":
      return askGpuNames(facts);
    case "geolocation":
      return askPlaces(search, market);
    case "host_id":
      return askHosts(search, market);
    case "dph_total":
      return askPrice(search);
    case "num_gpus":
      return askOneOf(field, search, [{ eq: 1 }, { eq: 2 }, { eq: 4 }, { eq: 8 }, { gte: 2 }, { gte: 4 }]);
    case "reliability":
      return askOneOf(
        field,
        search,
        [0.9, 0.95, 0.98, 0.99, 0.995].map((value) => ({ gte: value })),
      );
    case "verified":
      return askOneOf(field, search, [{ eq: true }, { eq: false }]);
  }
  // A foreign template may name a field `constructor`.
  const threshold = Object.hasOwn(THRESHOLDS, field) ? THRESHOLDS[field] : undefined;
  if (threshold) return askThreshold(field, threshold, search, market);
  return askComparisons(field, search.filters);
}

/** Machines by how they served the person. The filter names those of now: it doesn't follow what comes later. */
function askMachines(search: OfferSearch, histories: MachineHistories): Promise<Answer<Condition>> {
  const present = search.filters.machine_id;
  const [proven, failed] = [listProven(histories), listFailed(histories)];
  const choices: Choice<Condition>[] = [{ label: t("Any"), value: ANY }];
  if (present) choices.push({ label: toLabel(formatCondition("machine_id", present), 60), value: present });
  if (proven.length > 0)
    choices.push({
      label: t("Only Machines That Ran for You"),
      description: t("an hour or more, and never failed: {0}", proven.length),
      value: { in: [...proven] },
    });
  if (failed.length > 0)
    choices.push({
      label: t("All but Machines That Failed"),
      description: t("didn't start, or lost contact: {0}", failed.length),
      value: { notin: [...failed] },
    });
  if (proven.length + failed.length === 0)
    choices.push({ label: `$(info) ${t("None of the machines you've rented has run for an hour or failed yet.")}` });
  return pickOne<Condition>({
    title: formatFilterTitle("machine_id"),
    back: true,
    placeholder: t("Filter by your history with each machine"),
    active: (value) => JSON.stringify(value) === JSON.stringify(present ?? ANY),
    choices,
  });
}

/** "Any" and a few conditions, with the current one selected. */
function askOneOf(
  field: string,
  search: OfferSearch,
  conditions: readonly Condition[],
  more: readonly Choice<Condition>[] = [],
): Promise<Answer<Condition>> {
  const present = search.filters[field];
  const now = JSON.stringify(present ?? ANY);
  const all = present && !conditions.some((one) => JSON.stringify(one) === now) ? [present, ...conditions] : conditions;
  const row = (condition: Condition): Choice<Condition> => {
    const text = formatCondition(field, condition);
    return { label: toLabel(text.charAt(0).toUpperCase() + text.slice(1)), value: condition };
  };
  return pickOne<Condition>({
    title: formatFilterTitle(field),
    back: true,
    placeholder: t("Choose a requirement for the machine"),
    active: (value) => JSON.stringify(value) === now,
    choices: [{ label: t("Any"), value: ANY }, ...all.map(row), ...more],
  });
}

const atLeast = (field: string, value: number): Condition => ({
  gte: toWire({ field, operator: "gte" }, value, "") ?? value,
});

/** Typical values, and any other. VRAM is offered in the sizes there are. */
async function askThreshold(
  field: string,
  { prompt, typical, most }: Threshold,
  search: OfferSearch,
  market: readonly Offer[],
): Promise<Answer<Condition>> {
  const sold = field === "gpu_ram" ? market.flatMap((offer) => toVramGb(offer.gpu_ram) ?? []) : [];
  const values = sold.length > 0 ? [...new Set(sold)].sort((a, b) => a - b) : typical;
  const other: Condition = { gte: -1 };
  const answer = await askOneOf(
    field,
    search,
    values.map((value) => atLeast(field, value)),
    [{ label: t("Other…"), value: other }],
  );
  if (answer !== other) return answer;
  return askText<Condition>({
    title: formatFilterTitle(field),
    back: true,
    prompt: prompt(),
    read: (text) => atLeast(field, readPositive(formatFilterTitle(field), text, most)),
  });
}

function askPrice(search: OfferSearch): Promise<Answer<Condition>> {
  const { lte: now, ...others } = search.filters.dph_total ?? ANY;
  return askText<Condition>({
    title: t("Price"),
    back: true,
    prompt: t("Maximum price per hour for the whole machine. Leave empty for no limit."),
    value: now === undefined ? "" : String(now),
    placeholder: "0.50",
    read: (text) =>
      text.trim() === "" ? others : { ...others, lte: readPositive(t("Price"), text.replace(/^\s*\$/, ""), 10_000) },
  });
}

function readPositive(name: string, text: string, most: number): number {
  const value = Number(text.trim());
  const isNumber = /^(?:\d+(?:\.\d+)?|\.\d+)$/.test(text.trim()) && value > 0;
  if (isNumber && value <= most) return value;
  if (isNumber)
    throw new AppError("rejected", t("{0}: no machine has {1}. Enter a smaller number.", name, text.trim()));
  const message = t("{0}: “{1}” isn't a number above 0. Use a decimal point, such as 0.5.", name, text.trim());
  throw new AppError("rejected", message, { fields: { [name]: message } });
}
