// The account's own machine as its host sees it (an extra: the interface defines no record for it).

import { round } from "../base/random.ts";
import type { MarketOffer } from "../market/market.ts";
import type { World } from "../world/world.ts";

/** One letter per GPU, as at public services: D rented on-demand, I in the host's own jobs, x free. */
function occupancy(rented: readonly MarketOffer[], gpus: number, hasJobs: boolean): string {
  const busy = new Set(rented.flatMap((offer) => offer.gpuIds));
  const letters = Array.from({ length: gpus }, (_, gpu) => {
    if (busy.has(gpu)) return "D";
    return hasJobs ? "I" : "x";
  });
  return letters.join(" ");
}

/** Which of these offers are rented now, by others or by the account itself. */
function rentedOf(world: World, offers: readonly MarketOffer[]): MarketOffer[] {
  const held = new Set(world.listInstances().flatMap((one) => (one.held ? [one.offer.id] : [])));
  return offers.filter((offer) => offer.taken || held.has(offer.id));
}

export function toHostMachineRecord(world: World): Record<string, unknown> {
  const { ownMachine: machine } = world;
  const offers = world.offers.filter((offer) => offer.machine.id === machine.id);
  const [whole] = offers;
  const perGpu = (price: number | null | undefined, gpus: number) => (price ? round(price / gpus, 4) : null);
  const rented = rentedOf(world, offers);
  const earns = rented.reduce((sum, offer) => sum + offer.price, 0);
  return {
    id: machine.id,
    machine_id: machine.id,
    host_id: machine.hostId,
    hostname: `host-${machine.id}.sandbox.invalid`,
    gpu_name: machine.gpu.name,
    num_gpus: machine.gpus,
    gpu_ram: machine.gpu.ram,
    cpu_name: machine.cpu,
    cpu_cores: machine.cores,
    cpu_ram: Math.round(machine.ram),
    disk_space: machine.disk,
    driver_version: machine.driver,
    cuda_max_good: machine.cuda,
    inet_up: machine.up,
    inet_down: machine.down,
    public_ipaddr: machine.address,
    geolocation: `${machine.country}, ${machine.code}`,
    verification: machine.verification,
    reliability2: machine.reliability,
    listed: offers.length > 0,
    listed_gpu_cost: perGpu(whole?.price, machine.gpus),
    min_bid_price: perGpu(whole?.minBid, machine.gpus),
    gpu_occupancy: occupancy(rented, machine.gpus, world.jobs.has(machine.id)),
    current_rentals_running: rented.length,
    earn_hour: round(earns, 4),
    earn_day: round(earns * 24, 4),
    end_date: machine.endsAt,
  };
}
