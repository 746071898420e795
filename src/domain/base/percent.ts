// Shares as percent: as they were typed, and as people read them.
/** A share from 0 to 1 in percent, as it was typed: 99.999, and 57 where a multiplication says a little less. */
export const toPercent = (share: number): number => Number((share * 100).toPrecision(12));

/** `99.9%` of a share from 0 to 1. Never more than it is: what misses a limit doesn't read as if it met it. */
export const formatPercent = (share: number): string => `${(Math.floor(share * 1000 + 1e-6) / 10).toFixed(1)}%`;
