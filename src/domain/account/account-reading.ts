// What is remembered of an account that is not in use.

/** What an account had rented when it was last looked at. */
export interface AccountReading {
  readonly name: string;
  readonly host: string;
  readonly count: number;
  /** Dollars an hour; undefined where a price was not known. */
  readonly price: number | undefined;
  /** Wall clock milliseconds. */
  readonly at: number;
}
