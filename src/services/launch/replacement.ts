// Replaces a dead machine: same search, never an offer that was already tried, and within the person's limits. All of
// this is checked before anything is destroyed, and the dead machine is destroyed, by a separate call, before anything
// is rented.
import { AppError } from "../../domain/base/error.ts";
import type { InstanceId } from "../../domain/base/id.ts";
import { type Instance, isDead } from "../../domain/instance/instance.ts";
import { judgeStartFailure } from "../../domain/instance/start-failure.ts";
import { listChangedTerms } from "../../domain/launch/changed-terms.ts";
import { calculatePlanPrice, isLoginLost, type LaunchPlan } from "../../domain/launch/launch-plan.ts";
import type { ReplacementPolicy } from "../../domain/launch/limits.ts";
import type { Offer } from "../../domain/offer/offer.ts";
import type { OfferSearch } from "../../domain/offer/offer-search.ts";
import type { Clock } from "../../lib/clock.ts";
import { t } from "../../lib/text.ts";
import type { AccountKeys } from "../connection/account-keys.ts";
import type { SessionService, SignedIn } from "../core/session.ts";
import type { AutoStopJournal } from "../instance/auto-stops/auto-stop-journal.ts";
import type { IdleJournal } from "../instance/idle/idle-journal.ts";
import type { InstanceActions } from "../instance/instance-actions.ts";
import type { InstanceOrders } from "../instance/instance-orders.ts";
import type { OffersService } from "../offer/offers.ts";
import type { TemplateSaves } from "../template/template-saves.ts";
import { findEndInstead, findIdleInstead } from "./end-instead.ts";
import type { LaunchService } from "./launch.ts";
import { assertKeyForVm } from "./notice-keys.ts";
import type { OfferLimits } from "./offer-limits.ts";

/** The parameters of a rental, for finding a similar one. */
export interface RentalTerms {
  readonly plan: LaunchPlan;
  readonly search: OfferSearch;
}

/** A chain of replacements, counted from the first machine. */
export interface Chain {
  /** Dollars per hour of the first machine, as confirmed. */
  readonly price: number | undefined;
  /** How many replacements were rented so far. */
  readonly tries: number;
}

/** A replacement that the person, or their settings, can agree to. */
export interface Proposal {
  readonly kind: "proposal";
  readonly dead: InstanceId;
  /** Whether the service still had the dead machine when this was proposed. */
  readonly wasThere: boolean;
  readonly plan: LaunchPlan;
  /** The template has changed since the dead machine was rented. The plan contains the current version. */
  readonly isNewTemplate: boolean;
  /** The image is at fault, as far as the service says: another machine has the same. */
  readonly isImageAtFault: boolean;
  /** The end of the dead machine has passed, so the plan has none. */
  readonly isPastEnd: boolean;
  /** This service has no list that would show a lost rental. */
  readonly withoutTracking: boolean;
}

/** What could be rented instead of an instance. */
type Instead =
  | Pick<Proposal, "kind" | "plan" | "isNewTemplate" | "isPastEnd" | "withoutTracking">
  | { readonly kind: "none"; readonly why: "no-offer" | "no-template" };

export type Proposed =
  | Proposal
  /** It isn't dead, or no longer is: there is nothing to replace. */
  | { readonly kind: "alive"; readonly instance: Instance }
  | { readonly kind: "none"; readonly why: "no-offer" | "no-template" };

interface Parts {
  readonly session: SessionService;
  readonly offers: OffersService;
  readonly launches: LaunchService;
  readonly offerLimits: OfferLimits;
  readonly actions: InstanceActions;
  readonly orders: InstanceOrders;
  readonly saves: TemplateSaves;
  readonly accountKeys: AccountKeys;
  readonly autoStopJournal: AutoStopJournal;
  readonly idleJournal: IdleJournal;
  readonly clock: Clock;
}

