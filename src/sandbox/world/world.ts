// The sandbox's world: market, templates, account and instances with one clock. It outlives the server in front of it.
import { type Clock, createRunningClock } from "../base/clock.ts";
import { type Dating, moveDates } from "../base/dates.ts";
import { Random } from "../base/random.ts";
import { BidMarket } from "../market/bid-market.ts";
import { smoothFirstTries } from "../market/first-tries.ts";
import type { Machine } from "../market/machine.ts";
import { drawMarket, type Fate, type MarketOffer, overlaps } from "../market/market.ts";
import { type Account, createAccount } from "./account.ts";
import { Bills } from "./bills.ts";
import { EndpointStore } from "./endpoints.ts";
import { calculateRate, type OpenPorts, type StoredInstance, toInstanceRecord } from "./instance.ts";
import { formatInstanceKey, formatKey, formatNotebookToken, type Key, KeyRing, type Permission } from "./keys.ts";
import { followMarket, type Rivals, startInstance, stopInstance, stopUnpaid } from "./lifecycle.ts";
import { OverlayStore } from "./overlays.ts";
import { findNotebookPort } from "./ports.ts";
import { firstSearches, ownTemplates, publicTemplates } from "./template-library.ts";
import { TemplateStore } from "./templates.ts";
import { calculateCost } from "./timeline.ts";
import { VolumeStore } from "./volumes.ts";
import { seedWebhooks, seedWorkergroups } from "./webhooks.ts";

export interface WorldOptions {
  /** The same seed gives the same market, templates and key. Default 1. */
  readonly seed?: number;
  /** How many offers there are; about two hundred if left out. */
  readonly offers?: number | undefined;
  /** Simulated seconds per real second. Default 1; ignored with a `clock`. */
  readonly speed?: number;
  readonly clock?: Clock;
  /** How many times as fast as usual instances start, by the world's own time. Default 1. */
  readonly bootSpeed?: number;
  /** What keys and tokens are derived from, if anyone who knows the seed must not know them. Default: the seed. */
  readonly keySeed?: string;
  /** The account predates the retirement of the older instance list and may still use it. */
  readonly oldAccount?: boolean;
}

type NewInstance = Omit<StoredInstance, "id" | "createdAt" | "bootSpeed">;

export class World {
  readonly seed: number;
  readonly offers: readonly MarketOffer[];
  readonly templates = new TemplateStore();
  readonly account: Account = createAccount();
  readonly keys: KeyRing;
  readonly bids: BidMarket;
  readonly volumes: VolumeStore;
  readonly overlays = new OverlayStore();
  readonly bills = new Bills();
  /** The machine the account rents out. */
  readonly ownMachine: Machine;
  /** Background jobs by machine. New ones replace the old (interface 4.1). */
  readonly jobs = new Map<number, Readonly<Record<string, unknown>>>();
  readonly webhooks: readonly Readonly<Record<string, unknown>>[];
  readonly workergroups: Record<string, unknown>[];
  readonly endpoints: EndpointStore;
  readonly oldAccount: boolean;
  readonly bootSpeed: number;
  /** Seconds that were skipped so far, beside what the clock says. */
  skipped = 0;
  /** Log requests by the token in their address. The oldest are removed first. */
  readonly logs = new Map<string, string>();
  /** Where instances can be logged in to on this computer, by their IDs. */
  readonly openPorts = new Map<number, OpenPorts>();
  /** The account owner's key. */
  readonly apiKey: string;
  readonly #keySeed: number | string;
  readonly #clock: Clock;
  readonly #instances = new Map<number, StoredInstance>();
  /** Offers that others rent for a time, from and until UTC epoch seconds. */
  readonly #away = new Map<number, { readonly from: number; readonly until: number }>();
  #nextInstance = 31_000_000;
  #twice = false;
  #settledAt: number;

