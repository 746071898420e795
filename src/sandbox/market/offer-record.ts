// An offer on the wire (interface 2.1): the machine's data, and the price including a disk of the requested size.
import type { RentalType } from "../../domain/offer/offer.ts";
import { toVersionNumber } from "../base/filters.ts";
import { round } from "../base/random.ts";
import { calculateStoragePrice, type MarketOffer } from "./market.ts";

interface OfferView {
  readonly type: RentalType;
  /** GB included in `dph_total`. */
  readonly storage: number;
  readonly rentable: boolean;
  /** Current minimum bid in dollars per hour; null if it takes no bids. */
  readonly minBid: number | null;
  /** UTC epoch seconds. */
  readonly now: number;
}

/** GB a second on sixteen lanes, by generation from the fourth on. */
const PCIE_BANDWIDTH: Readonly<Record<number, number>> = { 4: 24.8, 5: 52.4 };

const unchanging = new WeakMap<MarketOffer, Readonly<Record<string, unknown>>>();

/** As `toMachineFields`, while the machines may still change. */
export const buildMachineFields = (offer: MarketOffer): Readonly<Record<string, unknown>> => ({
  ...hardware(offer),
  ...terms(offer),
});

/** The fields that don't depend on the search, the price or the time. Units as in `domain/offer/offer.ts`. */
export function toMachineFields(offer: MarketOffer): Readonly<Record<string, unknown>> {
  const known = unchanging.get(offer);
  if (known) return known;
  const fields = buildMachineFields(offer);
  unchanging.set(offer, fields);
  return fields;
}

function hardware({ machine, gpuIds }: MarketOffer) {
  const { gpu } = machine;
  const share = gpuIds.length / machine.gpus;
  return {
    machine_id: machine.id,
    host_id: machine.hostId,
    cluster_id: machine.clusterId ?? null,
    hostname: null,
    gpu_name: gpu.name,
    num_gpus: gpuIds.length,
    gpu_ids: gpuIds,
    gpu_ram: gpu.ram,
    gpu_total_ram: gpu.ram * gpuIds.length,
    gpu_frac: share,
    gpu_arch: gpu.name.startsWith("MI") ? "amd" : "nvidia",
    gpu_lanes: 16,
    gpu_mem_bw: gpu.bandwidth,
    gpu_max_power: gpu.watts,
    gpu_max_temp: gpu.home === "rack" ? 85 : 90,
    gpu_display_active: false,
    compute_cap: gpu.capability,
    cuda_max_good: machine.cuda,
    driver_version: machine.driver,
    driver_vers: toVersionNumber(machine.driver),
    cpu_name: machine.cpu,
    cpu_cores: machine.cores,
    cpu_cores_effective: round(machine.cores * share, 1),
    cpu_ghz: machine.ghz,
    cpu_ram: Math.round(machine.ram),
    cpu_arch: "amd64",
    has_avx: 1,
    disk_space: machine.disk,
    disk_bw: machine.diskBandwidth,
    disk_name: machine.diskName,
    inet_up: machine.up,
    inet_down: machine.down,
    direct_port_count: Math.max(1, Math.floor(machine.ports * share)),
    static_ip: machine.datacenter,
    public_ipaddr: machine.address,
    pci_gen: machine.pcieGen,
    pcie_bw: PCIE_BANDWIDTH[machine.pcieGen] ?? 11.9,
    bw_nvlink: /SXM|NVL|H200|B200/.test(gpu.name) ? 450 : 0,
    mobo_name: machine.board,
    os_version: "22.04",
    dlperf: round(gpu.dlperf * gpuIds.length, 3),
    total_flops: round(gpu.tflops * gpuIds.length, 2),
  };
}

function terms(offer: MarketOffer) {
  const { machine } = offer;
  return {
    id: offer.id,
    ask_contract_id: offer.id,
    bundle_id: machine.id * 11 + offer.gpuIds.length,
    min_bid: offer.minBid,
    storage_cost: machine.storageCost,
    inet_up_cost: machine.trafficCost,
    inet_down_cost: machine.trafficCost,
    internet_up_cost_per_tb: round(machine.trafficCost * 1000, 2),
    internet_down_cost_per_tb: round(machine.trafficCost * 1000, 2),
    end_date: machine.endsAt,
    reliability: machine.reliability,
    reliability2: machine.reliability,
    verification: machine.verification,
    verified: machine.verification === "verified",
    vericode: machine.verification === "verified" ? 1 : 0,
    vms_enabled: machine.datacenter,
    hosting_type: machine.datacenter ? 1 : 0,
    datacenter: machine.datacenter,
    external: false,
    geolocation: `${machine.country}, ${machine.code}`,
    country_code: machine.code,
    rented: false,
    resource_type: "gpu",
    webpage: null,
    logo: "",
  };
}

/** Dollars per hour including the disk: the fixed price, or the minimum bid for an interruptible rental. */
function offerPrice(offer: MarketOffer, view: OfferView): number {
  const gpus = view.type === "bid" ? (view.minBid ?? offer.price) : offer.price;
  return round(gpus + calculateStoragePrice(offer.machine, view.storage), 6);
}

/** The whole record of one offer for a search. */
export function toOfferRecord(offer: MarketOffer, view: OfferView): Record<string, unknown> {
  const total = offerPrice(offer, view);
  const disk = round(calculateStoragePrice(offer.machine, view.storage), 6);
  const { gpu } = offer.machine;
  const cards = offer.gpuIds.length;
  return {
    ...toMachineFields(offer),
    is_bid: view.type === "bid",
    dph_base: offer.price,
    min_bid: view.minBid,
    dph_total: total,
    dph_total_adj: total,
    discounted_dph_total: total,
    storage_total_cost: disk,
    search: { gpuCostPerHour: round(total - disk, 6), diskHour: disk, totalHour: total, discountTotalHour: 0 },
    vram_costperhour: round(total / ((gpu.ram * cards) / 1024), 6),
    dlperf_per_dphtotal: round((gpu.dlperf * cards) / total, 3),
    flops_per_dphtotal: round((gpu.tflops * cards) / total, 3),
    score: round(((gpu.dlperf * cards) / total) * offer.machine.reliability, 4),
    duration: Math.max(0, Math.round(offer.machine.endsAt - view.now)),
    rentable: view.rentable,
  };
}
