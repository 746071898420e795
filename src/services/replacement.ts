// Another machine in place of one that died: the same search, never an offer that was tried, on the leash the person set.
import { type LaunchPlan, planPrice } from "../domain/launch-plan.ts";
import type { Leash } from "../domain/limits.ts";
import type { OfferSearch } from "../domain/offer-search.ts";
import type { OffersService } from "./offers.ts";

/** What a rental was found with, so that another like it can be found. */
export interface Found {
  readonly plan: LaunchPlan;
  readonly search: OfferSearch;
}

/**
 * Same search, same GPUs, never an offer that was tried nor the same host under another offer; the cheapest of them.
 * A bid rises to what the machine asks for at least. Undefined where there is none.
 */
export async function findReplacement(
  offers: OffersService,
  tried: ReadonlySet<number>,
  { plan, search }: Found,
): Promise<LaunchPlan | undefined> {
  const dead = plan.offer;
  const found = await offers.search({ ...search, sort: "price", diskGb: plan.diskGb });
  const offer = found.offers.find(
    (other) =>
      !tried.has(other.id) &&
      (other.machine_id === undefined || other.machine_id !== dead.machine_id) &&
      other.gpu_name === dead.gpu_name &&
      other.num_gpus === dead.num_gpus &&
      (other.disk_space === undefined || other.disk_space >= plan.diskGb),
  );
  return offer && { ...plan, offer, bid: plan.bid === undefined ? undefined : Math.max(plan.bid, offer.min_bid ?? 0) };
}

/** The chain of machines rented in place of one, counted from the first. */
export interface Chain {
  /** Dollars an hour of the first, as it was confirmed. */
  readonly price: number | undefined;
  /** How many were rented in its place so far. */
  readonly tries: number;
}

/** Whether the leash lets this one be rented without asking. What is not known is not let through. */
export function onLeash(leash: Leash, chain: Chain, next: LaunchPlan): boolean {
  const price = planPrice(next);
  if (!leash.automatic || chain.tries >= leash.tries || chain.price === undefined || price === undefined) return false;
  return price <= chain.price * (1 + leash.priceRise) + 1e-9;
}
