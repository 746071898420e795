// What an account has left.
import { asAppError } from "../../domain/base/error.ts";
import type { SignedIn } from "./session.ts";

/** Dollars; `refused` if the service doesn't say it to this key, undefined if it can't be read now. */
export async function readCredit({ client }: SignedIn): Promise<number | "refused" | undefined> {
  try {
    return (await client.getCurrentUser()).credit;
  } catch (error) {
    return ["unsupported", "not-allowed"].includes(asAppError(error).kind) ? "refused" : undefined;
  }
}
