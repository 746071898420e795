// Removing the key of an account that somebody signed out of. A key store may fail or hang; no window uses the key after
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

/** @returns whether the key is gone. */
export async function forgetKey({ keyStore, profiles, log }: Parts, id: string): Promise<boolean> {
  // Noted before the key store is asked: it may hang until the window closes.
  profiles.noteKeyLeft(id, true);
  profiles.drop(id);
  try {
    await keyStore.remove(id);
  } catch (error) {
    log.warn("A key could not be removed from the key store.", error);
    return false;
  }
  profiles.noteKeyLeft(id, false);
  return true;
}

/** Tries again to remove a key that could not be removed then. @returns whether none is left. */
export async function forgetLeftKey(parts: Parts, id: string): Promise<boolean> {
  return !parts.profiles.isKeyLeft(id) || (await forgetKey(parts, id));
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
