// Whether a key works, and whose it is.
import type { Account, Client } from "../../api/client.ts";
import { AppError } from "../../domain/base/error.ts";

/** The account a key belongs to; undefined where the service does not say. @throws AppError where the key is refused. */
export async function ownerOf(client: Client, signal?: AbortSignal): Promise<Account | undefined> {
  try {
    return await client.getCurrentUser(signal);
  } catch (error) {
    if (error instanceof AppError && (error.kind === "unsupported" || error.kind === "not-allowed")) return undefined;
    throw error;
  }
}

/** Proves a key by asking whose it is; on a server without that, by a call every key for this tool must be able to make. */
export async function proveKey(client: Client, signal: AbortSignal | undefined): Promise<Account | undefined> {
  const account = await ownerOf(client, signal);
  if (account === undefined) await client.searchTemplates({ recommended: { eq: true } }, signal);
  return account;
}