export class ReplacementService {
  readonly #parts: Parts;
  /** Machines that can't take the place of a dead instance, as others of its group have them. */
  machinesBeside: ((dead: InstanceId) => ReadonlySet<number>) | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * What could be rented instead of a dead machine, of those that are acceptable. This call changes nothing.
   * @throws AppError `rejected` that names the limit it would break, or says why the service can't be asked.
   */
  async propose(
    account: SignedIn,
    found: RentalTerms,
    dead: InstanceId,
    isAcceptable: (offer: Offer) => boolean = () => true,
  ): Promise<Proposed> {
    const now = await this.#parts.actions.reread(account, dead);
    if (now && !isDead(now.value)) return { kind: "alive", instance: now.value };
    const instead = await this.#proposeInstead(account, found, now?.value ?? { id: dead }, isAcceptable);
    if (instead.kind === "none") return instead;
    const isImageAtFault = judgeStartFailure(now?.value.status_msg) === "image";
    return { ...instead, dead, wasThere: now !== undefined, isImageAtFault };
  }

  /** Whatever its state is. */
  async #proposeInstead(
    account: SignedIn,
    found: RentalTerms,
    before: Pick<Instance, "id" | "label">,
    isAcceptable: (offer: Offer) => boolean,
  ): Promise<Instead> {
    const { session, offers, launches, offerLimits, accountKeys, clock } = this.#parts;
    const { autoStopJournal, idleJournal } = this.#parts;
    const beside = this.machinesBeside?.(before.id) ?? new Set<number>();
    const isBeside = ({ machine_id }: Offer) => machine_id !== undefined && beside.has(machine_id);
    const isBlocked = (offer: Offer) => offerLimits.isBlocked(offer) || isBeside(offer) || !isAcceptable(offer);
    const next = await findReplacement(offers, launches.tried, found, isBlocked);
    if (!next) return { kind: "none", why: "no-offer" };
    const latest = await this.#withTemplateNow(account, next);
    if (!latest) return { kind: "none", why: "no-template" };
    const end = await findEndInstead(autoStopJournal, account, before, latest.end);
    const isPastEnd = end !== undefined && "until" in end && end.until <= clock.now();
    const idle = await findIdleInstead(idleJournal, account, before, latest.idle);
    const plan = { ...latest, end: isPastEnd ? undefined : end, idle };
    await assertKeyForVm(accountKeys, account, plan);
    const { withoutTracking } = await launches.mayRent(account, plan, before.id);
    session.assertStill(account);
    return { kind: "proposal", plan, isNewTemplate: latest !== next, isPastEnd, withoutTracking };
  }

  /**
   * The same, if the person's settings allow it without asking. Unknown values aren't allowed. What may rise is the price per hour: the
   * traffic costs no more than was confirmed.
   */
  async proposeByItself(
    account: SignedIn,
    found: RentalTerms & { readonly chain: Chain },
    dead: InstanceId,
    policy: ReplacementPolicy,
  ): Promise<Proposal | undefined> {
    if (!policy.automatic || found.chain.tries >= policy.tries) return undefined;
    // Its image can hardly be had without the login.
    if (isLoginLost(found.plan)) return undefined;
    const proposed = await this.propose(account, found, dead, withTrafficOf(found)).catch(() => undefined);
    if (proposed?.kind !== "proposal") return undefined;
    if (proposed.isImageAtFault || !isAsAgreed(proposed)) return undefined;
    return isWithinPolicy(policy, found.chain, proposed.plan) ? proposed : undefined;
  }

  /**
   * What could be rented without a question for a run whose instance no longer works on it, for at most so much per hour in dollars.
   * @throws AppError `rejected` that names the limit it would break, or says why the service can't be asked.
   */
  async proposeForRun(
    account: SignedIn,
    found: RentalTerms,
    before: Pick<Instance, "id" | "label">,
    most: number,
  ): Promise<LaunchPlan | undefined> {
    if (isLoginLost(found.plan)) return undefined;
    const instead = await this.#proposeInstead(account, found, before, withTrafficOf(found));
    if (instead.kind === "none" || !isAsAgreed(instead)) return undefined;
    return (calculatePlanPrice(instead.plan) ?? Infinity) <= most + 1e-9
      ? { ...instead.plan, mostPerHour: most }
      : undefined;
  }

  /**
   * Checks the dead machine again, right before it is destroyed: the answer to a proposal may come hours later, and another
   * window may have replaced the machine by then.
   */
  async recheck(
    account: SignedIn,
    { dead, wasThere }: Pick<Proposal, "dead" | "wasThere">,
  ): Promise<{ readonly kind: "dead" | "gone" } | { readonly kind: "alive"; readonly instance: Instance }> {
    const now = await this.#parts.actions.reread(account, dead);
    this.#parts.session.assertStill(account);
    if (now && !isDead(now.value)) return { kind: "alive", instance: now.value };
    return { kind: wasThere && !now ? "gone" : "dead" };
  }

  /**
   * Destroys the dead machine. The call is always sent and verified, because a machine that is merely invisible would
   * continue to be billed alongside the new one.
   * @throws AppError `outcome-unknown` if the service doesn't confirm that it is gone. Then nothing may be rented.
   */
  async destroyDead(account: SignedIn, dead: InstanceId): Promise<void> {
    const [end] = await this.#parts.orders.carryOut(account, "destroy", [{ value: { id: dead } }]);
    if (end?.outcome === "done") {
      if (this.#parts.session.current === account) return;
      throw new AppError(
        "rejected",
        t("Instance {0} was destroyed. Then you switched accounts, so no other machine was rented.", dead),
      );
    }
    // The caller reports the error that is thrown.
    if (end) void this.#parts.orders.acknowledge([end]);
    throw new AppError(
      "outcome-unknown",
      t(
        "Instance {0} may still exist and cost money. {1} No other machine was rented.",
        dead,
        end?.reason ?? t("The service hasn't confirmed that the instance was destroyed."),
      ),
    );
  }

  /** The template may have been edited or deleted since the first launch. @returns undefined if it is gone. */
  async #withTemplateNow(account: SignedIn, plan: LaunchPlan): Promise<LaunchPlan | undefined> {
    const { template } = plan;
    if (!template) return plan;
    const row = await this.#parts.saves.find(account, { id: template.id, hash: template.hash_id });
    return row && (row.value.hash_id === template.hash_id ? plan : { ...plan, template: row.value });
  }
}

