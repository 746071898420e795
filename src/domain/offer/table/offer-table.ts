// Thousands of offers as columns of numbers, for a page that sorts and filters them on its own.
import * as z from "zod";
import { toPlainText } from "../../../lib/text.ts";
import type { Offer } from "../offer.ts";

/** What a field may plausibly hold. Anything else is unknown. */
type Range = readonly [least: number, most: number];

/** Above zero: a machine without a price, or without a GPU, says nothing. */
const POSITIVE = Number.MIN_VALUE;

/** The numbers of an offer and their ranges, in the units of `Offer`. A truth is 1 or 0. */
const RANGES = {
  id: [1, Number.MAX_SAFE_INTEGER],
  dph_total: [1e-6, 1e6],
  min_bid: [1e-6, 1e6],
  num_gpus: [1, 1e5],
  gpu_ram: [POSITIVE, 1e9],
  reliability: [0, 1],
  verified: [0, 1],
  dlperf: [POSITIVE, 1e9],
  total_flops: [POSITIVE, 1e9],
  inet_down: [POSITIVE, 1e9],
  inet_up: [POSITIVE, 1e9],
  inet_down_cost: [0, 1e6],
  inet_up_cost: [0, 1e6],
  storage_cost: [0, 1e6],
  duration: [0, 1e11],
  cpu_cores_effective: [POSITIVE, 1e6],
  cpu_ram: [POSITIVE, 1e12],
  disk_space: [0, 1e12],
  cuda_max_good: [POSITIVE, 1e4],
  direct_port_count: [0, 1e6],
  machine_id: [1, Number.MAX_SAFE_INTEGER],
  host_id: [1, Number.MAX_SAFE_INTEGER],
} as const satisfies Partial<Record<keyof Offer, Range>>;

export type NumberField = keyof typeof RANGES;
export const NUMBER_FIELDS = Object.keys(RANGES) as readonly NumberField[];

/**
 * `objection`: why the person's own limits rule it out. `seen`: how its machine served them before. `usual`: what its GPU cost so far, as
 * far as this editor has seen.
 */
const TABLE_TEXTS = ["gpu_name", "geolocation", "cpu_name", "seen", "objection", "usual"] as const;
export type TableTextField = (typeof TABLE_TEXTS)[number];

/** Each text once, and which of them each row has. The first one is empty and means unknown. */
const TableWords = z.strictObject({
  words: z.array(z.string()),
  at: z.union([z.instanceof(Uint16Array), z.instanceof(Uint32Array)]),
});
type TableWords = z.infer<typeof TableWords>;

/** A row is the same place in every array. NaN is unknown. */
export const OfferTable = z.strictObject({
  count: z.int().nonnegative(),
  numbers: z.record(z.enum(NUMBER_FIELDS), z.instanceof(Float64Array)),
  texts: z.record(z.enum(TABLE_TEXTS), TableWords),
  /** How its machine served the person: the higher, the better; 0 if it failed, NaN if they never rented it. */
  trust: z.instanceof(Float64Array),
  /** What a GPU of its kind usually costs in dollars per hour; left out if that isn't known of any. */
  usual: z.instanceof(Float64Array).optional(),
});
export type OfferTable = z.infer<typeof OfferTable>;

/** What isn't said by the offers themselves. */
export interface TableNotes {
  readonly objection?: (offer: Offer) => string | undefined;
  readonly seen?: (offer: Offer) => { readonly text: string; readonly trust: number } | undefined;
  /** The price is in dollars per GPU and hour; undefined where too little was seen. */
  readonly usual?: (offer: Offer) => { readonly price: number; readonly text: string } | undefined;
}

/** Characters. What is longer was never meant to be read. */
const LONGEST_TEXT = 80;
const LONGEST_NOTE = 300;

/** A text of the service as the table holds it. */
export const toTableText = (text: string): string => toPlainText(text, LONGEST_TEXT);

export function toOfferTable(offers: readonly Offer[], notes: TableNotes = {}): OfferTable {
  const numbers = Object.fromEntries(NUMBER_FIELDS.map((field) => [field, numbersOf(offers, field)]));
  const seen = offers.map((offer) => notes.seen?.(offer));
  const usual = offers.map((offer) => notes.usual?.(offer));
  const { objection } = notes;
  return {
    count: offers.length,
    numbers: numbers as OfferTable["numbers"],
    texts: {
      gpu_name: toWords(offers.map((offer) => toTableText(offer.gpu_name ?? ""))),
      geolocation: toWords(offers.map((offer) => toTableText(offer.geolocation ?? ""))),
      cpu_name: toWords(offers.map((offer) => toTableText(offer.cpu_name ?? ""))),
      seen: toWords(seen.map((one) => one?.text ?? "")),
      objection: toWords(offers.map((offer) => toPlainText(objection?.(offer) ?? "", LONGEST_NOTE))),
      usual: toWords(usual.map((one) => one?.text ?? "")),
    },
    trust: Float64Array.from(seen, (one) => one?.trust ?? Number.NaN),
    ...(usual.some(Boolean) ? { usual: Float64Array.from(usual, (one) => one?.price ?? Number.NaN) } : {}),
  };
}

function numbersOf(offers: readonly Offer[], field: NumberField): Float64Array {
  const [least, most] = RANGES[field];
  return Float64Array.from(offers, (offer) => {
    const value = offer[field];
    const number = value === undefined ? Number.NaN : Number(value);
    return number >= least && number <= most ? number : Number.NaN;
  });
}

const MOST_UINT16 = 0x1_00_00;

function toWords(texts: readonly string[]): TableWords {
  const places = new Map<string, number>([["", 0]]);
  const at = texts.map((text) => {
    const place = places.get(text) ?? places.size;
    places.set(text, place);
    return place;
  });
  return {
    words: [...places.keys()],
    at: places.size <= MOST_UINT16 ? Uint16Array.from(at) : Uint32Array.from(at),
  };
}

/** One text of a row; empty if it is unknown. */
export function getRowText({ words, at }: TableWords, row: number): string {
  return words[at[row] ?? 0] ?? "";
}
