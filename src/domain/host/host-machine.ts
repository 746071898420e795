// A machine its owner rents out (an extra: the interface defines no record for it).
import * as z from "zod";
import { WireId } from "../base/id.ts";
import { bool, int, num, share, text } from "../base/wire.ts";

/**
 * Units: `gpu_ram` MB; `disk_space` GB; `listed_gpu_cost`, `min_bid_price` $/h per GPU; `earn_hour`, `earn_day`
 * dollars.
 * `gpu_occupancy` has one letter per GPU: D rented on-demand, R reserved, I interruptible, x free.
 */
export const HostMachine = z.object({
  id: WireId,
  hostname: text,
  gpu_name: text,
  num_gpus: int,
  gpu_ram: num,
  disk_space: num,
  listed: bool,
  verification: text,
  reliability2: share,
  geolocation: text,
  listed_gpu_cost: num,
  min_bid_price: num,
  gpu_occupancy: text,
  earn_hour: num,
  earn_day: num,
});
export type HostMachine = z.infer<typeof HostMachine>;
