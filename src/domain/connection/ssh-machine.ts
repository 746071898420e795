// A machine that was logged in to from this computer: the record that says whose it is, so that its host key and its block in the
// SSH configuration can go when it does.
import * as z from "zod";
import { isMarkOf, type MarkedAccount } from "../base/account-mark.ts";
import { InstanceId } from "../base/id.ts";
import { isReadableName } from "./readable-name.ts";
import { isRemoteFolder } from "./remote-machine.ts";
import { parseSshAddress } from "./ssh-address.ts";
import { isHostAlias, isPlainPath } from "./ssh-config.ts";

/** Uploads that are remembered of a machine. */
export const MOST_UPLOADS = 8;
/** Commands that are remembered of a folder. */
export const MOST_COMMANDS = 20;

/** An upload that the person agreed to: it may go on without a question as long as it doesn't grow much. */
const Upload = z.object({
  /** Digest of the folder on this computer. */
  from: z.string().max(64),
  to: z.string().refine(isRemoteFolder),
  /** What was set as the usual place then. */
  usual: z.string().max(1000),
  files: z.int().nonnegative(),
  bytes: z.number().nonnegative(),
  /** Digests of what the person agreed to run there. */
  commands: z.array(z.string().max(64)).max(MOST_COMMANDS).optional(),
});
export type AgreedUpload = z.infer<typeof Upload>;

/** Any program of this computer can write these files: each part is checked again when it is read. */
export const SshMachine = z
  .object({
    version: z.literal(1),
    alias: z.string().refine(isHostAlias),
    /** What a person calls it. It keeps that name. */
    name: z.string().refine(isReadableName).optional(),
    id: InstanceId,
    host: z.string(),
    port: z.int(),
    /** The file of the key that it admits. */
    identity: z.string().refine(isPlainPath).optional(),
    /** The service's address. */
    base: z.string(),
    /** Digest of the service's address and the key. */
    account: z.string(),
    user: z.int().optional(),
    sandbox: z.boolean(),
    /** Epoch milliseconds of the last login. */
    at: z.number(),
    /** The folder that its window opens; empty for none, undefined before the person was asked. */
    folder: z
      .string()
      .refine((path) => path === "" || isRemoteFolder(path))
      .optional(),
    /** Whether it was prepared for an editor's window. */
    isPrepared: z.boolean().optional(),
    /** The latest last. */
    uploads: z.array(Upload).max(MOST_UPLOADS).optional(),
  })
  .refine(({ host, port }) => parseSshAddress(host, port)?.host === host);
export type SshMachine = z.infer<typeof SshMachine>;

/** The record in a file's text; undefined for anything else. */
export function readSshMachine(text: string): SshMachine | undefined {
  if (text.length > 20_000) return undefined;
  try {
    return SshMachine.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Whether a machine belongs to an account: by its key, or by the service's ID for the account. */
export function isMachineOf(machine: SshMachine, account: MarkedAccount): boolean {
  // Every sandbox has the same user.
  return isMarkOf(machine, machine.sandbox ? { ...account, user: undefined } : account);
}
