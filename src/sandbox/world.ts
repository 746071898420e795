// The sandbox's world: market, templates, account and instances under one clock; it outlives the server in front of it.
import { createHash } from "node:crypto";
import { type Account, ALL_PERMISSIONS, type Key, newAccount, type Permission } from "./account.ts";
import { type Clock, runningClock } from "./clock.ts";
import { instanceRecord, rateIn, type StoredInstance } from "./instance.ts";
import { drawMarket, type Fate, type MarketOffer, overlaps } from "./market.ts";
import { ownTemplates, publicTemplates } from "./template-library.ts";
import { TemplateShelf } from "./templates.ts";
import { costBetween, cutShort, momentAt } from "./timeline.ts";

export interface WorldOptions {
  /** The same seed gives the same market, templates and key. Default 1. */
  readonly seed?: number;
  /** Simulated seconds in a real one. Default 1; of no effect with a `clock`. */
  readonly speed?: number;
  readonly clock?: Clock;
}

export type NewInstance = Omit<StoredInstance, "id" | "createdAt">;

export class World {
  readonly seed: number;
  readonly offers: readonly MarketOffer[];
  readonly templates = new TemplateShelf();
  readonly account: Account = newAccount();
  readonly keys = new Map<string, Key>();
  /** The key of the account's owner: follows from the seed, so a restarted sandbox knows it again. */
  readonly apiKey: string;
  readonly #clock: Clock;
  readonly #instances = new Map<number, StoredInstance>();
  #nextInstance = 31_000_000;
  #settledAt: number;

  constructor(options: WorldOptions = {}) {
    this.seed = options.seed ?? 1;
    this.#clock = options.clock ?? runningClock(options.speed ?? 1);
    this.#settledAt = this.now();
    this.offers = drawMarket(this.seed, this.now());
    this.apiKey = `sandbox-${createHash("sha256").update(`sandbox key ${this.seed}`).digest("hex").slice(0, 40)}`;
    this.addKey(this.apiKey, ALL_PERMISSIONS);
    for (const content of publicTemplates) this.templates.add(content, { owner: undefined, now: this.now() });
    for (const content of ownTemplates) this.templates.add(content, { owner: this.account.id, now: this.now() });
  }

  /** UTC epoch seconds. */
  now(): number {
    return this.#clock.now();
  }

  addKey(key: string, permissions: readonly Permission[]): void {
    this.keys.set(key, { permissions: new Set(permissions) });
  }

  offer(id: number): MarketOffer | undefined {
    return this.offers.find((offer) => offer.id === id);
  }

  /** Decides what will become of rentals of an offer from now on. @throws RangeError for an unknown offer. */
  setFate(offerId: number, fate: Fate): void {
    const offer = this.offer(offerId);
    if (offer === undefined) throw new RangeError(`No offer ${offerId}`);
    offer.fate = fate;
  }

  /** Whether it is listed: `gone` offers are, because nobody knows yet. */
  isRentable(offer: MarketOffer): boolean {
    return !offer.taken && !this.instances().some((instance) => overlaps(instance.offer, offer));
  }

  /** All that exist, oldest first. */
  instances(): StoredInstance[] {
    return [...this.#instances.values()];
  }

  instance(id: number): StoredInstance | undefined {
    return this.#instances.get(id);
  }

  /** Makes an instance; whether that is allowed has been decided before. */
  create(made: NewInstance): StoredInstance {
    this.settle();
    this.#nextInstance += 1;
    const instance = { ...made, id: this.#nextInstance, createdAt: this.now() };
    this.#instances.set(instance.id, instance);
    return instance;
  }

  /** Ends an instance for good and puts its offer back on the market. False where there is none of that id. */
  destroy(id: number): boolean {
    this.settle();
    return this.#instances.delete(id);
  }

  /** Every field of one instance as of now. */
  record(instance: StoredInstance): Record<string, unknown> {
    return instanceRecord(instance, this.now());
  }

  /** Dollars left, after everything up to now has been paid. */
  credit(): number {
    this.settle();
    return this.account.credit;
  }

  /** Charges the account up to now. Where the credit does not suffice it is used up and what runs is stopped. */
  settle(): void {
    const now = this.now();
    const instances = this.instances();
    const cost = instances.reduce(
      (sum, one) => sum + costBetween(one.timeline, this.#settledAt, now, (status) => rateIn(one, status)),
      0,
    );
    this.#settledAt = now;
    this.account.credit = Math.max(0, this.account.credit - cost);
    if (cost > 0 && this.account.credit === 0) for (const instance of instances) this.#stopUnpaid(instance, now);
  }

  #stopUnpaid(instance: StoredInstance, now: number): void {
    if (momentAt(instance.timeline, now).status !== "running") return;
    instance.intended = "stopped";
    instance.held = false;
    const message = "Stopped: the account has no credit left";
    instance.timeline = cutShort(instance.timeline, { at: now, status: "exited", message });
  }
}
