// Another machine in place of one that died: the same search, never an offer that was tried, within the person's limits. All of
// that is checked before anything is destroyed, and the dead one is destroyed, by a call of its own, before anything is rented.
import { AppError } from "../../domain/base/error.ts";
import type { InstanceId } from "../../domain/base/id.ts";
import { type Instance, isDead } from "../../domain/instance/instance.ts";
import { type LaunchPlan, planPrice } from "../../domain/launch/launch-plan.ts";
import type { ReplacementPolicy } from "../../domain/launch/limits.ts";
import type { OfferSearch } from "../../domain/offer/offer-search.ts";
import { t } from "../../lib/text.ts";
import type { SessionService, SignedIn } from "../core/session.ts";
import type { InstanceActions } from "../instance/instance-actions.ts";
import type { InstanceOrders } from "../instance/instance-orders.ts";
import type { OffersService } from "../offer/offers.ts";
import type { TemplateSaves } from "../template/template-saves.ts";
import type { LaunchService } from "./launch.ts";

/** What a rental was found with, so that another like it can be found. */
export interface Found {
  readonly plan: LaunchPlan;
  readonly search: OfferSearch;
}

/** The chain of machines rented in place of one, counted from the first. */
export interface Chain {
  /** Dollars an hour of the first, as it was confirmed. */
  readonly price: number | undefined;
  /** How many were rented in its place so far. */
  readonly tries: number;
}

/** What the person, or their settings, can agree to. */
export interface Proposal {
  readonly kind: "proposal";
  readonly dead: InstanceId;
  readonly plan: LaunchPlan;
  /** The template was changed since the dead one was rented; the plan has it as it is now. */
  readonly isNewTemplate: boolean;
  /** This service has no list by which a lost rental could be found. */
  readonly withoutTracking: boolean;
}

export type Proposed =
  | Proposal
  /** It is not dead (any more): there is nothing to replace. */
  | { readonly kind: "alive"; readonly instance: Instance }
  | { readonly kind: "none"; readonly why: "no-offer" | "no-template" };

interface Parts {
  readonly session: SessionService;
  readonly offers: OffersService;
  readonly launches: LaunchService;
  readonly actions: InstanceActions;
  readonly orders: InstanceOrders;
  readonly saves: TemplateSaves;
}

export class ReplacementService {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * What could be rented in place of a dead machine. Nothing is changed by asking.
   * @throws AppError `rejected` that names the limit it would break, or why the service cannot be asked.
   */
  async propose(account: SignedIn, found: Found, dead: InstanceId): Promise<Proposed> {
    const { session, actions, offers, launches } = this.#parts;
    const now = await actions.reread(account, dead);
    if (now && !isDead(now.value)) return { kind: "alive", instance: now.value };
    const next = await findReplacement(offers, launches.tried, found);
    if (!next) return { kind: "none", why: "no-offer" };
    const plan = await this.#withTemplateNow(next);
    if (!plan) return { kind: "none", why: "no-template" };
    const { withoutTracking } = await launches.mayRent(account, plan, dead);
    session.assertStill(account);
    return { kind: "proposal", dead, plan, isNewTemplate: plan !== next, withoutTracking };
  }

  /** The same, as far as the person's settings let it happen without asking. What is not known is not let through. */
  async proposeByItself(
    account: SignedIn,
    found: Found & { readonly chain: Chain },
    dead: InstanceId,
    policy: ReplacementPolicy,
  ): Promise<Proposal | undefined> {
    if (!policy.automatic || found.chain.tries >= policy.tries) return undefined;
    const proposed = await this.propose(account, found, dead).catch(() => undefined);
    // Another content than the one that was confirmed is for the person to judge, and so is a rental that could get lost.
    if (proposed?.kind !== "proposal" || proposed.isNewTemplate || proposed.withoutTracking) return undefined;
    return isWithinPolicy(policy, found.chain, proposed.plan) ? proposed : undefined;
  }

  /**
   * Destroys the dead machine: the call is always sent and its result read back, because a machine that merely cannot be
   * seen would go on being billed beside the new one.
   * @throws AppError `outcome-unknown` where the service does not confirm that it is gone: then nothing may be rented.
   */
  async destroyDead(account: SignedIn, dead: InstanceId): Promise<void> {
    this.#parts.session.assertStill(account);
    const [end] = await this.#parts.orders.carryOut(account, "destroy", [{ value: { id: dead } }]);
    if (end?.outcome === "done") {
      if (this.#parts.session.current === account) return;
      throw new AppError(
        "rejected",
        t("Instance {0} was destroyed. Then you switched accounts, so no other machine was rented.", dead),
      );
    }
    // Whoever asked hears it from what is thrown.
    if (end) void this.#parts.orders.heard([end]);
    throw new AppError(
      "outcome-unknown",
      t(
        "Instance {0} may still exist and cost money. {1} No other machine was rented.",
        dead,
        end?.reason ?? t("The service doesn't confirm that it's gone."),
      ),
    );
  }

  /** The template may have been edited, or deleted, since the first launch. @returns undefined where it is gone. */
  async #withTemplateNow(plan: LaunchPlan): Promise<LaunchPlan | undefined> {
    const { template } = plan;
    if (!template) return plan;
    const row = await this.#parts.saves.find({ id: template.id, hash: template.hash_id });
    return row && (row.value.hash_id === template.hash_id ? plan : { ...plan, template: row.value });
  }
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

/** Whether the policy allows this one without asking. What is not known is not let through. */
export function isWithinPolicy(policy: ReplacementPolicy, chain: Chain, next: LaunchPlan): boolean {
  const price = planPrice(next);
  if (!policy.automatic || chain.tries >= policy.tries || chain.price === undefined || price === undefined)
    return false;
  return price <= chain.price * (1 + policy.priceRise) + 1e-9;
}
