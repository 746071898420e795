// The outcome of a confirmed order to destroy or stop an instance.

/**
 * - `done`: the service shows that it happened
 * - `failed`: refused, or not confirmed by the service; `reason` says which
 * - `left`: not sent, because the account was left; it resumes when the account is back
 */
export interface OrderResult {
  readonly id: number;
  readonly kind: "destroy" | "stop";
  readonly outcome: "done" | "failed" | "left";
  readonly reason?: string;
}
