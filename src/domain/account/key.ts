// The account's keys: API keys and SSH keys.
import * as z from "zod";
import { WireId as id } from "../base/id.ts";
import { num, text } from "../base/wire.ts";

/** Extra: the interface defines no fields of a key record. */
export const ApiKeyRecord = z.object({ id, name: text, key_type: text, created_at: num });
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
