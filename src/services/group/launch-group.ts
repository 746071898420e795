// Renting a group: ordinary launches, one after the other, under one mark. There is no other way to rent.
import { AppError, asAppError } from "../../domain/base/error.ts";
import { findSpare } from "../../domain/group/choose-machines.ts";
import type { GroupPlan } from "../../domain/group/group-plan.ts";
import { fixEndTime } from "../../domain/instance/auto-stop.ts";
import { type LaunchPlan, readLaunchAccess } from "../../domain/launch/launch-plan.ts";
import type { Offer } from "../../domain/offer/offer.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Log } from "../../lib/log.ts";
import { t } from "../../lib/text.ts";
import { toAccountMark } from "../core/account-mark.ts";
import type { Liveness } from "../core/heartbeat.ts";
import type { SessionService, SignedIn } from "../core/session.ts";
import { createIntent, type Intent } from "../launch/intent.ts";
import type { LaunchService } from "../launch/launch.ts";
import { createAlreadySentError } from "../launch/launch-journal.ts";
import type { Outcome } from "../launch/outcome/launch-outcome.ts";
import { isAboutOffer } from "../launch/recheck-plan.ts";
import type { GroupJournal } from "./group-journal.ts";
import type { GroupsService } from "./groups.ts";
import type { OverlaysService } from "./overlays.ts";

/** A group whose summary was confirmed, in the account that showed it. */
export interface ConfirmedGroup {
  readonly account: SignedIn;
  readonly plan: GroupPlan;
  /** `grp-` and 16 characters, made when the summary opened: a second confirmation rents nothing. */
  readonly id: string;
  readonly withoutTracking: boolean;
}

/** What the launches of a group came to, by rank. */
interface GroupLaunched {
  /** What was rented in place of what was confirmed, or the same. */
  readonly plans: readonly LaunchPlan[];
  readonly outcomes: readonly (Outcome | undefined)[];
  /** Why not all of them were rented: what stopped the others, or else the first that failed. */
  readonly why: AppError | undefined;
}

interface Parts {
  readonly session: SessionService;
  readonly launches: LaunchService;
  readonly groups: GroupsService;
  readonly groupJournal: GroupJournal;
  readonly overlays: OverlaysService;
  readonly clock: Clock;
  readonly liveness: Liveness;
  readonly log: Log;
}

interface Sending extends ConfirmedGroup {
  readonly signal: AbortSignal;
  readonly plans: LaunchPlan[];
  readonly outcomes: (Outcome | undefined)[];
}

