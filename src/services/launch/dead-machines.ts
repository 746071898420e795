// What becomes of machines that died before they ran: asked about, replaced, or left to the person.
import type { InstanceId } from "../../domain/base/id.ts";
import { judgeStartFailure } from "../../domain/instance/start-failure.ts";
import type { LaunchAction } from "../../domain/launch/launch-messages.ts";
import { isLoginLost, type LaunchPlan } from "../../domain/launch/launch-plan.ts";
import type { ReplacementPolicy } from "../../domain/launch/limits.ts";
import type { Clock } from "../../lib/clock.ts";
import type { SessionService, SignedIn } from "../core/session.ts";
import type { InstancesService } from "../instance/instances.ts";
import { createIntent } from "./intent.ts";
import { type LaunchPerson, NOTHING_MORE, type Rental, type Turn } from "./launch-steps.ts";
import type { Proposal, ReplacementService } from "./replacement.ts";

export interface DeadMachineServices {
  readonly session: SessionService;
  readonly instances: InstancesService;
  readonly replacements: ReplacementService;
  readonly replacementPolicy: () => ReplacementPolicy;
  readonly clock: Clock;
}

/** What a launch waits for; no answer while it carries one out. */
interface Answering {
  answer: ((action: LaunchAction) => void) | undefined;
}

export class DeadMachines {
  readonly #services: DeadMachineServices;
  /** What launches ask about them here, by account, which can be answered at their rows as well. */
  readonly #asked = new WeakMap<SignedIn, Map<InstanceId, Answering>>();
  /** Called with the token of the launch that takes the place of a dead instance, before that is destroyed. Nothing is if it throws. */
  readonly onWillReplace: ((dead: InstanceId, token: string, account: SignedIn) => Promise<void>)[] = [];

  constructor(services: DeadMachineServices) {
    this.#services = services;
  }

  /** @returns whether a launch of this account settles it here: then this is its answer, unless it has one. */
  answer(account: SignedIn, dead: InstanceId, action: LaunchAction): boolean {
    const asked = this.#asked.get(account)?.get(dead);
    asked?.answer?.(action);
    return asked !== undefined;
  }

