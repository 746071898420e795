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
    const [listed, mine] = await Promise.all([
      account.client.listSshKeys().catch(() => undefined),
      this.#services.connections.localKeys(),
    ]);
    if (!listed) return "unknown";
    if (
      findSharedKey(
        mine,
        listed.rows.map(({ value }) => value.public_key),
      )
    )
      return "shared";
    if (listed.unreadable > 0) return "unknown";
    return listed.rows.length === 0 ? "none" : "none-here";
  }

  /** Adds a public key to the account. @throws AppError if the service doesn't take it, or the account was switched. */
  async add(account: SignedIn, key: PublicKey): Promise<void> {
    this.#services.session.assertStill(account);
    try {
      await account.client.createSshKey(key.line);
    } catch (thrown) {
      // The account may have the key already, which services call a bad request: then there is nothing to add.
      if (asAppError(thrown).kind !== "rejected" || !(await this.#has(account, key))) throw thrown;
    }
  }

  async #has({ client }: SignedIn, key: PublicKey): Promise<boolean> {
    const listed = await client.listSshKeys().catch(() => undefined);
    const known = listed?.rows.map(({ value }) => value.public_key) ?? [];
    return findSharedKey([key], known) !== undefined;
  }
}
