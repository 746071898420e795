// Whether a key works, and which account it belongs to.
import type { Account, Client } from "../../api/client.ts";
import { type Address, parseAddress } from "../../domain/base/address.ts";
import { parseApiKey } from "../../domain/base/api-key.ts";
import { AppError } from "../../domain/base/error.ts";
import { t } from "../../lib/text.ts";
import { connectTo, type SessionOptions } from "./session-options.ts";

/** The account a key belongs to, or undefined if the service doesn't say. @throws AppError if the key is refused. */
export async function findOwner(client: Client, signal?: AbortSignal): Promise<Account | undefined> {
  try {
    return await client.getCurrentUser(signal);
  } catch (error) {
    if (error instanceof AppError && (error.kind === "unsupported" || error.kind === "not-allowed")) return undefined;
    throw error;
  }
}

/**
 * Verifies a key by asking for its account. If the server doesn't support that, makes a call that every key for this
 * tool must be allowed to make.
 */
async function proveKey(client: Client, signal: AbortSignal | undefined): Promise<Account | undefined> {
  const account = await findOwner(client, signal);
  if (account === undefined) await client.searchTemplates({ recommended: { eq: true } }, signal);
  return account;
}

/** A key that was accepted at an address, and its account if the service says one. */
export interface CheckedKey {
  readonly address: Address;
  readonly key: string;
  readonly account: Account | undefined;
}

/**
 * Tries a key with a real call before anything is stored.
 * @throws AppError: `rejected` for an address or key that can't be used, otherwise the service's error.
 */
export async function checkKey(
  options: SessionOptions,
  baseUrl: string,
  apiKey: string,
  signal?: AbortSignal,
): Promise<CheckedKey> {
  const address = parseAddress(baseUrl);
  const key = parseApiKey(apiKey);
  const client = connectTo(options, address, key, options.pace);
  try {
    return { address, key, account: await proveKey(client, signal) };
  } catch (error) {
    if (!(error instanceof AppError) || (error.kind !== "not-found" && error.kind !== "unsupported")) throw error;
    throw new AppError(
      error.kind,
      t("There's no compatible service at {0}. Check the address.", address.base),
      error.facts,
    );
  } finally {
    client.close();
  }
}

/** Whether a key still works. If the service can't be asked, the answer is yes. */
export async function isKeyAccepted(client: Client): Promise<boolean> {
  try {
    await proveKey(client, undefined);
  } catch (error) {
    if (error instanceof AppError && error.kind === "key-refused") return false;
  }
  return true;
}
