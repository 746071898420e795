// Lists the account's API keys and deletes them (interface 4.13).
import type { ApiKeyRecord } from "../../domain/account/key.ts";
import { AppError, asAppError } from "../../domain/base/error.ts";
import { t } from "../../lib/text.ts";
import { isKeyAccepted } from "../core/key-check.ts";
import type { SessionService, SignedIn } from "../core/session.ts";

export class KeysService {
  readonly #session: SessionService;

  constructor(session: SessionService) {
    this.#session = session;
  }

  /** Undefined if the service doesn't list keys, or doesn't allow this key to list them. */
  async list({ client }: SignedIn, signal?: AbortSignal): Promise<readonly ApiKeyRecord[] | undefined> {
    try {
      return (await client.listApiKeys(signal)).rows.map(({ value }) => value);
    } catch (thrown) {
      const { kind } = asAppError(thrown);
      if (kind === "unsupported" || kind === "not-allowed") return undefined;
      throw thrown;
    }
  }

  /**
   * Deletes a key (sent once), then checks whether the current key still works: no list says which key is in use.
   * @returns whether it does.
   * @throws AppError with a sentence that says the key stays, or `outcome-unknown`.
   */
  async delete(account: SignedIn, id: number): Promise<boolean> {
    this.#session.assertStill(account);
    try {
      await account.client.deleteApiKey(id);
    } catch (thrown) {
      const error = asAppError(thrown);
      if (error.kind === "outcome-unknown" || error.kind === "key-refused") throw error;
      const message = t("Couldn't delete API key {0}: {1}", id, error.message);
      throw new AppError(error.kind, message, { ...error.facts, cause: error });
    }
    return isKeyAccepted(account.client);
  }
}