export class GroupLauncher {
  readonly #parts: Parts;
  readonly #used = new Set<string>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Rents what was confirmed, at most one machine a rank. `onSent` is called with the number of ranks that were dealt with. The signal ends
   * it before the next request.
   * @throws AppError if it was sent before, can't be written down, exceeds a limit by now, or its network can't be created: then nothing was
   * rented.
   */
  async launch(
    confirmed: ConfirmedGroup,
    onSent: (count: number) => void,
    signal: AbortSignal,
  ): Promise<GroupLaunched> {
    const { groups, groupJournal, launches, session, log } = this.#parts;
    const { id, account } = confirmed;
    session.assertStill(account);
    if (this.#used.has(id)) throw createAlreadySentError();
    this.#used.add(id);
    const end = groups.beginSending(id);
    try {
      const now = this.#parts.clock.now();
      const plans = confirmed.plan.machines.map((plan) => withSameEnd(plan, now));
      // The question may have been open for hours: a part of the group that the limits allow is worth nothing.
      await launches.mayRentTogether(account, plans);
      await this.#ensureOverlay(confirmed);
      const intents = plans.map(() => createIntent());
      await this.#prepare(confirmed, intents);
      const sending = { ...confirmed, plans, outcomes: plans.map(() => undefined), signal };
      const stoppedBy = await this.#sendAll(sending, intents, onSent);
      const why = stoppedBy ?? firstReason(sending.outcomes);
      if (why) groups.noteReason(id, why);
      await groupJournal.note(id, "sent").catch((error) => log.warn("A group's note failed.", error));
      return { plans, outcomes: sending.outcomes, why };
    } finally {
      end();
    }
  }

  /** Before anything is rented: machines can only be created into a network that is there. */
  async #ensureOverlay({ account, plan: { overlay } }: ConfirmedGroup): Promise<void> {
    if (!overlay) return;
    await this.#parts.overlays.ensure(account, overlay).catch((thrown) => {
      const { kind, message, facts } = asAppError(thrown);
      throw new AppError(kind, t("The overlay network isn't available, so nothing was rented. {0}", message), facts);
    });
  }

  async #prepare({ account, plan, id }: ConfirmedGroup, intents: readonly Intent[]): Promise<void> {
    const { groupJournal, clock, liveness } = this.#parts;
    const { least, rest, minutes } = plan.policy;
    const at = clock.now();
    await groupJournal.prepare(id, {
      version: 1,
      ...toAccountMark(account),
      name: plan.name,
      ...(plan.machines.some((one) => readLaunchAccess(one).isVm) ? { isVm: true } : {}),
      tokens: intents.map(({ token }) => token),
      ...{ least, rest, at, deadline: at + minutes * 60_000, owner: liveness.id },
    });
  }

  /** @returns why it stopped before all were sent. */
  async #sendAll(
    sending: Sending,
    intents: readonly Intent[],
    onSent: (count: number) => void,
  ): Promise<AppError | undefined> {
    for (const [rank, intent] of intents.entries()) {
      const outcome = await this.#send(sending, rank, intent).catch(
        (thrown): Outcome => ({ kind: "not-rented", proven: true, error: asAppError(thrown) }),
      );
      sending.outcomes[rank] = outcome;
      onSent(rank + 1);
      if (outcome.kind === "not-rented" && stopsAll(outcome, sending.signal)) return outcome.error;
    }
    return undefined;
  }

  /** One rank. Where an offer is proven to be gone before anything was sent, another one takes its place. */
  async #send(sending: Sending, rank: number, first: Intent): Promise<Outcome> {
    const { launches, groupJournal } = this.#parts;
    const { account, id, plan, plans, signal, withoutTracking } = sending;
    // What the person destroys in the meantime isn't rented any further; nor is what another window has decided because this one was
    // silent for long: it may be destroying it.
    const isWanted = () => groupJournal.isOpen(id);
    let intent = first;
    const given = new Set<number>();
    for (;;) {
      const current = plans[rank] as LaunchPlan;
      const outcome = await launches.rent(account, current, intent, { withoutTracking, signal, isWanted });
      if (outcome.kind !== "not-rented" || !outcome.proven || !isAboutOffer(outcome.error)) return outcome;
      given.add(current.offer.id);
      const spares = plan.spares.filter((offer) => !given.has(offer.id) && !launches.tried.has(offer.id));
      const spare = findSpare(spares, plan.machines[rank] as LaunchPlan, usedBy(sending, rank), plan);
      const record = spare && (await groupJournal.findOpen(id));
      if (!spare || !record) return outcome;
      intent = createIntent();
      await groupJournal.addLaunch(record, rank, intent.token);
      plans[rank] = { ...current, offer: spare };
    }
  }
}

/** The offers of all other ranks: those that were rented, or are still to be. */
function usedBy({ plans, outcomes }: Sending, rank: number): readonly Offer[] {
  return plans.filter((_, other) => other !== rank && outcomes[other]?.kind !== "not-rented").map(({ offer }) => offer);
}

/** Answers that the next request would get as well. */
const FOR_ALL: ReadonlySet<string> = new Set(["no-credit", "key-refused", "not-allowed", "signed-out"]);

/** Whether the next request would meet the same: an account without credit, a limit, a service that can't be reached, a switch of accounts. */
function stopsAll({ error, proven }: Outcome & { kind: "not-rented" }, signal: AbortSignal): boolean {
  if (signal.aborted || FOR_ALL.has(error.kind)) return true;
  return proven && !isAboutOffer(error);
}

function firstReason(outcomes: readonly (Outcome | undefined)[]): AppError | undefined {
  for (const outcome of outcomes) if (outcome && outcome.kind !== "rented") return outcome.error;
  return undefined;
}

/** All machines of a group are to end at the same moment. */
const withSameEnd = (plan: LaunchPlan, now: number): LaunchPlan =>
  plan.end ? { ...plan, end: fixEndTime(plan.end, now) } : plan;
