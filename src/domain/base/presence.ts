// Whether a thing of the account is still there.

/**
 * - `listed`: the last list has it
 * - `missing`: the last list lacks it, which proves nothing: lists lag, and some of their records can't be read
 * - `ended`: the service has it no longer
 */
export type Presence = "listed" | "missing" | "ended";
