// The outcome of a confirmed order to destroy or stop an instance.

/**
 * - `done`: the service shows that it happened
 * - `failed`: refused, or not confirmed by the service; `reason` says which
 * - `left`: not sent, because the account was left; it resumes when the account is back
 * - `elsewhere`: another window took it over while this one slept; that one reports it
 */
export interface OrderResult {
  readonly id: number;
  readonly kind: "destroy" | "stop";
  readonly outcome: "done" | "failed" | "left" | "elsewhere";
  readonly reason?: string;
}
