// Removes the key of an account that someone signed out of. A key store may fail or hang; no window uses the key after
// that, until its owner signs in again.
import { AppError } from "../../domain/base/error.ts";
import type { Log } from "../../lib/log.ts";
import { t } from "../../lib/text.ts";
import type { KeyStore, Profiles } from "./profiles.ts";

interface Parts {
  readonly keyStore: KeyStore;
  readonly profiles: Profiles;
  readonly log: Log;
}

export class KeyRemovals {
  readonly #parts: Parts;
  /** By account, the removal that came last, unless its owner has signed in since. */
  readonly #last = new Map<string, symbol>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Its owner has signed in: whatever is still under way is no longer wanted. */
  supersede(id: string): void {
    this.#last.delete(id);
  }

  /** `keep` stores a key again that was signed in with since and may have been taken. @returns whether the key is gone. */
  async remove(id: string, keep: () => Promise<void>): Promise<boolean> {
    const { keyStore, profiles, log } = this.#parts;
    const removal = Symbol();
    this.#last.set(id, removal);
    // Noted before the key store is asked: it may hang until the window closes.
    profiles.noteKeyLeft(id, true);
    profiles.drop(id);
    try {
      await keyStore.remove(id);
    } catch (error) {
      log.warn("A key could not be removed from the key store.", error);
      return false;
    }
    // A late answer says nothing about a key that came, and may be left, since.
    if (this.#last.get(id) === removal) profiles.noteKeyLeft(id, false);
    else await keep();
    return true;
  }
}

/** Says nothing of what the key store said: that may contain anything. */
export function createKeyLeftError(): AppError {
  return new AppError(
    "outcome-unknown",
    t(
      "You're signed out, but Cloud GPU couldn't remove the key from the keychain. Remove the key there, or sign in and out again.",
    ),
  );
}
