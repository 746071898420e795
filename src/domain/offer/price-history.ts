// What GPUs cost whenever someone here looked: the samples that a search gives, how old ones become fewer, and what they say together.
import * as z from "zod";
import { toPrice } from "../base/money.ts";
import { calculateDiskPrice } from "./disk.ts";
import type { Filters } from "./filter.ts";
import { FILTER_FIELDS } from "./filter-rows.ts";
import { calculateGpuPrice, type Offer, type RentalType } from "./offer.ts";

/** Characters of a GPU's name. No maker's is longer. */
const LONGEST_NAME = 80;
/** GPUs of one search that are sampled, those with the most offers first. */
const MOST_GPUS = 100;
const HOUR = 3_600_000;
const DAY_HOURS = 24;
/** Fewer say nothing about what is usual. */
export const LEAST_SAMPLES = 5;

const Price = z.number().positive().max(1e6);

/** What one GPU cost in one hour, in dollars per hour and GPU. */
const PriceSample = z.object({
  /** Since the epoch; of a day that was summed up, its first one in UTC. */
  hour: z.int().min(0).max(2_400_000_000),
  gpu: z.string().min(1).max(LONGEST_NAME),
  type: z.enum(["ondemand", "bid"]),
  verified: z.boolean(),
  /** Offers. */
  n: z.int().positive(),
  min: Price,
  /** Missing if not all offers of this GPU were seen: what is typical of the cheapest ones is typical of nothing else. */
  p25: Price.optional(),
  p50: Price.optional(),
});
export type PriceSample = z.infer<typeof PriceSample>;

/** Which prices are compared with one another. */
export type PricedGpu = Pick<PriceSample, "gpu" | "type" | "verified">;

export const toPricedGpu = (offer: Offer, type: RentalType): PricedGpu => ({
  ...{ gpu: offer.gpu_name ?? "", type, verified: offer.verified === true },
});

/** Offers of a search, and whether they are all that there are. */
export interface SeenOffers {
  readonly type: RentalType;
  readonly offers: readonly Offer[];
  /** GB that are part of every price. */
  readonly diskGb: number;
  readonly isWhole: boolean;
}

/** Whether a search finds every offer of a GPU if its list isn't cut: not if a field may have something to do with the price. */
export const looksAtAllPrices = (filters: Filters): boolean =>
  Object.keys(filters).every((field) => Object.hasOwn(FILTER_FIELDS, field) && !PRICES.has(field));

const PRICES: ReadonlySet<string> = new Set(["dph_total", "min_bid", "storage_cost"]);
/** The share of a price that a disk may have: what is usual is said of GPUs. */
const MOST_DISK_SHARE = 0.1;

/** The samples of one search. `now` is epoch milliseconds. */
export function samplePrices({ type, offers, diskGb, isWhole }: SeenOffers, now: number): PriceSample[] {
  const hour = Math.floor(now / HOUR);
  const groups = Map.groupBy(
    offers.filter(({ gpu_name: gpu }) => gpu !== undefined && gpu !== "" && gpu.length <= LONGEST_NAME),
    ({ gpu_name: gpu = "", verified }) => keyOf({ gpu, type, verified: verified === true }),
  );
  const largest = [...groups.values()].sort((a, b) => b.length - a.length).slice(0, MOST_GPUS);
  return largest.flatMap((group): PriceSample[] => {
    const prices = group.flatMap((offer) => toPrice(calculateGpuPrice(offer)) ?? []).sort((a, b) => a - b);
    const [first] = group;
    const [min] = prices;
    if (!first || min === undefined) return [];
    const common = { hour, gpu: first.gpu_name ?? "", type, verified: first.verified === true, n: prices.length };
    const shares = group.map((offer) => diskShare(offer, diskGb)).sort((a, b) => a - b);
    const isTypical = isWhole && quantile(shares, 0.5) <= MOST_DISK_SHARE;
    const typical = isTypical ? { p25: toDigits(quantile(prices, 0.25)), p50: toDigits(quantile(prices, 0.5)) } : {};
    return [{ ...common, min: toDigits(min), ...typical }];
  });
}

/** Whether an offer's price says what its GPUs cost, so that it can be compared with what is usual. */
export const isMostlyGpu = (offer: Offer, diskGb: number): boolean => diskShare(offer, diskGb) <= MOST_DISK_SHARE;