  /** A dead machine may still be billed. It is replaced without asking if the person's settings allow it. */
  async settle(person: LaunchPerson, rental: Rental, dead: InstanceId): Promise<Turn> {
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
    const actions: readonly LaunchAction[] = isImage
      ? [isOfTemplate(rental.plan) ? "edit-template" : "reconfigure", "destroy", "replace"]
      : ["replace", "destroy"];
    return await this.#whileAsked(rental.account, dead, async (asked) => {
      for (;;) {
        const told = person.tell({ kind: "dead", id: dead, status, why, isImage }, actions);
        const action = await this.#findAnswer(asked, rental.account, dead, told);
        if (action === "gone") {
          void person.tell({ kind: "gone", id: dead }, []);
          return NOTHING_MORE;
        }
        if (action === "edit-template" && hash !== undefined) return { next: { kind: action, hash } };
        if (action === "reconfigure") {
          const turn = await this.#reconfigure(person, rental.account, dead);
          if (turn === "declined") continue;
          return turn;
        }
        if (action !== "replace") return { next: action === "destroy" ? { kind: "destroy", id: dead } : undefined };
        const turn = await this.replaceAsked(person, rental, dead);
        // Whoever doesn't like the price may still want to destroy it.
        if (turn !== "declined") return turn;
      }
    });
  }

  async #whileAsked<T>(account: SignedIn, dead: InstanceId, work: (asked: Answering) => Promise<T>): Promise<T> {
    const all = this.#asked.get(account) ?? new Map<InstanceId, Answering>();
    this.#asked.set(account, all);
    const asked: Answering = { answer: undefined };
    all.set(dead, asked);
    return await work(asked).finally(() => all.delete(dead));
  }

  /** @returns `gone` once someone has destroyed it in the meantime. */
  async #findAnswer(
    asked: Answering,
    account: SignedIn,
    dead: InstanceId,
    told: Promise<LaunchAction | undefined>,
  ): Promise<LaunchAction | "gone" | undefined> {
    const { instances, session } = this.#services;
    const elsewhere = Promise.withResolvers<LaunchAction | "gone">();
    asked.answer = elsewhere.resolve;
    const { store } = instances.collection;
    const look = async () => {
      const row = instances.find(dead);
      const isWhole = store.current.state === "ready" && store.current.last.value.complete;
      if (session.current !== account || (row ? !row.gone : !isWhole)) return;
      // Lists lag: it counts as gone only if the service says so for this one instance.
      const isMissing = row?.gone || (await instances.whereabouts.find(account, dead)).kind === "missing";
      if (isMissing) elsewhere.resolve("gone");
    };
    const listening = store.onDidChange(() => void look());
    try {
      return await Promise.race([told, elsewhere.promise]);
    } finally {
      listening.dispose();
      asked.answer = undefined;
    }
  }

  /**
   * The message or the row may be hours old, so the machine is checked again: only a machine that is dead now is
   * destroyed.
   */
  async replaceAsked(person: LaunchPerson, rental: Rental, dead: InstanceId): Promise<Turn | "declined"> {
    const { account, plan: before } = rental;
    const proposed = await this.#services.replacements.propose(account, rental, dead);
    if (proposed.kind === "alive") {
      void person.tell({ kind: "not-dead", id: dead, instance: proposed.instance }, []);
      return NOTHING_MORE;
    }
    if (proposed.kind === "none") {
      const message = { kind: "no-replacement", id: dead, why: proposed.why } as const;
      const action = await person.tell(message, ["destroy", "choose-again"]);
      if (action === "choose-again") return chooseAgain(this.#services.session, rental);
      return { next: action === "destroy" ? { kind: "destroy", id: dead } : undefined };
    }
    const { plan, isNewTemplate, isImageAtFault, isPastEnd, withoutTracking } = proposed;
    const asked = { plan, isNewTemplate, isImageAtFault, isPastEnd, withoutTracking, dead, before };
    const terms = { sandbox: account.sandbox, now: this.#services.clock.now() };
    return (await person.confirm({ kind: "replace", ...asked, ...terms }))
      ? await this.#carryOut(person, rental, proposed)
      : "declined";
  }

  /** The dead machine is destroyed before the launch is opened again: nothing else may be billed beside it. */
  async #reconfigure(person: LaunchPerson, account: SignedIn, dead: InstanceId): Promise<Turn | "declined"> {
    const { replacements } = this.#services;
    if (!(await person.confirm({ kind: "reconfigure", dead }))) return "declined";
    if (!(await this.#isStillDead(person, account, { dead, wasThere: true }))) return NOTHING_MORE;
    await person.wait(() => replacements.destroyDead(account, dead));
    return { next: { kind: "reconfigure" } };
  }

  /** If it isn't, the person is told. */
  async #isStillDead(
    person: LaunchPerson,
    account: SignedIn,
    proposal: Pick<Proposal, "dead" | "wasThere">,
  ): Promise<boolean> {
    const { dead: id } = proposal;
    const now = await this.#services.replacements.recheck(account, proposal);
    if (now.kind === "alive") void person.tell({ kind: "not-dead", id, instance: now.instance }, []);
    if (now.kind === "gone") void person.tell({ kind: "gone", id }, []);
    return now.kind === "dead";
  }

  /** The dead machine is destroyed first. If that isn't confirmed, nothing else is rented, and the error says so. */
  async #carryOut(person: LaunchPerson, rental: Rental, proposal: Proposal): Promise<Turn> {
    const { plan, dead, withoutTracking } = proposal;
    if (!(await this.#isStillDead(person, rental.account, proposal))) return NOTHING_MORE;
    const intent = createIntent();
    for (const note of this.onWillReplace) await note(dead, intent.token, rental.account);
    await this.#services.replacements.destroyDead(rental.account, dead);
    const chain = { ...rental.chain, tries: rental.chain.tries + 1 };
    const own = { plan, intent, chain, withoutTracking, insteadOf: dead, byAgent: undefined };
    return { rental: { ...rental, ...own } };
  }
}

/** Whether what runs is the template's, with its login. */
const isOfTemplate = (plan: LaunchPlan): boolean =>
  plan.template !== undefined &&
  plan.image === undefined &&
  plan.configuration?.image_login === undefined &&
  !isLoginLost(plan);

/** @throws AppError `rejected` in another account: the offers of one mean nothing there. */
export function chooseAgain(session: SessionService, { account }: Rental): Turn {
  session.assertStill(account);
  return { next: { kind: "choose-again" } };
}
