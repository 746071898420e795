// Volumes: rented ones, and ones listed for rent.
import * as z from "zod";
import { WireId as id } from "../base/id.ts";
import { bool, int, num, str, text } from "../base/wire.ts";

/** Extra: the interface defines no fields of a volume record. `disk_space` GB; `storage_total_cost` $/h. */
export const Volume = z.object({
  id,
  label: text,
  disk_space: num,
  status: str,
  machine_id: int,
  instances: z.array(z.unknown()).catch([]),
  storage_total_cost: num,
});
export type Volume = z.infer<typeof Volume>;

/** Extra: a volume listed for rent. `disk_space` GB; `storage_cost` $/GB and month. */
export const VolumeOffer = z.object({
  id,
  machine_id: int,
  host_id: int,
  disk_space: num,
  storage_cost: num,
  geolocation: str,
  reliability: num,
  verified: bool,
  rentable: bool,
});
export type VolumeOffer = z.infer<typeof VolumeOffer>;
