// Of which account something is that was written down.
import { createHash } from "node:crypto";
import type { SignedIn } from "./session.ts";

export interface AccountMark {
  readonly origin: string;
  /** Digest of origin and key. */
  readonly account: string;
  readonly user?: number | undefined;
}

/** For what is written down in an account. */
export function toAccountMark({ address, tag, user }: SignedIn): { origin: string; account: string; user?: number } {
  const id = user();
  return { origin: address.origin, account: tag, ...(id === undefined ? {} : { user: id }) };
}

/** Whether it was written down in this account, possibly with another key. */
export function isOfAccount(mark: AccountMark, { address, tag, user }: SignedIn): boolean {
  if (mark.origin !== address.origin) return false;
  return mark.account === tag || (mark.user !== undefined && mark.user === user());
}

/** For names of files: the same in all windows, and for all keys of an account whose user is known. */
export const hashAccount = ({ address, tag, user }: SignedIn): string =>
  createHash("sha256")
    .update(`${address.origin} ${user() ?? tag}`)
    .digest("hex")
    .slice(0, 16);
