// The machines that match a template's filters right now, in numbers.
export interface OfferSupply {
  readonly count: number;
  /** True if there may be more than were counted. */
  readonly isMore: boolean;
  /** Dollars an hour; undefined if no offer says its price. */
  readonly lowest: number | undefined;
}
