// Takes a confirmed launch from its one request to a running instance: reports the outcome and replaces machines that
// die.
import { AppError } from "../../domain/base/error.ts";
import type { InstanceId, TemplateHash } from "../../domain/base/id.ts";
import { getCurrentPrice, hasSsh, type Instance, type SshState } from "../../domain/instance/instance.ts";
import { judgeStartFailure } from "../../domain/instance/start-failure.ts";
import type {
  LaunchAction,
  LaunchMessage,
  LaunchQuestion,
  LaunchStage,
  ShownInstance,
} from "../../domain/launch/launch-messages.ts";
import type { LaunchPlan } from "../../domain/launch/launch-plan.ts";
import type { ReplacementPolicy } from "../../domain/launch/limits.ts";
import { tellListener } from "../../lib/event.ts";
import type { ReadinessService } from "../connection/readiness.ts";
import type { SessionService, SignedIn } from "../core/session.ts";
import type { InstanceOrders } from "../instance/instance-orders.ts";
import type { InstancesService } from "../instance/instances.ts";
import { createIntent, type Intent } from "./intent.ts";
import type { LaunchService } from "./launch.ts";
import type { Outcome } from "./outcome/launch-outcome.ts";
import type { Chain, Proposal, RentalTerms, ReplacementService } from "./replacement.ts";
import { type LaunchEnd, waitUntilReady } from "./wait-until-ready.ts";

/** The person who launches. The extension asks with modals and notifications; a test answers from a list. */
export interface LaunchPerson {
  confirm(question: LaunchQuestion): Promise<boolean>;
  /** @returns the option the person chose; undefined if they chose none. */
  tell(message: LaunchMessage, actions: readonly LaunchAction[]): Promise<LaunchAction | undefined>;
  /** Shows that instances are being changed while `work` runs. */
  wait<T>(work: () => Promise<T>): Promise<T>;
  /** Shows the progress of the launch while `work` runs. The signal fires when the person stops waiting. */
  accompany<T>(
    plan: LaunchPlan,
    work: (onStage: (stage: LaunchStage) => void, cancelled: AbortSignal) => Promise<T>,
  ): Promise<T>;
}

export interface Rental extends RentalTerms {
  /** The account that showed the confirmed summary. None of this ever happens in another account. */
  readonly account: SignedIn;
  /** The replacements rented so far. */
  readonly chain: Chain;
  /** The person agreed that a lost rental couldn't be found here. */
  readonly withoutTracking: boolean;
  readonly intent: Intent;
  /** The dead machine that was destroyed for this one. */
  readonly insteadOf?: InstanceId;
}

/** What the person wants next, once the launch is over. */
export type NextStep =
  | { readonly kind: "connect" | "show"; readonly id: InstanceId }
  | { readonly kind: "review"; readonly token: string }
  | { readonly kind: "choose-again" }
  | { readonly kind: "edit-template"; readonly hash: TemplateHash }
  | { readonly kind: "destroy"; readonly id: InstanceId };

/** Either what the person wants next, or the rental that replaces a dead machine. */
type Turn = { readonly next: NextStep | undefined } | { readonly rental: Rental };

interface Services {
  readonly session: SessionService;
  readonly instances: InstancesService;
  readonly orders: InstanceOrders;
  readonly readiness: ReadinessService;
  readonly launches: LaunchService;
  readonly replacements: ReplacementService;
  readonly replacementPolicy: () => ReplacementPolicy;
}

const NOTHING_MORE: Turn = { next: undefined };

export class LaunchRunner {
  readonly #services: Services;
  /** Called with the token of the launch that takes the place of a dead instance, before that is destroyed. Nothing is if it throws. */
  onWillReplace: ((dead: InstanceId, token: string) => Promise<void>) | undefined;

  constructor(services: Services) {
    this.#services = services;
  }

  /**
   * Rents what was confirmed and waits until it runs or the person leaves. Replaces machines that die in the meantime,
   * if the person or their settings agree. Leaving never ends a rental.
   */
  async run(person: LaunchPerson, confirmed: Rental): Promise<NextStep | undefined> {
    let rental = confirmed;
    for (;;) {
      const turn = await this.#launch(person, rental);
      if ("next" in turn) return turn.next;
      rental = turn.rental;
    }
  }

  /** Replaces a machine that its row shows as dead, and continues with the replacement. */
  async replace(person: LaunchPerson, rental: Rental, dead: InstanceId): Promise<NextStep | undefined> {
    const turn = await this.#replaceAsked(person, rental, dead);
    return "next" in turn ? turn.next : await this.run(person, turn.rental);
  }

