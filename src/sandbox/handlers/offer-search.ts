// Search offers as the service does it (interface 4.2): checks the request, then filters, sorts and cuts the market.
import { matchesFilters } from "../../domain/offer/filter.ts";
import type { RentalType } from "../../domain/offer/offer.ts";
import type { Dating } from "../base/dates.ts";
import { type FieldKind, type Kinds, readCountryCode, readFilters } from "../base/filters.ts";
import { isRecord, Refusal } from "../base/refusal.ts";
import type { MarketOffer } from "../market/market.ts";
import { toOfferRecord } from "../market/offer-record.ts";
import type { World } from "../world/world.ts";
import { compareBy, type Order } from "./order.ts";

export interface OfferQuestion {
  readonly offers: readonly MarketOffer[];
  readonly isRentable: (offer: MarketOffer) => boolean;
  /** The current minimum bid in dollars per hour; null if the offer takes no bids. */
  readonly bidPrice: (offer: MarketOffer) => number | null;
  /** UTC epoch seconds. */
  readonly now: number;
  readonly show: Dating;
}

const TYPES: Readonly<Record<string, RentalType | "reserved">> = {
  ondemand: "ondemand",
  "on-demand": "ondemand",
  bid: "bid",
  interruptible: "bid",
  reserved: "reserved",
};

/** Common short names and the fields they stand for. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ["cuda_vers", "cuda_max_good"],
  ["dph", "dph_total"],
  ["dlperf_usd", "dlperf_per_dphtotal"],
  ["flops_usd", "flops_per_dphtotal"],
  ["display_active", "gpu_display_active"],
]);

const DEFAULT_STORAGE = 8;

function refuse(message: string): never {
  throw new Refusal(400, "invalid_request", message);
}

function readType(given: unknown): RentalType | "reserved" {
  if (given === undefined || given === null) return "ondemand";
  const type = typeof given === "string" && Object.hasOwn(TYPES, given) ? TYPES[given] : undefined;
  return type ?? refuse(`type must be one of ${Object.keys(TYPES).join(", ")}`);
}

function readLimit(given: unknown): number {
  if (given === undefined || given === null) return Number.POSITIVE_INFINITY;
  if (!Number.isInteger(given) || Number(given) < 1) refuse("limit must be a positive integer");
  return Number(given);
}

function readStorage(given: unknown): number {
  if (given === undefined || given === null) return DEFAULT_STORAGE;
  if (typeof given !== "number" || given <= 0) refuse("allocated_storage must be a number of GB above 0");
  return given;
}

function readOrder(given: unknown, kinds: Kinds): Order {
  if (given === undefined || given === null) return [["score", "desc"]];
  if (!Array.isArray(given)) refuse('order must be a list such as [["dph_total", "asc"]]');
  return given.map((term: unknown) => {
    const [field, direction] = Array.isArray(term) ? term : [];
    if (typeof field !== "string" || (direction !== "asc" && direction !== "desc"))
      refuse('order must be a list of [field, "asc" or "desc"]');
    const name = ALIASES.get(field) ?? field;
    if (!Object.hasOwn(kinds, name)) refuse(`${field} is not a valid field to order by`);
    return [name, direction];
  });
}

const knownKinds = new WeakMap<readonly MarketOffer[], Kinds>();

/** The kind of each field in the market's records. A field without any value can't be searched. */
function kindsOf(offers: readonly MarketOffer[], records: readonly Readonly<Record<string, unknown>>[]): Kinds {
  const known = knownKinds.get(offers);
  if (known) return known;
  const kinds: Record<string, FieldKind> = { geolocation: "place", driver_version: "version" };
  for (const record of records) {
    for (const [field, value] of Object.entries(record)) {
      const kind = typeof value;
      if (kind === "string" || kind === "number" || kind === "boolean") kinds[field] ??= kind;
    }
  }
  knownKinds.set(offers, kinds);
  return kinds;
}

/** The value a field is compared by. */
function read(record: Readonly<Record<string, unknown>>, field: string): unknown {
  if (field === "geolocation") return readCountryCode(String(record.geolocation));
  return field === "driver_version" ? record.driver_vers : record[field];
}

/** The records that match the request body. @throws Refusal 400 `invalid_request` naming the problem. */
export function searchOffers(question: OfferQuestion, body: unknown): Record<string, unknown>[] {
  const { offers, isRentable, bidPrice, now, show } = question;
  if (!isRecord(body)) refuse("Invalid query: must be dict of conditions");
  const { type: givenType, limit: givenLimit, order: givenOrder, allocated_storage, ...conditions } = body;
  const asked = readType(givenType);
  const type = asked === "bid" ? "bid" : "ondemand";
  const storage = readStorage(allocated_storage);
  const records = offers.map((offer) =>
    show(toOfferRecord(offer, { type, storage, now, rentable: isRentable(offer), minBid: bidPrice(offer) })),
  );
  const kinds = kindsOf(offers, records);
  const named = Object.entries(conditions).map(([field, condition]) => [ALIASES.get(field) ?? field, condition]);
  const filters = readFilters(Object.fromEntries(named), kinds);
  const compare = compareBy(readOrder(givenOrder, kinds), read);
  const limit = readLimit(givenLimit);
  const widened = isRecord(body.rentable);
  return records
    .filter((record) => asked !== "reserved" && (type === "ondemand" || record.min_bid !== null))
    .filter((record) => Number(record.disk_space) >= storage && (widened || record.rentable === true))
    .filter((record) => matchesFilters(record, filters, read))
    .sort((a, b) => compare(a, b) || Number(a.id) - Number(b.id))
    .slice(0, limit);
}

/** The records of the world's market that match. @throws Refusal 400 `invalid_request` naming the problem. */
export function findOffers(world: World, body: unknown): Record<string, unknown>[] {
  const question = {
    offers: world.offers,
    isRentable: (offer: MarketOffer) => world.isRentable(offer),
    bidPrice: (offer: MarketOffer) => world.calculateBidPrice(offer),
    now: world.getNow(),
    show: world.getDating(),
  };
  return searchOffers(question, body);
}

/** The columns that were asked for: all of them for `["*"]`, or if none were. @throws Refusal 400 `invalid_request`. */
export function pickColumns(records: Record<string, unknown>[], given: unknown): Record<string, unknown>[] {
  if (given === undefined || given === null) return records;
  if (!Array.isArray(given) || !given.every((one) => typeof one === "string"))
    return refuse('select_cols must be a list of fields such as ["id", "gpu_name"]');
  if (given.includes("*")) return records;
  const columns = new Set<string>(given);
  return records.map((record) => Object.fromEntries(Object.entries(record).filter(([field]) => columns.has(field))));
}