/** How much of an offer's price is that of its disk, from 0 on. */
function diskShare(offer: Offer, diskGb: number): number {
  const share = (calculateDiskPrice(offer, diskGb) ?? 0) / (offer.dph_total ?? Number.NaN);
  return share > 0 ? share : 0;
}

/** Enough to tell prices apart. A price is never rounded to nothing. */
const toDigits = (price: number): number => Number(price.toPrecision(5));

/** Of sorted numbers, at least one. */
function quantile(sorted: readonly number[], share: number): number {
  const at = (sorted.length - 1) * share;
  const [low, high] = [sorted[Math.floor(at)] ?? 0, sorted[Math.ceil(at)] ?? 0];
  return low + (high - low) * (at - Math.floor(at));
}

function medianOf(numbers: readonly number[]): number | undefined {
  return numbers.length === 0
    ? undefined
    : toDigits(
        quantile(
          [...numbers].sort((a, b) => a - b),
          0.5,
        ),
      );
}

const keyOf = ({ gpu, type, verified }: PricedGpu): string => `${type} ${verified} ${gpu}`;

/** Reads a file line by line. What isn't a sample is passed over. */
export function readSamples(text: string): PriceSample[] {
  return text.split("\n").flatMap((line) => {
    try {
      return PriceSample.safeParse(JSON.parse(line)).data ?? [];
    } catch {
      return [];
    }
  });
}

export const writeSamples = (samples: readonly PriceSample[]): string =>
  samples.map((sample) => `${JSON.stringify(sample)}\n`).join("");

/** One sample for each GPU and hour, the oldest first: the one that saw the most offers, with the lowest price of all. */
export function mergeSamples(samples: readonly PriceSample[]): PriceSample[] {
  const merged = new Map<string, PriceSample>();
  for (const sample of samples) {
    const key = `${sample.hour} ${keyOf(sample)}`;
    const before = merged.get(key);
    merged.set(key, before ? mergeTwo(before, sample) : sample);
  }
  return [...merged.values()].sort((a, b) => a.hour - b.hour);
}

function mergeTwo(before: PriceSample, sample: PriceSample): PriceSample {
  const wider = sawMore(sample, before) ? sample : before;
  return { ...wider, min: Math.min(before.min, sample.min) };
}

/** A list that was cut says less than any that wasn't. */
function sawMore(one: PriceSample, other: PriceSample): boolean {
  const [isWhole, isOtherWhole] = [one.p50 !== undefined, other.p50 !== undefined];
  return isWhole === isOtherWhole ? one.n >= other.n : isWhole;
}

/** Hours of a day that become one sample, one after the other: a day that filled the file alone would else be too few to say anything. */
const STRETCHES = [3, 6, DAY_HOURS] as const;

/**
 * Samples that take at most so many bytes: the hours of the oldest days become one each, those of the last day a few, then the oldest days
 * go. Of the last day, those that saw the most offers stay.
 */
export function thinSamples(samples: readonly PriceSample[], mostBytes: number): PriceSample[] {
  const days = [...Map.groupBy(mergeSamples(samples), dayOf).values()];
  const sizes = days.map(bytesOf);
  let bytes = sizes.reduce((sum, size) => sum + size, 0);
  const shorten = (at: number, hours: number) => {
    if (bytes <= mostBytes) return;
    const shorter = sumUp(days[at] ?? [], hours);
    if (shorter.length === days[at]?.length) return;
    const size = bytesOf(shorter);
    bytes += size - (sizes[at] ?? 0);
    sizes[at] = size;
    days[at] = shorter;
  };
  const last = days.length - 1;
  for (let at = 0; at < last; at += 1) for (const hours of STRETCHES) shorten(at, hours);
  for (const hours of STRETCHES) if ((sizes[last] ?? 0) > mostBytes) shorten(last, hours);
  let gone = 0;
  for (; gone < last && bytes > mostBytes; gone += 1) bytes -= sizes[gone] ?? 0;
  const kept = days.slice(gone).flat();
  return bytes > mostBytes ? keepLargest(kept, mostBytes) : kept;
}

function keepLargest(samples: readonly PriceSample[], mostBytes: number): PriceSample[] {
  let bytes = 0;
  const kept = new Set<PriceSample>();
  for (const sample of samples.toSorted((a, b) => b.n - a.n)) {
    bytes += bytesOf([sample]);
    if (bytes <= mostBytes) kept.add(sample);
  }
  return samples.filter((sample) => kept.has(sample));
}

