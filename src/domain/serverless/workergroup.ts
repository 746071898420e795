// A workergroup of a serverless endpoint (interface 2.6).
import * as z from "zod";
import { WireId as id } from "../base/id.ts";
import { int, num, text } from "../base/wire.ts";
import { Filters } from "../offer/filter.ts";
import { WholeFilters } from "../template/template.ts";

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
