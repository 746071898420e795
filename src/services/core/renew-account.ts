// Goes on in an account that was left and signed in to again.
import type { SessionService, SignedIn } from "./session.ts";

/** The same account as it is signed in to now. One that was left stays as it is: whatever is asked for with it is refused. */
export function renewAccount({ current }: Pick<SessionService, "current">, account: SignedIn): SignedIn {
  return current.kind === "signed-in" && current.tag === account.tag ? current : account;
}
