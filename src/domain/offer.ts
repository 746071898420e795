// An offer (ask): one machine slice somebody rents out, and what it costs by every measure (interface 2.1).
import * as z from "zod";
import { OfferId } from "./id.ts";
import { knownPrice } from "./money.ts";
import { bool, int, num, str } from "./wire.ts";

/** Units: `gpu_ram`, `cpu_ram` MB; `dph_total`, `min_bid` $/h; `disk_space` GB; `inet_*` Mb/s; `inet_*_cost` $/GB; `duration` s. */
export const Offer = z
  .object({
    id: OfferId,
    machine_id: int,
    host_id: int,
    gpu_name: str,
    num_gpus: int,
    gpu_ram: num,
    dph_total: num,
    min_bid: num,
    reliability: num,
    reliability2: num,
    verified: bool,
    verification: str,
    rentable: bool,
    cuda_max_good: num,
    cpu_name: str,
    cpu_cores_effective: num,
    cpu_ram: num,
    disk_space: num,
    storage_cost: num,
    inet_up: num,
    inet_down: num,
    inet_up_cost: num,
    inet_down_cost: num,
    geolocation: str,
    duration: num,
    direct_port_count: int,
    dlperf: num,
  })
  .transform(({ reliability2, verification, ...offer }) => ({
    ...offer,
    reliability: offer.reliability ?? reliability2,
    verified: offer.verified ?? (verification === undefined ? undefined : verification === "verified"),
  }));
export type Offer = z.infer<typeof Offer>;

export type RentalType = "ondemand" | "bid";

/** The price per hour in the market asked for, or undefined where the service names none that can be believed. */
export function hourly(offer: Offer): number | undefined {
  return knownPrice(offer.dph_total);
}

/** Dollars an hour for each GPU. */
export function perGpuHour(offer: Offer): number | undefined {
  const price = hourly(offer);
  return price !== undefined && offer.num_gpus !== undefined && offer.num_gpus > 0 ? price / offer.num_gpus : undefined;
}

/** Sizes cards are sold with, in GB. */
const SOLD = [4, 6, 8, 10, 11, 12, 16, 20, 24, 32, 40, 48, 64, 80, 94, 96, 128, 141, 180, 192, 256, 288];
/** The most of its sold size a card keeps to itself: a 24 GB A10 with ECC reports 23,028 MB. */
const KEPT = 0.07;

/** VRAM of one GPU as its maker names it: 24,564 MB is a "24 GB" card, and so is 23,028 MB. */
export function vramGb(gpuRamMb: number | undefined): number | undefined {
  if (gpuRamMb === undefined || gpuRamMb <= 0) return undefined;
  const gb = gpuRamMb / 1024;
  return SOLD.find((size) => gb <= size * 1.01 && gb >= size * (1 - KEPT)) ?? Math.round(gb);
}

/** Dollars an hour for each GB of VRAM over all GPUs. */
export function perVramGbHour(offer: Offer): number | undefined {
  const price = perGpuHour(offer);
  const gb = vramGb(offer.gpu_ram);
  return price !== undefined && gb !== undefined && gb > 0 ? price / gb : undefined;
}

/** GB typed by a person to the least MB on the wire, with room for what a card of that size keeps to itself. */
export function vramGbToMb(gb: number): number {
  return Math.round(gb * 1024 * (1 - KEPT));
}

/** `2× RTX 4090`; a machine that does not say what it is says so. */
export function machineName(machine: { gpu_name?: string | undefined; num_gpus?: number | undefined }): string {
  return `${machine.num_gpus ?? "?"}× ${machine.gpu_name ?? "unknown GPU"}`;
}
