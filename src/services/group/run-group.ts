// Takes a confirmed group from its first request to the moment when it is decided, as long as someone waits for it. What is decided is told
// by the groups themselves, whoever waits.
import { type AppError, asAppError } from "../../domain/base/error.ts";
import type { InstanceId } from "../../domain/base/id.ts";
import { countStates } from "../../domain/group/group-facts.ts";
import type { GroupPlan } from "../../domain/group/group-plan.ts";
import { findDecision } from "../../domain/group/group-record.ts";
import { calculatePlanPrice, type LaunchPlan } from "../../domain/launch/launch-plan.ts";
import type { ReplacementPolicy } from "../../domain/launch/limits.ts";
import type { OfferSearch } from "../../domain/offer/offer-search.ts";
import { tellListener } from "../../lib/event.ts";
import type { Log } from "../../lib/log.ts";
import type { SessionService } from "../core/session.ts";
import { createIntent } from "../launch/intent.ts";
import type { LaunchService } from "../launch/launch.ts";
import type { Proposal, ReplacementService } from "../launch/replacement.ts";
import type { GroupJournal } from "./group-journal.ts";
import type { GroupsService } from "./groups.ts";
import type { ConfirmedGroup, GroupLauncher } from "./launch-group.ts";

/** How far a group is while someone waits for it. */
export interface GroupStage {
  readonly wanted: number;
  /** Ranks that were dealt with: rented, refused, or left out. */
  readonly sent: number;
  readonly ready: number;
}

/** The person who waits for a group. */
export interface GroupPerson {
  /** Shows the progress while `work` runs. The signal fires when the person stops waiting. */
  accompany<T>(
    plan: GroupPlan,
    work: (onStage: (stage: GroupStage) => void, cancelled: AbortSignal) => Promise<T>,
  ): Promise<T>;
  /** A machine that died is replaced, as the settings allow. */
  tellReplacing(id: InstanceId, plan: LaunchPlan): void;
}

interface Parts {
  readonly session: SessionService;
  readonly groups: GroupsService;
  readonly groupJournal: GroupJournal;
  readonly groupLauncher: GroupLauncher;
  readonly launches: LaunchService;
  readonly replacements: ReplacementService;
  readonly replacementPolicy: () => ReplacementPolicy;
  readonly log: Log;
}

interface Waiting extends ConfirmedGroup {
  readonly search: OfferSearch;
  readonly plans: LaunchPlan[];
  /** By rank. */
  readonly tries: number[];
  /** Dead instances that were replaced, or can't be. */
  readonly handled: Set<InstanceId>;
}

export class GroupRunner {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Rents what was confirmed and waits until it is decided, the person stops waiting, or the account is left. Stopping ends no rental.
   * @returns why not all were rented, if that is known.
   * @throws AppError `rejected` if it can't be written down, or was sent before: then nothing was rented.
   */
  async run(
    person: GroupPerson,
    confirmed: ConfirmedGroup & { readonly search: OfferSearch },
  ): Promise<AppError | undefined> {
    const { groups, groupLauncher, replacementPolicy } = this.#parts;
    const { id, plan } = confirmed;
    const handled = new Set<InstanceId>();
    // From before the first request on: a look between the last one and the wait would count a dead machine as lost.
    const isComing = (dead: InstanceId) => replacementPolicy().automatic && !handled.has(dead);
    const end = groups.expectReplacements(id, isComing);
    const accompanied = person.accompany(plan, async (onStage, cancelled) => {
      const say = (sent: number) => {
        const group = groups.find(id);
        const ready = group ? countStates(group, "ready") : 0;
        tellListener(onStage, { wanted: plan.machines.length, sent, ready });
      };
      say(0);
      const launched = await groupLauncher.launch(confirmed, say, cancelled);
      await groups.reread(confirmed.account).catch(() => undefined);
      const plans = [...launched.plans];
      const waiting = { ...confirmed, plans, tries: plans.map(() => 0), handled };
      await this.#wait(person, waiting, () => say(plan.machines.length), cancelled);
      return launched.why;
    });
    return await accompanied.finally(end);
  }

  /** Until it is decided. Machines that die in the meantime are replaced if the person's settings allow that without a question. */
  async #wait(person: GroupPerson, waiting: Waiting, say: () => void, cancelled: AbortSignal): Promise<void> {
    const { groups, log } = this.#parts;
    const { id, handled } = waiting;
    while (!cancelled.aborted && this.#isOpen(waiting)) {
      say();
      const dead = groups.find(id)?.members.find((one) => one.state === "dead" && one.id && !handled.has(one.id));
      if (dead?.id === undefined) await this.#change(cancelled);
      else {
        await this.#replace(person, waiting, dead.rank, dead.id).catch((error) =>
          log.warn(`Instance ${dead.id} of group ${id} wasn't replaced.`, asAppError(error)),
        );
        handled.add(dead.id);
      }
    }
  }

  #isOpen({ account, id }: Waiting): boolean {
    const { groups, session } = this.#parts;
    const group = groups.find(id);
    return session.current === account && group !== undefined && findDecision(group.record) === undefined;
  }

  #change(cancelled: AbortSignal): Promise<void> {
    const { groups, session } = this.#parts;
    return new Promise((resolve) => {
      const end = () => {
        for (const one of listening) one.dispose();
        cancelled.removeEventListener("abort", end);
        resolve();
      };
      const listening = [groups.onDidChange(end), session.onDidChange(end)];
      cancelled.addEventListener("abort", end);
    });
  }

  /** The dead machine is destroyed first, and the launch that takes its rank is written down before it is sent. */
  async #replace(person: GroupPerson, waiting: Waiting, rank: number, dead: InstanceId): Promise<void> {
    const { replacements, replacementPolicy, groups, groupJournal, launches } = this.#parts;
    const { account, id, search, plan, plans, tries } = waiting;
    const [before, first] = [plans[rank], plan.machines[rank]];
    if (!before || !first) return;
    const chain = { price: calculatePlanPrice(first), tries: tries[rank] ?? 0 };
    const proposal = await replacements.proposeByItself(
      account,
      { plan: before, search, chain },
      dead,
      replacementPolicy(),
    );
    // The person may have switched it off while offers were searched.
    if (!proposal || !replacementPolicy().automatic || !isOtherMachine(proposal, waiting, rank)) return;
    if ((await replacements.recheck(account, proposal)).kind !== "dead") return;
    const end = groups.beginSending(id);
    try {
      const intent = createIntent();
      const record = await groupJournal.findOpen(id);
      if (!record) return;
      await groupJournal.addLaunch(record, rank, intent.token);
      tellListener((id) => person.tellReplacing(id, proposal.plan), dead);
      await replacements.destroyDead(account, dead);
      plans[rank] = proposal.plan;
      tries[rank] = chain.tries + 1;
      await launches.rent(account, proposal.plan, intent, {
        withoutTracking: proposal.withoutTracking,
        insteadOf: dead,
        isWanted: () => groupJournal.isOpen(id),
      });
    } finally {
      end();
    }
  }
}

/** A machine that isn't in the group, and a host of its own where they are to differ: an unknown one could be any. */
function isOtherMachine({ plan: { offer } }: Proposal, { plan, plans }: Waiting, rank: number): boolean {
  if (plan.isApart && offer.host_id === undefined) return false;
  return plans.every((other, at) => {
    if (at === rank) return true;
    const isSameHost = other.offer.host_id === offer.host_id;
    return other.offer.machine_id !== offer.machine_id && !(plan.isApart && isSameHost);
  });
}
