// What is remembered about accounts that aren't in use.

/** What an account had rented when it was last read. */
export interface AccountReading {
  /** Names what is remembered of this account. */
  readonly key: string;
  readonly name: string;
  readonly base: string;
  /** Whether the person signed out of it: only a key leads back. */
  readonly isLeft: boolean;
  readonly count: number;
  /** Dollars per hour; undefined if a price was unknown. */
  readonly price: number | undefined;
  /** Wall clock milliseconds. */
  readonly at: number;
}
