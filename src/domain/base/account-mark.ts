// Of which account something is that was written down: of one address, by its key, or by the service's number for the account.

/** What was written down. */
interface AccountMark {
  /** The service's address, with its path: two services of one origin are two. */
  readonly base: string;
  /** Digest of address and key. */
  readonly account: string;
  /** The service's number for the account, if it was known. */
  readonly user?: number | undefined;
}

/** An account that is signed in. */
export interface MarkedAccount {
  readonly base: string;
  readonly tag: string;
  readonly user: number | undefined;
}

/** Whether it was written down in this account, possibly with another key. Two users that are known and differ are two accounts. */
export function isMarkOf({ base, account, user }: AccountMark, own: MarkedAccount): boolean {
  if (base !== own.base) return false;
  return user === undefined || own.user === undefined ? account === own.tag : user === own.user;
}