  constructor(options: WorldOptions = {}) {
    this.seed = options.seed ?? 1;
    this.#clock = options.clock ?? createRunningClock(options.speed ?? 1);
    this.#settledAt = this.getNow();
    this.offers = drawMarket(this.seed, this.getNow(), options.offers);
    this.#keySeed = options.keySeed ?? this.seed;
    this.apiKey = formatKey(this.#keySeed);
    this.oldAccount = options.oldAccount ?? false;
    this.bootSpeed = options.bootSpeed ?? 1;
    this.keys = new KeyRing(this.#keySeed, this.account.id, this.getNow());
    this.bids = new BidMarket(this.seed, this.getNow());
    const machines = [...new Set(this.offers.map((offer) => offer.machine))];
    const own = machines.at(-1);
    if (own === undefined) throw new RangeError("A market has machines");
    own.hostId = this.account.id;
    this.ownMachine = own;
    smoothFirstTries(this.offers, firstSearches);
    this.volumes = new VolumeStore(this.seed, machines, own, this.getNow());
    for (const content of publicTemplates) this.templates.add(content, { owner: undefined, now: this.getNow() });
    for (const content of ownTemplates) this.templates.add(content, { owner: this.account.id, now: this.getNow() });
    this.webhooks = seedWebhooks(this.account.id, this.getNow());
    this.workergroups = seedWorkergroups(this.seed, this.account.id, this.templates.list(), this.getNow());
    this.endpoints = new EndpointStore(this.seed, this.account.id, this.workergroups);
  }

  /** UTC epoch seconds. */
  getNow(): number {
    return this.#clock.now() + this.skipped;
  }

  #getAhead(): number {
    return this.#clock.ahead() + this.skipped;
  }

  /** Reports the dates of records by their distance from this moment, so that nothing past is in the future. */
  getDating(): Dating {
    const ahead = this.#getAhead();
    return (record) => moveDates(record, ahead);
  }

  /** The world's own time of a date as it is reported, both UTC epoch seconds. */
  readDate(reported: number): number {
    return reported + this.#getAhead();
  }

  reportDate(own: number): number {
    return Math.floor(own - this.#getAhead());
  }

  addKey(key: string, permissions: readonly Permission[]): void {
    this.keys.add(key, permissions, Math.floor(this.getNow()));
  }

  /** What an instance knows as `CONTAINER_API_KEY`. */
  getInstanceKey({ id }: Pick<StoredInstance, "id">): string {
    return formatInstanceKey(this.#keySeed, id);
  }

  /** The key with this text, also an instance's own; undefined if there is none. */
  findKey(text: string): Key | undefined {
    const instance = this.listInstances().find((one) => this.getInstanceKey(one) === text)?.id;
    if (instance === undefined) return this.keys.get(text);
    const permissions = new Set<Permission>(["instance_write"]);
    const name = `instance ${instance}`;
    return { id: instance, name, kind: "other", userId: this.account.id, createdAt: 0, permissions, instance };
  }

  findOffer(id: number): MarketOffer | undefined {
    return this.offers.find((offer) => offer.id === id);
  }

  #requireOffer(id: number): MarketOffer {
    const offer = this.findOffer(id);
    if (offer === undefined) throw new RangeError(`No offer ${id}`);
    return offer;
  }

  /** Sets the fate of future rentals of an offer. @throws RangeError for an unknown offer. */
  setFate(offerId: number, fate: Fate): void {
    this.#requireOffer(offerId).fate = fate;
  }

  /** Sets the fixed price of future rentals of an offer, in dollars per hour without the disk. @throws RangeError for an unknown offer. */
  setPrice(offerId: number, price: number): void {
    this.#requireOffer(offerId).price = price;
  }

  /** Whether it is listed. `gone` offers are, because no one knows yet. */
  isRentable(offer: MarketOffer): boolean {
    return this.#twice || !(offer.taken || this.#isAway(offer, this.getNow()) || this.#heldByOther(offer, undefined));
  }

  #isAway(offer: MarketOffer, time: number): boolean {
    const away = this.#away.get(offer.id);
    return away !== undefined && time >= away.from && time < away.until;
  }

  #heldByOther(offer: MarketOffer, self: StoredInstance | undefined): boolean {
    return this.listInstances().some((one) => one !== self && one.held && overlaps(one.offer, offer));
  }

  readonly #rivals: Rivals = {
    canHold: (instance, time) => {
      if (this.#isAway(instance.offer, time) || this.#heldByOther(instance.offer, instance)) return false;
      return instance.type === "ondemand" || instance.gpuPrice >= (this.bids.getPriceAt(instance.offer, time) ?? 0);
    },
    changes: ({ type, offer }, from, to) => {
      const away = this.#away.get(offer.id);
      const ends = away && away.until > from && away.until <= to ? [away.until] : [];
      return [...ends, ...(type === "bid" ? this.bids.listChanges(offer, from, to) : [])].sort((a, b) => a - b);
    },
  };

