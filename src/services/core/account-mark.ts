// Of which account something is that was written down.
import { createHash } from "node:crypto";
import { isMarkOf, type MarkedAccount } from "../../domain/base/account-mark.ts";
import type { InstanceId } from "../../domain/base/id.ts";
import type { SignedIn } from "./session.ts";

interface WrittenMark {
  /** The service's address, with its path. */
  readonly origin: string;
  /** Digest of address and key. */
  readonly account: string;
  readonly user?: number | undefined;
}

export const toMarkedAccount = ({ address, tag, user }: Pick<SignedIn, "address" | "tag" | "user">): MarkedAccount => ({
  ...{ base: address.base, tag },
  user: user(),
});

/** For what is written down in an account. */
export function toAccountMark({ address, sandbox, tag, user }: SignedIn) {
  const id = user();
  return {
    ...{ origin: address.base, account: tag },
    ...(id === undefined ? {} : { user: id }),
    ...(sandbox ? { sandbox: true as const } : {}),
  };
}

/** Whether it was written down in this account, possibly with another key. */
export function isOfAccount(mark: WrittenMark, account: SignedIn): boolean {
  return isMarkOf({ ...mark, base: mark.origin }, toMarkedAccount(account));
}

/** For names of files: the same in all windows, and for all keys of an account whose user is known. */
export const hashAccount = ({ address, tag, user }: SignedIn): string =>
  createHash("sha256")
    .update(`${address.base} ${user() ?? tag}`)
    .digest("hex")
    .slice(0, 16);

/** For names of files about an instance that are of one account: another one doesn't see what it is. */
export const hashOwnInstance = (account: SignedIn, id: InstanceId): string =>
  createHash("sha256")
    .update(`${hashAccount(account)} ${id}`)
    .digest("hex")
    .slice(0, 20);

/**
 * For names of an instance's files: the same in all windows, and for all keys of an account. The next sandbox gives the numbers of this
 * one's instances again.
 */
export const hashInstance = ({ address, sandbox, tag }: SignedIn, id: InstanceId): string =>
  createHash("sha256")
    .update(`${sandbox ? tag : address.base} ${id}`)
    .digest("hex")
    .slice(0, 20);
