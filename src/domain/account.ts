// What belongs to an account beside its machines: webhooks, workergroups, keys, volumes (interface 2.4 to 2.7).
import * as z from "zod";
import { Filters } from "./filter.ts";
import { WireId } from "./id.ts";
import { WholeFilters } from "./template.ts";
import { bool, int, num, str, text } from "./wire.ts";

const id = WireId;

/** Interface 2.5. Dates UTC epoch seconds. */
export const Webhook = z.object({
  id,
  user_id: int,
  name: text,
  webhook_url: text,
  event_types: z.array(z.string()).catch([]),
  created_at: num,
  updated_at: num,
});
export type Webhook = z.infer<typeof Webhook>;

/** Interface 2.6. `api_key` is a live secret of the endpoint; `target_util` a fraction; dates UTC epoch seconds. */
export const Workergroup = z.object({
  id,
  min_load: num,
  target_util: num,
  cold_mult: num,
  cold_workers: int,
  template_hash: text,
  template_id: int,
  search_query: WholeFilters.pipe(Filters.optional().catch(undefined)),
  launch_args: text,
  gpu_ram: num,
  endpoint_name: text,
  endpoint_id: int,
  api_key: text,
  created_at: num,
  user_id: int,
});
export type Workergroup = z.infer<typeof Workergroup>;

/** Extra: the interface shows no fields of a key record. */
export const ApiKeyRecord = z.object({ id, name: text, key_type: text, user_id: int, created_at: num });
export type ApiKeyRecord = z.infer<typeof ApiKeyRecord>;

/** Extra. */
export const SshKey = z
  .object({
    id,
    public_key: text,
    key: text,
    created_at: z.union([z.string(), z.number()]).optional().catch(undefined),
  })
  .transform(({ key, ...rest }) => ({ ...rest, public_key: rest.public_key ?? key }));
export type SshKey = z.infer<typeof SshKey>;

/** Extra: the interface shows no fields of a volume record. `disk_space` GB; `storage_total_cost` $/h. */
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

/** Extra: a volume for rent. `disk_space` GB; `storage_cost` $/GB and month. */
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

/** What an account had rented when it was last looked at. */
export interface AccountReading {
  readonly name: string;
  readonly host: string;
  readonly count: number;
  /** Dollars an hour; undefined where a price was not known. */
  readonly price: number | undefined;
  /** Wall clock milliseconds. */
  readonly at: number;
}
