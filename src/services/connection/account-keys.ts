// The SSH keys of the account: instances that are rented from now on admit them.
import { asAppError } from "../../domain/base/error.ts";
import { findSharedKey, type PublicKey } from "../../domain/connection/public-key.ts";
import type { SessionService, SignedIn } from "../core/session.ts";
import type { ConnectionsService } from "./connections.ts";

/**
 * - `shared`: the account has a key of this computer
 * - `none-here`: it has keys, but none that was found on this computer
 * - `none`: it has no key at all
 * - `unknown`: the service doesn't say
 */
export type AccountKeyState = "shared" | "none-here" | "none" | "unknown";

interface Services {
  readonly session: SessionService;
  readonly connections: ConnectionsService;
}

export class AccountKeys {
  readonly #services: Services;

  constructor(services: Services) {
    this.#services = services;
  }

  /** Whether a new instance of this account would admit a key of this computer. Never rejects. */
  async compare(account: SignedIn): Promise<AccountKeyState> {
    const [listed, mine] = await Promise.all([listKeys(account), this.#services.connections.listLocalKeys()]);
    if (!listed) return "unknown";
    if (findSharedKey(mine, listed.keys)) return "shared";
    if (listed.unreadable > 0) return "unknown";
    return listed.keys.length === 0 ? "none" : "none-here";
  }

  /** Adds a public key to the account. @throws AppError if the service doesn't take it, or the account was switched. */
  async add(account: SignedIn, key: PublicKey): Promise<void> {
    this.#services.session.assertStill(account);
    try {
      await account.client.createSshKey(key.line);
    } catch (thrown) {
      // The account may have the key already, which services call a bad request: then there is nothing to add.
      if (asAppError(thrown).kind !== "rejected") throw thrown;
      const listed = await listKeys(account);
      if (!findSharedKey([key], listed?.keys ?? [])) throw thrown;
    }
  }
}

/** Undefined if the service doesn't say. Never rejects. */
async function listKeys({ client }: SignedIn) {
  const listed = await client.listSshKeys().catch(() => undefined);
  return listed && { keys: listed.rows.map(({ value }) => value.public_key), unreadable: listed.unreadable };
}
