// A sandbox for the contract tests: real HTTP, a clock moved by hand, requests written as the interface document has them.

import { createManualClock, type ManualClock } from "../../../src/sandbox/base/clock.ts";
import type { MarketOffer } from "../../../src/sandbox/market/market.ts";
import { type Sandbox, type SandboxOptions, startSandbox } from "../../../src/sandbox/start.ts";

export type Json = Readonly<Record<string, unknown>>;

export interface Answer {
  readonly status: number;
  readonly type: string | null;
  readonly body: Json;
}

export interface Asking {
  readonly body?: unknown;
  /** Sent as it stands instead of `body`. */
  readonly text?: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Another key, or null for no Authorization header at all. */
  readonly key?: string | null;
  /** When the client gives up. */
  readonly signal?: AbortSignal | undefined;
}

export class Bench {
  readonly sandbox: Sandbox;
  readonly clock: ManualClock;

  constructor(sandbox: Sandbox, clock: ManualClock) {
    this.sandbox = sandbox;
    this.clock = clock;
  }

  static async start(options: SandboxOptions = {}): Promise<Bench> {
    const clock = createManualClock();
    return new Bench(await startSandbox({ clock, ...options }), clock);
  }

  async ask(method: string, path: string, asking: Asking = {}): Promise<Answer> {
    const url = new URL(this.sandbox.url + path);
    for (const [name, value] of Object.entries(asking.query ?? {})) url.searchParams.set(name, value);
    const key = asking.key === undefined ? this.sandbox.apiKey : asking.key;
    const body = asking.text ?? (asking.body === undefined ? undefined : JSON.stringify(asking.body));
    const response = await fetch(url, {
      method,
      headers: key === null ? {} : { authorization: `Bearer ${key}` },
      ...(body === undefined ? {} : { body }),
      ...(asking.signal && { signal: asking.signal }),
    });
    const text = await response.text();
    return {
      status: response.status,
      type: response.headers.get("content-type"),
      body: text === "" ? {} : (JSON.parse(text) as Json),
    };
  }

  /** The offers a search finds. */
  async offers(body: Json): Promise<Json[]> {
    const answer = await this.ask("POST", "/api/v0/bundles/", { body });
    if (answer.status !== 200) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body.offers as Json[];
  }

  create(offerId: number, body: unknown): Promise<Answer> {
    return this.ask("PUT", `/api/v0/asks/${offerId}/`, { body });
  }

  /** The record of a new instance that was created from this body, on the next free offer. */
  async created(body: Json, offer: MarketOffer = this.freeOffer()): Promise<Json> {
    const answer = await this.create(offer.id, body);
    if (answer.status !== 200) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
    return this.instance(answer.body.new_contract as number);
  }

  async instance(id: unknown): Promise<Json> {
    const answer = await this.ask("GET", `/api/v0/instances/${id}/`);
    return answer.body.instances as Json;
  }

  /** The cheapest offer that can be rented and will run; what it costs doesn't use up the account soon. */
  freeOffer(wanted: (offer: MarketOffer) => boolean = () => true): MarketOffer {
    const { world } = this.sandbox;
    const offer = world.offers
      .filter((one) => one.fate === "runs" && one.minBid !== null && one.machine.disk > 200 && world.isRentable(one))
      .filter(wanted)
      .sort((a, b) => a.price - b.price)[0];
    if (offer === undefined) throw new Error("No offer is free");
    return offer;
  }
}
