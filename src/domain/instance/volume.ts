// Volumes: rented ones, and ones listed for rent.
import * as z from "zod";
import { WireId as id } from "../base/id.ts";
import { bool, int, num, str, text } from "../base/wire.ts";

/** Far more than anyone mounts. */
const MOST_MOUNTED = 50;

const Mounted = z.union([
  z.object({ volume_id: id }).transform(({ volume_id }) => volume_id),
  z.object({ id }).transform((one) => one.id),
]);

/** Extra: how an instance's record lists them. @returns their numbers; undefined if there is no list. */
export function readMountedVolumes(given: unknown): readonly number[] | undefined {
  if (!Array.isArray(given)) return undefined;
  return given.slice(0, MOST_MOUNTED).flatMap((one) => Mounted.safeParse(one).data ?? []);
}

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

/** Less than nothing is nonsense. */
const amount = z.number().min(0).optional().catch(undefined);

/** Extra: a volume listed for rent. `disk_space` GB; `storage_cost` $/GB and month. */
export const VolumeOffer = z.object({
  id,
  machine_id: int,
  host_id: int,
  disk_space: amount,
  storage_cost: amount,
  geolocation: str,
  reliability: num,
  verified: bool,
  rentable: bool,
});
export type VolumeOffer = z.infer<typeof VolumeOffer>;
