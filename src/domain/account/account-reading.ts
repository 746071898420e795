// What is remembered about accounts that aren't in use.

/** What an account had rented when it was last read. */
export interface AccountReading {
  readonly name: string;
  readonly host: string;
  readonly count: number;
  /** Dollars per hour; undefined if a price was unknown. */
  readonly price: number | undefined;
  /** Wall clock milliseconds. */
  readonly at: number;
}