  async #launch(person: LaunchPerson, rental: Rental): Promise<Turn> {
    const { outcome, id, end } = await person.accompany(rental.plan, (onStage, cancelled) =>
      this.#rent(rental, (stage) => tellListener(onStage, stage), cancelled),
    );
    if (outcome.kind === "not-rented") return await this.#tellNotRented(person, rental, outcome);
    if (outcome.kind === "unknown") return await this.#tellUnknown(person, rental, outcome);
    return id === undefined || end === undefined ? NOTHING_MORE : await this.#conclude(person, rental, id, end);
  }

  async #rent(
    rental: Rental,
    onStage: (stage: LaunchStage) => void,
    cancelled: AbortSignal,
  ): Promise<{ outcome: Outcome; id?: InstanceId; end?: LaunchEnd | "left" }> {
    const { account, plan, intent, withoutTracking, insteadOf } = rental;
    onStage("sending");
    const options = { withoutTracking, insteadOf, signal: cancelled };
    const outcome = await this.#services.launches.rent(account, plan, intent, options);
    const id = outcome.kind === "rented" ? outcome.ids[0] : undefined;
    if (id === undefined) return { outcome };
    onStage({ id, instance: undefined, ssh: undefined });
    const onInstance = (instance: Instance, ssh?: SshState) => onStage({ id, instance, ssh });
    const end = await waitUntilReady(this.#services, account, id, onInstance, cancelled).catch(leftOnly);
    return { outcome, id, end };
  }

  async #conclude(person: LaunchPerson, rental: Rental, id: InstanceId, end: LaunchEnd | "left"): Promise<Turn> {
    switch (end) {
      case "running":
      case "silent": {
        const actions: readonly LaunchAction[] = this.#hasSsh(id) ? ["connect", "show"] : ["show"];
        const action = await person.tell({ kind: end, id, row: this.#shown(id), plan: rental.plan }, actions);
        return { next: action === "connect" || action === "show" ? { kind: action, id } : undefined };
      }
      case "left":
        if (this.#services.session.current !== rental.account)
          return await this.#conclude(person, rental, id, "signed-out");
        return await this.#askAboutRented(person, rental, id);
      case "dead":
        return await this.#replaceDead(person, rental, id);
      case "stopped":
        return { next: await this.#tellStopped(person, rental, id) };
      case "gone":
        void person.tell({ kind: "gone", id }, []);
        return NOTHING_MORE;
      case "signed-out":
        void person.tell({ kind: "left-account", id, plan: rental.plan }, []);
        return NOTHING_MORE;
    }
  }

  async #tellStopped(person: LaunchPerson, { plan }: Rental, id: InstanceId): Promise<NextStep | undefined> {
    const isMeant = plan.configuration?.target_state === "stopped";
    const action = await person.tell({ kind: "stopped", id, isMeant }, ["show"]);
    return action === "show" ? { kind: action, id } : undefined;
  }

  /** Unless it is known that it has none. */
  #hasSsh(id: InstanceId): boolean {
    return hasSsh(this.#services.instances.find(id)?.value ?? { image_runtype: undefined });
  }

  #shown(id: InstanceId): ShownInstance | undefined {
    const row = this.#services.instances.find(id);
    return row && { price: getCurrentPrice(row) };
  }

  /** A person who stops waiting may want to destroy the machine. It is rented and billed by now, so they are asked. */
  async #askAboutRented(person: LaunchPerson, rental: Rental, id: InstanceId): Promise<Turn> {
    const { orders } = this.#services;
    const { plan, account } = rental;
    if (await person.confirm({ kind: "destroy-rented", id, row: this.#shown(id), plan })) {
      const ends = await person.wait(() => orders.carryOut(account, "destroy", [{ value: { id } }]));
      if (ends.some(({ outcome }) => outcome !== "done"))
        void person.tell({ kind: "not-destroyed", ends }, []).then(() => orders.acknowledge(ends));
      return NOTHING_MORE;
    }
    const end = await waitUntilReady(this.#services, account, id, () => {});
    return await this.#conclude(person, rental, id, end);
  }

  async #tellNotRented(
    person: LaunchPerson,
    rental: Rental,
    { error, proven }: Outcome & { kind: "not-rented" },
  ): Promise<Turn> {
    if (proven && error.kind === "cancelled") {
      void person.tell({ kind: "cancelled" }, []);
      return NOTHING_MORE;
    }
    // Another offer doesn't help an account without credit.
    const actions: readonly LaunchAction[] = error.kind === "no-credit" ? [] : ["choose-again"];
    if ((await person.tell({ kind: "not-rented", error, proven }, actions)) === undefined) return NOTHING_MORE;
    return this.#chooseAgain(rental);
  }

  async #tellUnknown(
    person: LaunchPerson,
    { account, withoutTracking }: Rental,
    { error, token }: Outcome & { kind: "unknown" },
  ): Promise<Turn> {
    const message = { kind: "unknown", reason: error.message, token, tracked: !withoutTracking } as const;
    if ((await person.tell(message, ["review"])) === undefined) return NOTHING_MORE;
    this.#services.session.assertStill(account);
    return { next: { kind: "review", token } };
  }

  #chooseAgain({ account }: Rental): Turn {
    this.#services.session.assertStill(account);
    return { next: { kind: "choose-again" } };
  }

  /** A dead machine may still be billed. It is replaced without asking if the person's settings allow it. */
  async #replaceDead(person: LaunchPerson, rental: Rental, dead: InstanceId): Promise<Turn> {
    const { replacements, instances, replacementPolicy } = this.#services;
    const proposal = await replacements.proposeByItself(rental.account, rental, dead, replacementPolicy());
    // The person may have switched it off while offers were searched.
    if (proposal && replacementPolicy().automatic) {
      void person.tell({ kind: "replacing", id: dead, plan: proposal.plan }, []);
      return await this.#carryOut(person, rental, proposal);
    }
    const { actual_status: status = "", status_msg: why = "" } = instances.find(dead)?.value ?? {};
    const isImage = judgeStartFailure(why) === "image";
    const hash = rental.plan.template?.hash_id;
    const edits = isImage && hash !== undefined;
    const actions: readonly LaunchAction[] = [...(edits ? (["edit-template"] as const) : []), "replace", "destroy"];
    const action = await person.tell({ kind: "dead", id: dead, status, why, isImage }, actions);
    if (action === "edit-template" && hash !== undefined) return { next: { kind: action, hash } };
    if (action === "replace") return await this.#replaceAsked(person, rental, dead);
    return { next: action === "destroy" ? { kind: "destroy", id: dead } : undefined };
  }

  /**
   * The message or the row may be hours old, so the machine is checked again: only a machine that is dead now is
   * destroyed.
   */
  async #replaceAsked(person: LaunchPerson, rental: Rental, dead: InstanceId): Promise<Turn> {
    const { account, plan: before } = rental;
    const proposed = await this.#services.replacements.propose(account, rental, dead);
    if (proposed.kind === "alive") {
      void person.tell({ kind: "not-dead", id: dead, instance: proposed.instance }, []);
      return NOTHING_MORE;
    }
    if (proposed.kind === "none") {
      const message = { kind: "no-replacement", id: dead, why: proposed.why } as const;
      const action = await person.tell(message, ["destroy", "choose-again"]);
      if (action === "choose-again") return this.#chooseAgain(rental);
      return { next: action === "destroy" ? { kind: "destroy", id: dead } : undefined };
    }
    const { plan, isNewTemplate, withoutTracking } = proposed;
    const asked = { plan, isNewTemplate, withoutTracking, dead, before, sandbox: account.sandbox };
    return (await person.confirm({ kind: "replace", ...asked }))
      ? await this.#carryOut(person, rental, proposed)
      : NOTHING_MORE;
  }

  /** The dead machine is destroyed first. If that isn't confirmed, nothing else is rented, and the error says so. */
  async #carryOut(person: LaunchPerson, rental: Rental, proposal: Proposal): Promise<Turn> {
    const { plan, dead, withoutTracking } = proposal;
    const now = await this.#services.replacements.recheck(rental.account, proposal);
    if (now.kind !== "dead") {
      const isAlive = now.kind === "alive";
      void person.tell(
        isAlive ? { kind: "not-dead", id: dead, instance: now.instance } : { kind: "gone", id: dead },
        [],
      );
      return NOTHING_MORE;
    }
    const intent = createIntent();
    await this.onWillReplace?.(dead, intent.token);
    await this.#services.replacements.destroyDead(rental.account, dead);
    const chain = { ...rental.chain, tries: rental.chain.tries + 1 };
    return { rental: { ...rental, plan, intent, chain, withoutTracking, insteadOf: dead } };
  }
}

/** Cancelling is the only way to leave the wait. Any other error is rethrown. */
function leftOnly(error: unknown): "left" {
  if (error instanceof AppError && error.kind === "cancelled") return "left";
  throw error;
}