  /** Sets what the GPUs of an instance do; undefined lets them work. @throws RangeError for an unknown instance. */
  setGpuLoad(id: number, load: StoredInstance["gpuLoad"]): void {
    const instance = this.#instances.get(id);
    if (instance === undefined) throw new RangeError(`No instance ${id}`);
    instance.gpuLoad = load;
  }

  /** Rents an offer to someone else. Instances that don't hold it must wait. */
  rentAway(offerId: number, until = Number.POSITIVE_INFINITY): void {
    this.#away.set(offerId, { from: this.getNow(), until });
  }

  giveBack(offerId: number): void {
    this.#away.delete(offerId);
  }

  /** Current minimum bid in dollars per hour that holds an offer; null if it takes no bids. */
  calculateBidPrice(offer: MarketOffer): number | null {
    return this.bids.getPriceAt(offer, this.getNow());
  }

  /** Does something as if the resources it takes were still free: how a network repeats a request. */
  repeat<T>(work: () => T): T {
    this.#twice = true;
    try {
      return work();
    } finally {
      this.#twice = false;
    }
  }

  /** Stops an instance. Sometimes someone else rents its GPU ten minutes later. */
  stop(instance: StoredInstance): void {
    const now = this.getNow();
    stopInstance(instance, now);
    if (new Random(`${this.seed}/away/${instance.id}`).drawChance(0.25))
      this.#away.set(instance.offer.id, { from: now + 600, until: now + 1800 });
  }

  /**
   * Whether it starts now; if false, it waits for its GPU and starts automatically later.
   * @throws Refusal 400 `invalid_state` for an instance that never runs again.
   */
  start(instance: StoredInstance): boolean {
    const now = this.getNow();
    const canHold = this.#rivals.canHold(instance, now);
    const starts = startInstance(instance, now, canHold);
    // The instance holds the GPU now, so a later rental by others is canceled.
    if (canHold) this.#away.delete(instance.offer.id);
    return starts;
  }

  /** All existing instances, oldest first. */
  listInstances(): StoredInstance[] {
    return [...this.#instances.values()];
  }

  findInstance(id: number): StoredInstance | undefined {
    return this.#instances.get(id);
  }

  /** Creates an instance. The caller has checked that this is allowed. */
  create(made: NewInstance): StoredInstance {
    this.settle();
    this.#nextInstance += 1;
    const instance = { ...made, id: this.#nextInstance, createdAt: this.getNow(), bootSpeed: this.bootSpeed };
    this.#instances.set(instance.id, instance);
    return instance;
  }

  /** Ends an instance permanently and puts its offer back on the market. False if the ID is unknown. */
  destroy(id: number): boolean {
    this.settle();
    return this.#instances.delete(id);
  }

  /** Every field of one instance as of now, with dates in the world's own time. */
  toRecord(instance: StoredInstance): Record<string, unknown> {
    const open = this.openPorts.get(instance.id);
    const surroundings = { now: this.getNow(), open, notebookToken: this.getNotebookToken(instance) };
    return { ...toInstanceRecord(instance, surroundings), min_bid: this.calculateBidPrice(instance.offer) };
  }

  /** What opens the notebook server of an instance: what its environment says, or its own. Undefined without one. */
  getNotebookToken({ id, configuration }: StoredInstance): string | undefined {
    if (findNotebookPort(configuration) === undefined) return undefined;
    return configuration.env.JUPYTER_TOKEN || formatNotebookToken(this.#keySeed, id);
  }

  /** Dollars left after all charges so far. */
  calculateCredit(): number {
    this.settle();
    return this.account.credit;
  }

  /** Charges the account up to now. If the credit doesn't suffice, it is used up and running instances are stopped. */
  settle(): void {
    const now = this.getNow();
    const instances = this.listInstances();
    const from = this.#settledAt;
    for (const one of instances) followMarket(one, this.#rivals, from, now);
    const cost = instances.reduce(
      (sum, one) => sum + calculateCost(one.timeline, from, now, (status) => calculateRate(one, status)),
      this.volumes.calculateCost(from, now),
    );
    for (const one of instances) this.bills.add(one, from, now);
    this.#settledAt = now;
    this.account.credit = Math.max(0, this.account.credit - cost);
    if (cost > 0 && this.account.credit === 0) for (const instance of instances) stopUnpaid(instance, now);
  }
}
