// Which offers the person's own limits rule out, so that a list can say so before anything is chosen.
import {
  type Commitments,
  type Exceeded,
  findBlocked,
  findExceeded,
  type Limits,
  type Terms,
} from "../../domain/launch/limits.ts";
import type { Offer } from "../../domain/offer/offer.ts";
import type { Clock } from "../../lib/clock.ts";
import type { SignedIn } from "../core/session.ts";
import type { InstancesService } from "../instance/instances.ts";
import { readCommitments } from "./commitments.ts";
import type { LaunchWatch } from "./outcome/launch-watch.ts";

interface Parts {
  readonly instances: InstancesService;
  readonly watch: LaunchWatch;
  readonly limits: () => Limits;
  readonly clock: Clock;
}

type FindExceeded = (terms: Terms) => Exceeded | undefined;

const NOTHING: Commitments = { prices: [] };

export class OfferLimits {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Whether the person blocked the machine of an offer, or its host. */
  isBlocked(offer: Offer): boolean {
    return findBlocked(this.#parts.limits(), offer) !== undefined;
  }

  /**
   * Compares offers with the limits and with what is rented when this is called. It marks a list and decides nothing: a
   * launch compares again. Limits on all rentals together are left to that if the rentals can't be read now.
   */
  async read(account: SignedIn): Promise<FindExceeded> {
    const { totalPerHour, instances, ...each } = this.#parts.limits();
    if (totalPerHour === undefined && instances === undefined) return (terms) => findExceeded(each, terms, NOTHING);
    const held = await this.#readHeld(account);
    const limits = held ? { ...each, totalPerHour, instances } : each;
    return (terms) => findExceeded(limits, terms, held ?? NOTHING);
  }

  async #readHeld(account: SignedIn): Promise<Commitments | undefined> {
    try {
      const listing = await this.#parts.watch.list(account);
      if (!listing.complete) return undefined;
      return await readCommitments(this.#parts, account, { listing, insteadOf: undefined, own: undefined });
    } catch {
      return undefined;
    }
  }
}
