// The account's API keys: which there are, and deleting one of them (interface 4.13).
import type { ApiKeyRecord } from "../../domain/account/key.ts";
import { AppError, asAppError } from "../../domain/base/error.ts";
import { t } from "../../lib/text.ts";
import type { SessionService, SignedIn } from "../core/session.ts";

export class KeysService {
  readonly #session: SessionService;

  constructor(session: SessionService) {
    this.#session = session;
  }

  /** Undefined where the service does not list them, or not to this key. */
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
   * Deletes a key, sent once, and looks whether the key in use still works: no list says which one that is.
   * @returns whether it does.
   * @throws AppError whose sentence says that the key stays, or `outcome-unknown`.
   */
  async delete(account: SignedIn, id: number): Promise<boolean> {
    this.#session.assertStill(account);
    try {
      await account.client.deleteApiKey(id);
    } catch (thrown) {
      const error = asAppError(thrown);
      if (error.kind === "outcome-unknown" || error.kind === "key-refused") throw error;
      const message = t("API key {0} was not deleted. The reason: {1}", id, error.message);
      throw new AppError(error.kind, message, { ...error.facts, cause: error });
    }
    return this.#session.accepts(account);
  }
}
