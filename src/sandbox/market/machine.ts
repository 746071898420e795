// The machines of the sandbox's market, generated from a seed: processor, memory, network, location and verification.

import { type Random, round } from "../base/random.ts";
import type { Gpu } from "./gpus.ts";

export interface Machine {
  readonly id: number;
  /** The account that rents it out. */
  hostId: number;
  /** The physical cluster that it stands in, if any. */
  clusterId?: number;
  readonly gpu: Gpu;
  /** Total number of GPUs. */
  readonly gpus: number;
  readonly cpu: string;
  readonly ghz: number;
  /** Threads. */
  readonly cores: number;
  /** MB. */
  readonly ram: number;
  /** GB. */
  readonly disk: number;
  readonly diskName: string;
  /** MB/s. */
  readonly diskBandwidth: number;
  /** Mbps. */
  readonly down: number;
  readonly up: number;
  /** Dollars per GB of traffic. */
  readonly trafficCost: number;
  /** Dollars per GB and month. */
  readonly storageCost: number;
  readonly driver: string;
  readonly cuda: number;
  readonly pcieGen: number;
  readonly board: string;
  country: string;
  code: string;
  /** 0 to 1. */
  readonly reliability: number;
  readonly verification: "verified" | "unverified" | "deverified";
  readonly datacenter: boolean;
  readonly address: string;
  readonly ports: number;
  /** UTC epoch seconds at which the host takes it off the market. */
  readonly endsAt: number;
}

const DRIVERS: readonly [string, number][] = [
  ["535.183.01", 12.2],
  ["550.127.05", 12.4],
  ["560.35.03", 12.6],
  ["565.77", 12.7],
  ["570.133.07", 12.8],
  ["575.64.03", 12.9],
  ["580.95.05", 13],
];

const DESK_CPUS: readonly [string, number, number][] = [
  ["AMD Ryzen 9 7950X 16-Core Processor", 32, 4.5],
  ["AMD Ryzen 9 5950X 16-Core Processor", 32, 3.4],
  ["13th Gen Intel(R) Core(TM) i9-13900K", 32, 5.8],
  ["AMD Ryzen Threadripper PRO 3975WX 32-Cores", 64, 3.5],
  ["AMD EPYC 7402 24-Core Processor", 48, 2.8],
];
const RACK_CPUS: readonly [string, number, number][] = [
  ["AMD EPYC 7763 64-Core Processor", 256, 2.45],
  ["AMD EPYC 9554 64-Core Processor", 256, 3.1],
  ["Intel(R) Xeon(R) Platinum 8480+", 224, 2],
  ["Intel(R) Xeon(R) Gold 6338 CPU @ 2.00GHz", 128, 2],
  ["AMD EPYC 7543 32-Core Processor", 128, 2.8],
];

const PLACES: readonly [string, string][] = [
  ["Sweden", "SE"],
  ["California", "US"],
  ["Texas", "US"],
  ["Washington", "US"],
  ["Quebec", "CA"],
  ["Germany", "DE"],
  ["Netherlands", "NL"],
  ["Norway", "NO"],
  ["Finland", "FI"],
  ["Czechia", "CZ"],
  ["Poland", "PL"],
  ["France", "FR"],
  ["United Kingdom", "GB"],
  ["Spain", "ES"],
  ["Japan", "JP"],
  ["South Korea", "KR"],
  ["Taiwan", "TW"],
  ["Australia", "AU"],
];
const BOARDS = ["ROME2D32GM-2T", "X13DEG-OA", "MZ32-AR0-00", "PRIME Z790-P", "TRX40 AORUS", "B650 STEEL LEGEND"];
const DISKS = ["Samsung SSD 990 PRO 2TB", "WD_BLACK SN850X 4000GB", "KIOXIA KCD81RUG3T84", "INTEL SSDPE2KX080T8"];
/** Addresses reserved for documentation (RFC 5737): no machine responds there. */
const NETWORKS = ["192.0.2", "198.51.100", "203.0.113"];

function selectDrivers({ capability }: Gpu): typeof DRIVERS {
  if (capability >= 1000) return DRIVERS.slice(4);
  return capability < 750 ? DRIVERS.slice(1) : DRIVERS;
}

function drawVerification(random: Random): Machine["verification"] {
  if (random.drawChance(0.79)) return "verified";
  return random.drawChance(0.9) ? "unverified" : "deverified";
}

/** A plausible machine for a GPU type. `now` is UTC epoch seconds; IDs start at `id`. */
export function drawMachine(random: Random, gpu: Gpu, id: number, now: number): Machine {
  const rack = gpu.home === "rack";
  const gpus = random.pick(gpu.counts);
  const [cpu, cores, ghz] = random.pick(rack || gpus > 4 ? RACK_CPUS : DESK_CPUS);
  const [country, code] = random.pick(PLACES);
  const datacenter = random.drawChance(rack ? 0.8 : 0.12);
  const down = round(datacenter ? random.drawBetween(1500, 9500) : random.drawBetween(180, 1900), 1);
  const [driver, cuda] = random.pick(selectDrivers(gpu));
  return {
    id,
    hostId: 40_000 + random.drawWhole(1, 900) * 97,
    gpu,
    gpus,
    cpu,
    cores,
    ghz,
    ram: (rack ? 128 : 48) * 1024 * Math.max(1, gpus * random.pick([0.5, 1, 1])) - random.drawWhole(200, 900),
    disk: round(random.drawBetween(rack ? 600 : 120, rack ? 3000 : 900) * Math.sqrt(gpus), 1),
    diskName: random.pick(DISKS),
    diskBandwidth: round(random.drawBetween(900, rack ? 7200 : 5200), 0),
    down,
    up: round(down * random.drawBetween(0.3, 1), 1),
    trafficCost: random.pick([0, 0.001, 0.002, 0.005, 0.01, 0.02]),
    storageCost: round(random.drawBetween(0.08, 0.25), 3),
    driver,
    cuda,
    pcieGen: gpu.capability >= 890 ? random.pick([4, 5]) : random.pick([3, 4]),
    board: random.pick(BOARDS),
    country,
    code,
    reliability: round(
      1 - random.pick([0.0009, 0.002, 0.004, 0.008, 0.02, 0.05, 0.13]) * random.drawBetween(0.9, 1.1),
      6,
    ),
    verification: drawVerification(random),
    datacenter,
    address: `${random.pick(NETWORKS)}.${random.drawWhole(1, 254)}`,
    ports: random.drawWhole(8, 250),
    endsAt: Math.round(now + random.drawBetween(3, 150) * 86_400),
  };
}
