// A webhook of the account (interface 2.5).
import * as z from "zod";
import { WireId as id } from "../base/id.ts";
import { int, num, text } from "../base/wire.ts";

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