/**
 * The cheapest offer with the same search and the same GPUs, in the same cluster if it is in an overlay network, excluding offers that were
 * tried, other offers from their hosts, and what the person blocked. A bid is raised to the machine's minimum. Undefined if there is none.
 */
export async function findReplacement(
  offers: Pick<OffersService, "search">,
  tried: ReadonlySet<number>,
  { plan, search }: RentalTerms,
  isBlocked: (offer: Offer) => boolean = () => false,
): Promise<LaunchPlan | undefined> {
  // No other machine has its volume, or the one that was to be made from an offer of its own.
  if (plan.volumeMachine !== undefined || plan.configuration?.volume_info?.create_new === true) return undefined;
  const dead = plan.offer;
  // The few that a person wanted to see may all be those that were tried.
  const { limit: _, ...anywhere } = search;
  const found = await offers.search({ ...anywhere, sort: "price", diskGb: plan.diskGb });
  const offer = found.offers.find(
    (other) =>
      !tried.has(other.id) &&
      !isBlocked(other) &&
      (other.machine_id === undefined || other.machine_id !== dead.machine_id) &&
      other.gpu_name === dead.gpu_name &&
      other.num_gpus === dead.num_gpus &&
      (plan.overlay === undefined || (other.cluster_id !== undefined && other.cluster_id === dead.cluster_id)) &&
      (other.disk_space === undefined || other.disk_space >= plan.diskGb),
  );
  return offer && { ...plan, offer, bid: plan.bid === undefined ? undefined : Math.max(plan.bid, offer.min_bid ?? 0) };
}

/** Traffic that costs no more than was confirmed. */
const withTrafficOf =
  ({ plan: { offer: confirmed } }: RentalTerms) =>
  (offer: Offer): boolean => {
    const { inet_up_cost, inet_down_cost } = confirmed;
    return listChangedTerms({ ...offer, inet_up_cost, inet_down_cost }, offer).length === 0;
  };

/** The person decides if the template changed since they confirmed it, if it was to end by now, or if the rental could get lost. */
const isAsAgreed = ({ isNewTemplate, isPastEnd, withoutTracking }: Exclude<Instead, { kind: "none" }>): boolean =>
  !isNewTemplate && !isPastEnd && !withoutTracking;

/** Whether the policy allows this one without asking. Unknown values aren't allowed. */
export function isWithinPolicy(policy: ReplacementPolicy, chain: Chain, next: LaunchPlan): boolean {
  if (!policy.automatic || chain.tries >= policy.tries) return false;
  return (calculatePlanPrice(next) ?? Infinity) <= (chain.price ?? -Infinity) * (1 + policy.priceRise) + 1e-9;
}