const bytesOf = (samples: readonly PriceSample[]): number => byteLength(writeSamples(samples));

const byteLength = (text: string): number => new TextEncoder().encode(text).length;

const dayOf = ({ hour }: PriceSample): number => Math.floor(hour / DAY_HOURS);

/** One sample for each stretch of so many hours. */
function sumUp(samples: readonly PriceSample[], hours: number): PriceSample[] {
  const startOf = ({ hour }: PriceSample) => Math.floor(hour / hours) * hours;
  const groups = Map.groupBy(samples, (sample) => `${startOf(sample)} ${keyOf(sample)}`);
  return [...groups.values()].flatMap((group): PriceSample[] => {
    const [first] = group;
    if (!first) return [];
    const { gpu, type, verified } = first;
    const p25 = medianOf(group.flatMap((one) => one.p25 ?? []));
    const p50 = medianOf(group.flatMap((one) => one.p50 ?? []));
    return [
      {
        ...{ hour: startOf(first), gpu, type, verified },
        ...{ n: Math.max(...group.map(({ n }) => n)), min: Math.min(...group.map(({ min }) => min)) },
        ...(p25 === undefined ? {} : { p25 }),
        ...(p50 === undefined ? {} : { p50 }),
      },
    ];
  });
}

/** One moment of a history. */
interface PricePoint {
  /** Epoch milliseconds. */
  readonly at: number;
  /** The lowest price, in dollars per hour and GPU. */
  readonly low: number;
  readonly median: number;
}

/** What a GPU has cost, in dollars per hour and GPU, as far as someone here looked. */
export interface PriceHistoryOfGpu {
  /** How many samples saw all of its offers. */
  readonly samples: number;
  /** Of what was typical each time. */
  readonly median: number;
  /** The lowest price ever seen. */
  readonly low: number;
  /** The highest that was typical. */
  readonly high: number;
  /** Of the first sample, in epoch milliseconds. */
  readonly since: number;
  /** The oldest first. */
  readonly points: readonly PricePoint[];
}

/** Finds what samples in the order of their time say of one GPU; undefined if there are too few. */
export function indexHistories(samples: readonly PriceSample[]): (wanted: PricedGpu) => PriceHistoryOfGpu | undefined {
  const groups = Map.groupBy(samples, keyOf);
  const found = new Map<string, PriceHistoryOfGpu | undefined>();
  return (wanted) => {
    const key = keyOf(wanted);
    if (!found.has(key)) found.set(key, summarize(groups.get(key) ?? []));
    return found.get(key);
  };
}

function summarize(own: readonly PriceSample[]): PriceHistoryOfGpu | undefined {
  const points = own.flatMap(({ hour, min, p50 }) =>
    p50 === undefined ? [] : [{ at: hour * HOUR, low: min, median: p50 }],
  );
  const [first] = points;
  const medians = points.map(({ median }) => median);
  const median = medianOf(medians);
  if (points.length < LEAST_SAMPLES || !first || median === undefined) return undefined;
  return {
    ...{ samples: points.length, median, points, since: first.at },
    low: Math.min(...own.map(({ min }) => min)),
    high: Math.max(...medians),
  };
}

/** How much a price is above what is usual, as a share: −0.12 is 12 % below. Undefined if either isn't known. */
export function compareWithUsual(price: number | undefined, usual: number | undefined): number | undefined {
  return price === undefined || usual === undefined ? undefined : price / usual - 1;
}

const BARS = "▁▂▃▄▅▆▇█";
/** Bars that fit beside a name. */
const MOST_BARS = 8;

/** Numbers as a row of bars, at most eight: the lowest is the smallest bar. All the same is a line in the middle. */
export function drawSparkline(numbers: readonly number[]): string {
  const bars = Math.min(numbers.length, MOST_BARS);
  const parts = Array.from({ length: bars }, (_, at) =>
    numbers.slice(Math.floor((at * numbers.length) / bars), Math.floor(((at + 1) * numbers.length) / bars)),
  );
  const medians = parts.flatMap((part) => medianOf(part) ?? []);
  const [low, high] = [Math.min(...medians), Math.max(...medians)];
  const middle = BARS.charAt(3);
  return medians
    .map((one) => (high === low ? middle : BARS.charAt(Math.round(((one - low) / (high - low)) * (BARS.length - 1)))))
    .join("");
}
