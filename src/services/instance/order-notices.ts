// Orders that did not come about and whose person has not heard so yet: each is told again, by some window, until they have.
import type { InstanceId } from "../../domain/base/id.ts";
import type { Life } from "../core/heartbeat.ts";
import type { SignedIn } from "../core/session.ts";
import type { Order, OrderFact, OrderKind } from "./order-journal.ts";

/**
 * - `done`: the service shows that it came about
 * - `failed`: refused, or not confirmed by the service; `reason` says which
 * - `left`: not sent, because the account was left; it is taken up when the account is back
 */
export interface OrderEnd {
  readonly token: string;
  readonly id: InstanceId;
  readonly kind: OrderKind;
  readonly outcome: "done" | "failed" | "left";
  readonly reason?: string;
}

/** What the person hears of orders nobody in this window waits for. Call `heard` once they did: until then it is told again. */
export type OrderNotice = { readonly account: SignedIn; readonly heard: () => Promise<void> } & (
  | { readonly kind: "finished"; readonly ends: readonly OrderEnd[] }
  /** Of one kind; too long ago to be carried out unasked, or sent without anybody knowing what came of it. */
  | { readonly kind: "stale"; readonly orders: readonly Order[] }
);

/** Tokens of what the person has to hear of. */
export function failuresOf(ends: readonly OrderEnd[]): readonly string[] {
  return ends.flatMap(({ token, outcome }) => (outcome === "failed" ? [token] : []));
}

export class OrderHearing {
  readonly #life: Life;
  readonly #note: (token: string, fact: OrderFact) => Promise<void>;
  /** Each with what ends this window's watch over it. */
  readonly #unheard = new Map<string, () => void>();

  constructor(life: Life, note: (token: string, fact: OrderFact) => Promise<void>) {
    this.#life = life;
    this.#note = note;
  }

  has(token: string): boolean {
    return this.#unheard.has(token);
  }

  /** Other windows see this one work until its person has heard: they must not tell of it as well. */
  add(tokens: readonly string[]): void {
    for (const token of tokens) if (!this.#unheard.has(token)) this.#unheard.set(token, this.#life.begin());
  }

  async acknowledge(tokens: readonly string[]): Promise<void> {
    for (const token of tokens) {
      await this.#note(token, "told");
      this.#release(token);
    }
  }

  /** What is unheard is left for the next window, or for this one when the account is back. */
  clear(): void {
    for (const token of [...this.#unheard.keys()]) this.#release(token);
  }

  #release(token: string): void {
    this.#unheard.get(token)?.();
    this.#unheard.delete(token);
  }
}
