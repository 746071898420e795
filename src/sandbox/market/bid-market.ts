// The changing price of interruptible machines: mostly calm, with seeded surges in which someone bids more.

import { Random, round } from "../base/random.ts";
import type { MarketOffer } from "./market.ts";

const SLOT = 3600;
/** The share of hours in which someone else wants the machine badly. */
const SURGES = 0.3;

interface Surge {
  /** UTC epoch seconds. */
  readonly from: number;
  readonly until: number;
  readonly factor: number;
}

export class BidMarket {
  readonly #seed: number;
  readonly #bornAt: number;
  /** Prices set manually, by offer; dollars per hour. */
  readonly #fixed = new Map<number, { readonly from: number; readonly price: number }[]>();

  /** `bornAt` is UTC epoch seconds. The first half hour of a world is calm, so that a first bid isn't lost at once. */
  constructor(seed: number, bornAt: number) {
    this.#seed = seed;
    this.#bornAt = bornAt;
  }

  #surge(offer: MarketOffer, slot: number): Surge | undefined {
    const random = new Random(`${this.#seed}/bid/${offer.id}/${slot}`);
    if (slot < 0 || !random.drawChance(SURGES)) return undefined;
    const from = this.#bornAt + slot * SLOT + random.drawBetween(1800, 2700);
    return { from, until: from + random.drawBetween(200, 800), factor: random.drawBetween(1.1, 2.4) };
  }

  #slotAt(time: number): number {
    return Math.floor((time - this.#bornAt) / SLOT);
  }

  /** Minimum bid that holds the machine at a time, dollars per hour; null if it takes no bids. */
  getPriceAt(offer: MarketOffer, time: number): number | null {
    if (offer.minBid === null) return null;
    const fixed = this.#fixed.get(offer.id)?.findLast((one) => one.from <= time);
    if (fixed) return fixed.price;
    const surge = this.#surge(offer, this.#slotAt(time));
    const high = surge !== undefined && time >= surge.from && time < surge.until;
    return high ? round(offer.minBid * surge.factor, 4) : offer.minBid;
  }

  /** Fixes the price from `from` (UTC epoch seconds) on. */
  fix(offer: MarketOffer, price: number, from: number): void {
    this.#fixed.set(offer.id, [...(this.#fixed.get(offer.id) ?? []), { from, price }]);
  }

  /** Every time after `from` and up to `to` at which the price may change, in order. */
  listChanges(offer: MarketOffer, from: number, to: number): number[] {
    const times = (this.#fixed.get(offer.id) ?? []).map((one) => one.from);
    for (let slot = this.#slotAt(from); slot <= this.#slotAt(to); slot += 1) {
      const surge = this.#surge(offer, slot);
      if (surge) times.push(surge.from, surge.until);
    }
    return times.filter((time) => time > from && time <= to).sort((a, b) => a - b);
  }
}
