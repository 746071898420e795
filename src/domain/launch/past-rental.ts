// What an instance was rented with, kept after it is gone: enough to rent another one like it. Holds no variables and no key.
import * as z from "zod";
import { cutMasked } from "../../lib/redact.ts";
import { InstanceId } from "../base/id.ts";
import { toPrice } from "../base/money.ts";
import { Instance } from "../instance/instance.ts";

const Text = z.string().max(1000).optional();

/** Units as in `Instance`. */
export const PastRental = z.object({
  record: z.object({
    id: InstanceId,
    gpu_name: Text,
    num_gpus: z.int().optional(),
    gpu_ram: z.number().optional(),
    disk_space: z.number().optional(),
    is_bid: z.boolean().optional(),
    min_bid: z.number().optional(),
    dph_total: z.number().optional(),
    label: Text,
    image_uuid: Text,
    image_runtype: Text,
    template_name: Text,
    template_hash_id: Text,
    machine_id: z.int().optional(),
  }),
  /** When it was first seen, and first seen to be gone, in epoch milliseconds. */
  seen: z.number(),
  gone: z.number().optional(),
});
export type PastRental = z.infer<typeof PastRental>;

const FIELDS = Object.keys(PastRental.shape.record.shape) as (keyof PastRental["record"])[];
const LONGEST = 1000;

export function toPastRental(instance: Instance, seen: number): PastRental {
  const kept = FIELDS.flatMap((field) => {
    const value = instance[field];
    if (value === undefined) return [];
    return [[field, typeof value === "string" ? cutMasked(value, LONGEST) : value] as const];
  });
  return { record: Object.fromEntries(kept) as PastRental["record"], seen };
}

/** The instance as far as it is known. */
export const toPastInstance = ({ record }: PastRental): Instance => Instance.parse(record);

/** Dollars per hour that it cost while it ran. */
export const getPastPrice = ({ record }: PastRental): number | undefined => toPrice(record.dph_total);

/** An account has at most as many. */
const MOST = 30;

/**
 * What is known after a list of all instances was read: those that run now are added or updated, and those that are no longer in it are
 * gone; only the `ended` ones if the service has no list of all. The newest come first. `now` is epoch milliseconds.
 */
export function keepPastRentals(
  known: readonly PastRental[],
  listed: readonly Instance[],
  now: number,
  ended?: readonly InstanceId[],
): readonly PastRental[] {
  const ids = new Set<number>(listed.map(({ id }) => id));
  const before = new Map(known.map((one) => [one.record.id, one]));
  const here = listed.map((one) => toPastRental(one, before.get(one.id)?.seen ?? now));
  const gone = known
    .filter(({ record }) => !ids.has(record.id))
    .map((one) => (ended?.includes(one.record.id) === false ? one : { ...one, gone: one.gone ?? now }));
  const endOf = ({ gone: end }: PastRental) => end ?? Number.MAX_VALUE;
  // IDs ascend. What is beyond the last ones would otherwise be new again with each list.
  return [...here, ...gone]
    .sort((one, other) => endOf(other) - endOf(one) || other.record.id - one.record.id)
    .slice(0, MOST);
}
