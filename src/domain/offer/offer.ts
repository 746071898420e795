// An offer (ask): part of a machine that someone rents out, and what it costs by every measure (interface 2.1).
import { t } from "../../lib/text.ts";
import { toBoolean, toNumber, toShare, toText, toWholeNumber } from "../base/field.ts";
import { OfferId } from "../base/id.ts";
import { toPrice } from "../base/money.ts";

/** An offer's fields. A field that the service omits, or sends as another type, is undefined. */
export type Offer = NonNullable<ReturnType<typeof readOffer>>;

/**
 * Reads one record of a search; undefined if it has no ID. A search may return ten thousand records, and a schema would
 * take longer than parsing the JSON, so this one record is read by a plain function.
 *
 * Units: `gpu_ram`, `cpu_ram` MB; `dph_total`, `min_bid` $/h; `disk_space` GB; `inet_*` Mbps; `inet_*_cost` $/GB;
 * `duration` s; `total_flops` TFLOPS and `dlperf` points, both of all GPUs.
 */
export function readOffer(record: unknown) {
  if (typeof record !== "object" || record === null) return undefined;
  const fields: Partial<Record<string, unknown>> = record;
  const id = offerId(fields.id);
  if (id === undefined) return undefined;
  const verification = toText(fields.verification);
  return {
    id,
    machine_id: toWholeNumber(fields.machine_id),
    host_id: toWholeNumber(fields.host_id),
    cluster_id: toWholeNumber(fields.cluster_id),
    gpu_name: toText(fields.gpu_name),
    num_gpus: toWholeNumber(fields.num_gpus),
    gpu_ram: toNumber(fields.gpu_ram),
    dph_total: toNumber(fields.dph_total),
    min_bid: toNumber(fields.min_bid),
    reliability: toShare(fields.reliability) ?? toShare(fields.reliability2),
    verified: toBoolean(fields.verified) ?? (verification === undefined ? undefined : verification === "verified"),
    rentable: toBoolean(fields.rentable),
    cuda_max_good: toNumber(fields.cuda_max_good),
    cpu_name: toText(fields.cpu_name),
    cpu_cores_effective: toNumber(fields.cpu_cores_effective),
    cpu_ram: toNumber(fields.cpu_ram),
    disk_space: toNumber(fields.disk_space),
    storage_cost: toNumber(fields.storage_cost),
    inet_up: toNumber(fields.inet_up),
    inet_down: toNumber(fields.inet_down),
    inet_up_cost: toNumber(fields.inet_up_cost),
    inet_down_cost: toNumber(fields.inet_down_cost),
    geolocation: toText(fields.geolocation),
    duration: toNumber(fields.duration),
    direct_port_count: toWholeNumber(fields.direct_port_count),
    dlperf: toNumber(fields.dlperf),
    total_flops: toNumber(fields.total_flops),
  };
}

/** Nearly every ID is a number. The schema, which also accepts digits in a string, handles the rest. */
function offerId(value: unknown): OfferId | undefined {
  const whole = toWholeNumber(value);
  return whole !== undefined && whole > 0 ? (whole as OfferId) : OfferId.safeParse(value).data;
}

export type RentalType = "ondemand" | "bid";

/** The price per hour in the market of the search, or undefined if the service states no plausible one. */
export function getHourlyPrice(offer: Offer): number | undefined {
  return toPrice(offer.dph_total);
}

/** Dollars per hour and GPU. */
export function calculateGpuPrice(offer: Offer): number | undefined {
  const price = getHourlyPrice(offer);
  return price !== undefined && offer.num_gpus !== undefined && offer.num_gpus > 0 ? price / offer.num_gpus : undefined;
}

/** VRAM sizes that cards are sold with, in GB. */
const SOLD = [4, 6, 8, 10, 11, 12, 16, 20, 24, 32, 40, 48, 64, 80, 94, 96, 128, 141, 180, 192, 256, 288];
/** The largest share of its nominal size that a card reserves: a 16 GB T4 with ECC reports 15,109 MB. */
const KEPT = 0.078;

/** No card has fewer MB than this, and none has this many GB: a smaller number is GB. */
export const LEAST_MB = 1000;

/**
 * VRAM of one GPU as its maker states it: 24,564 MB is a "24 GB" card, and so is 23,028 MB. The interface says MB
 * (interface 1, convention 1), but some services send GB: a value below 1,000 is read as GB.
 */
export function toVramGb(gpuRam: number | undefined): number | undefined {
  if (gpuRam === undefined || gpuRam <= 0) return undefined;
  const gb = gpuRam < LEAST_MB ? gpuRam : gpuRam / 1024;
  return SOLD.find((size) => gb <= size * 1.01 && gb >= size * (1 - KEPT)) ?? Math.round(gb);
}

/** Dollars per hour and GB of VRAM, over all GPUs. */
export function calculateVramPrice(offer: Offer): number | undefined {
  const price = calculateGpuPrice(offer);
  const gb = toVramGb(offer.gpu_ram);
  return price !== undefined && gb !== undefined && gb > 0 ? price / gb : undefined;
}

/** Converts typed GB to the minimum MB on the wire, allowing for what a card of that size reserves. */
export function toVramMb(gb: number): number {
  return Math.round(gb * 1024 * (1 - KEPT));
}

const DAY = 86_400;

/** Seconds as whole days; the hours if it is less than one. */
export function formatDuration(seconds: number): string {
  if (seconds < DAY) return t("{0} h", Math.floor(seconds / 3600));
  const days = Math.floor(seconds / DAY);
  return days === 1 ? t("1 day") : t("{0} days", days);
}

/** `2× RTX 4090`. A machine without a GPU name gets a text that says so. */
export function formatMachineName(machine: { gpu_name?: string | undefined; num_gpus?: number | undefined }): string {
  return `${machine.num_gpus ?? "?"}× ${machine.gpu_name ?? t("unknown GPU")}`;
}

/** Offers that differ in nothing but their ID: equal parts of one machine. */
export interface OfferGroup {
  readonly offer: Offer;
  readonly count: number;
}

/** Puts equal parts of one machine together, in the order of the first of each. */
export function groupOffers(offers: readonly Offer[]): OfferGroup[] {
  const groups = Map.groupBy(offers, ({ id, ...rest }) =>
    // Without a machine, two offers that look the same may be two machines.
    rest.machine_id === undefined ? id : JSON.stringify(rest),
  );
  return [...groups.values()].flatMap(([offer, ...others]) => (offer ? [{ offer, count: 1 + others.length }] : []));
}
