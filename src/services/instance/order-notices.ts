// Orders that failed and that the person doesn't know about yet. Some window reports each one until the person has seen
// it.
import type { InstanceId } from "../../domain/base/id.ts";
import type { OrderResult } from "../../domain/instance/order-result.ts";
import { Duties } from "../core/duty.ts";
import type { Liveness } from "../core/heartbeat.ts";
import type { SignedIn } from "../core/session.ts";
import type { Order, OrderFact } from "./order-journal.ts";

export interface OrderEnd extends OrderResult {
  readonly token: string;
  readonly id: InstanceId;
}

/**
 * A message about orders that no one in this window is waiting for. Call `acknowledge` once the person has seen it: until
 * then it is repeated.
 */
export type OrderNotice = { readonly account: SignedIn; readonly acknowledge: () => Promise<void> } & (
  | { readonly kind: "finished"; readonly ends: readonly OrderEnd[] }
  /** Orders of one kind that are too old to carry out without asking, or that were sent with an unknown outcome. */
  | { readonly kind: "stale"; readonly orders: readonly Order[] }
);

/** Tokens of the orders that the person must hear about. */
export function listFailures(ends: readonly OrderEnd[]): readonly string[] {
  return ends.flatMap(({ token, outcome }) => (outcome === "failed" ? [token] : []));
}

export class OrderAcknowledgments {
  readonly #note: (token: string, fact: OrderFact) => Promise<void>;
  /** By token. */
  readonly #untold: Duties<string>;

  constructor(liveness: Liveness, note: (token: string, fact: OrderFact) => Promise<void>) {
    this.#note = note;
    this.#untold = new Duties(liveness);
  }

  has(token: string): boolean {
    return this.#untold.has(token);
  }

  /** This window reports them until the person has seen the message. */
  add(tokens: readonly string[]): void {
    for (const token of tokens) void this.#untold.take(token);
  }

  async acknowledge(tokens: readonly string[]): Promise<void> {
    for (const token of tokens) {
      await this.#note(token, "told");
      this.#untold.end(token);
    }
  }

  /** Leaves the unreported orders to the next window, or to this one when the account is back. */
  clear(): void {
    this.#untold.endAll();
  }
}
