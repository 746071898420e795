// Sets and takes back ends. What a later end replaces is called off if it hasn't left yet, and an instance that ends itself is told first:
// no one may believe in a later end than the one that it keeps.
import type { InstanceId } from "../../../domain/base/id.ts";
import { createRejection } from "../../../domain/base/typed-number.ts";
import {
  type AutoStop,
  type AutoStopWish,
  calculateEndTime,
  type InstanceAutoStop,
  MOST_AUTO_STOPS,
  type SelfStopProof,
  type TimedEnd,
} from "../../../domain/instance/auto-stop.ts";
import { mayRun } from "../../../domain/instance/instance.ts";
import { actsAtEnd, buildUnaskedProof, findSoonest } from "../../../domain/instance/kept-self-stop.ts";
import { isSecondStep } from "../../../domain/instance/second-step.ts";
import type { Clock } from "../../../lib/clock.ts";
import { t } from "../../../lib/text.ts";
import { isOfAccount, toAccountMark } from "../../core/account-mark.ts";
import type { SessionService, SignedIn } from "../../core/session.ts";
import type { InstancesService } from "../instances.ts";
import type { AutoStopAttempts } from "./auto-stop-attempts.ts";
import {
  type AutoStopEntry,
  type AutoStopTarget,
  endsItself,
  findLatestAutoStop,
  isAutoStopFor,
} from "./auto-stop-entry.ts";
import type { AutoStopJournal } from "./auto-stop-journal.ts";
import { AutoStopMoves, type Moved } from "./auto-stop-moves.ts";
import { findEnd, toWantedAutoStop } from "./instance-auto-stop.ts";
import type { SelfStopAccess } from "./self-stop-access.ts";

/**
 * - `late`: the order of the end before may have left already
 * - `changed`: what it was to replace is no longer there; nothing was set
 * - `held`: the instance keeps the end before itself and couldn't be told; nothing was set
 * - `partly`: it was set, but the instance keeps the end before itself, which comes later
 *
 * `isUnsure`: the instance may have taken the new end all the same. `isKnown`: it has shown that it keeps the one before.
 * `isTakenBack`: it was to end itself no more.
 */
export type AutoStopChange =
  | "set"
  | "late"
  | "changed"
  | (KeptSelfStop & {
      readonly kind: "held" | "partly";
      readonly why: string;
      readonly isUnsure: boolean;
      readonly isTakenBack: boolean;
    });

/** An end that an instance may carry out itself. `isKnown`: it has shown that it keeps it. */
interface KeptSelfStop extends TimedEnd {
  readonly isKnown: boolean;
}

interface Parts {
  readonly session: SessionService;
  readonly instances: InstancesService;
  readonly journal: AutoStopJournal;
  readonly ends: AutoStopAttempts;
  readonly clock: Clock;
}

/** An instance that keeps its end itself. */
type OwnTarget = AutoStopTarget & { readonly id: InstanceId };

export class AutoStopChanges {
  readonly #parts: Parts;
  readonly #moves: AutoStopMoves;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#moves = new AutoStopMoves(parts);
  }

  /** Moves the ends that instances keep themselves. */
  keepOnMachines(ends: SelfStopAccess): void {
    this.#moves.selfStopAccess = ends;
  }

  /**
   * Sets the end of an instance, or of what a launch is about to rent, or takes it back. With `instead`, only if that one still holds, or
   * only in place of a later one.
   * @throws AppError `rejected` if the account was left or the end has passed; the disk's error: then nothing has changed.
   */
  async set(
    account: SignedIn,
    target: AutoStopTarget,
    wish: AutoStopWish | undefined,
    instead?: InstanceAutoStop | "later",
  ): Promise<AutoStopChange> {
    const { session, clock, journal } = this.#parts;
    session.assertStill(account);
    const before = await this.#earlier(account, target);
    // It takes the place of one that can't be read, too.
    const unread = target.id === undefined ? 0 : await journal.findHighestCount(target.id);
    session.assertStill(account);
    const isHeld =
      instead === "later" ? this.#isSooner(before, target, wish) : !instead || this.#isStill(before, target, instead);
    if (!isHeld) return "changed";
    if (!wish && before.length === 0 && unread === 0) return "set";
    const now = clock.now();
    const until = wish ? calculateEndTime(wish, now) : null;
    if (until !== null && until <= now) throw createRejection("end", t("That time has passed. Choose a later time."));
    const autoStop: AutoStop = {
      version: wish?.stoppedHours === undefined ? 1 : 2,
      ...target,
      ...toAccountMark(account),
      ...{ until, ending: wish?.ending ?? "remind", at: now },
      count: Math.min(MOST_AUTO_STOPS, Math.max(unread, ...before.map(({ autoStop }) => autoStop.count)) + 1),
      ...(wish?.byItself !== undefined || endsItself(before, target) ? { byItself: true } : {}),
      ...(wish?.stoppedHours === undefined ? {} : { stoppedHours: wish.stoppedHours }),
    };
    return endsItself(before, target) && target.id !== undefined && !this.#isAfterStop(before, target, wish)
      ? await this.#setBoth(account, { ...target, id: target.id }, before, autoStop)
      : (await this.#write(account, target, before, autoStop)).change;
  }

  /** A stopped instance keeps no end, nor does it learn of one: what moves or takes back a second step doesn't ask it. */
  #isAfterStop(before: readonly AutoStopEntry[], target: AutoStopTarget, wish: AutoStopWish | undefined): boolean {
    const last = findLatestAutoStop(before, target);
    if (!last || !isSecondStep(last.autoStop)) return wish?.isSecond === true;
    const row = target.id === undefined ? undefined : this.#parts.instances.find(target.id);
    return !wish || wish.isSecond === true || !row || !mayRun(row.value);
  }

  /** `shown`: what is known by then of the end that the instance keeps itself. @returns the name of its files, too. */
  async #write(
    account: SignedIn,
    target: AutoStopTarget,
    before: readonly AutoStopEntry[],
    autoStop: AutoStop,
    shown?: SelfStopProof,
  ): Promise<{ readonly name: string; readonly change: "set" | "late" }> {
    const { session, journal } = this.#parts;
    session.assertStill(account);
    const name = await journal.write(autoStop, shown);
    const inTime = await this.#callOff(account, target, before, name).catch(() => false);
    return { name, change: inTime ? "set" : "late" };
  }

  /**
   * For an instance that keeps its end itself. The earlier one of two ends is written down first, here or there: whatever happens between,
   * no one is shown a later end than the one that the instance keeps.
   */
  async #setBoth(
    account: SignedIn,
    target: OwnTarget,
    before: readonly AutoStopEntry[],
    autoStop: AutoStop,
  ): Promise<AutoStopChange> {
    const kept = this.#kept(before, target.id);
    if (kept && actsAtEnd(autoStop) && autoStop.until < kept.until)
      return await this.#setSooner(account, target, { before, autoStop, kept });
    const findLast = async () => findLatestAutoStop(await this.#earlier(account, target), target);
    const moved = await this.#moves.moveFirst(account, target.id, autoStop, findLast);
    if (moved.kind === "newer") return "changed";
    if (moved.kind === "failed" && kept) return { ...moved, ...kept, kind: "held", isTakenBack: !actsAtEnd(autoStop) };
    if (moved.kind === "failed") return (await this.#write(account, target, before, autoStop)).change;
    const { name, change } = await this.#write(account, target, before, autoStop, moved.proof);
    return await this.#noteLate(name, target, { moved, change });
  }

  async #setSooner(
    account: SignedIn,
    target: OwnTarget,
    {
      before,
      autoStop,
      kept,
    }: { readonly before: readonly AutoStopEntry[]; readonly autoStop: AutoStop; readonly kept: KeptSelfStop },
  ): Promise<AutoStopChange> {
    const { journal } = this.#parts;
    const { id } = target;
    const last = findLatestAutoStop(before, target);
    const doubt = last && buildUnaskedProof(last.proofs.get(id), toWantedAutoStop(last, id, autoStop.at), autoStop.at);
    const { name, change } = await this.#write(account, target, before, autoStop, doubt);
    const moved = await this.#moves.move(account, id, autoStop);
    if (moved.kind === "newer") return "changed";
    if (moved.kind === "moved") {
      await this.#moves.noteProof(name, id, moved.proof);
      return await this.#noteLate(name, target, { moved, change });
    }
    // What it has shown in the meantime is newer.
    const proof = doubt && ({ ...doubt, doubt: "other" } as const);
    if (proof && kept.isKnown && !moved.isUnsure)
      await journal.noteProofAfter(name, id, { count: 1, proof }).catch(() => undefined);
    return { ...moved, ...kept, kind: "partly", isTakenBack: false };
  }

  /** Whatever the instance answered before an end that came in the meantime, it may be stopped or gone by now. */
  async #noteLate(
    name: string,
    { id }: OwnTarget,
    { moved, change }: { readonly moved: Moved & { readonly kind: "moved" }; readonly change: "set" | "late" },
  ): Promise<"set" | "late"> {
    if (!moved.isLate && change === "set") return "set";
    await this.#moves.noteProof(name, id, { version: 1, at: this.#parts.clock.now(), doubt: "unread" });
    return "late";
  }

  /** The end that the instance may carry out itself, as far as is known. */
  #kept(before: readonly AutoStopEntry[], id: InstanceId): KeptSelfStop | undefined {
    const last = findLatestAutoStop(before, { id });
    if (!last) return undefined;
    const proof = last.proofs.get(id);
    const now = this.#parts.clock.now();
    const kept = findSoonest(proof, toWantedAutoStop(last, id, now), now);
    if (!kept) return undefined;
    const row = this.#parts.instances.find(id);
    // An end that passed while it didn't run is left alone when it runs again, but not when it runs for the first time.
    const hasRun = before.some(({ proofs }) => proofs.has(id) && proofs.get(id)?.doubt !== "unread");
    if (kept.until <= now && hasRun && row && !mayRun(row.value)) return undefined;
    // After an answer that was lost, it may keep the end that was asked for.
    const isKnown =
      !last.doubted.has(id) &&
      proof !== undefined &&
      proof.doubt !== "unread" &&
      (!proof.doubt || proof.until !== undefined);
    return { ...kept, isKnown };
  }

  /** Whether the person was told of this end, and it wasn't carried out since. */
  #isStill(before: readonly AutoStopEntry[], target: AutoStopTarget, told: InstanceAutoStop): boolean {
    const { until, ending, stoppedHours } = told;
    const { id } = target;
    const { autoStop } = findLatestAutoStop(before, target) ?? {};
    // A reminder may be put off after it was shown.
    const isSet = autoStop?.until === until && autoStop.ending === ending;
    if (id === undefined || (isSet && ending === "remind")) return isSet;
    const end = findEnd(before, { id, instance: this.#parts.instances.find(id)?.value, now: this.#parts.clock.now() });
    return end?.until === until && end.ending === ending && end.stoppedHours === stoppedHours;
  }

  /** Than whatever may end the instance, as far as is known: a window, or the instance itself. What would be destroyed isn't kept. */
  #isSooner(before: readonly AutoStopEntry[], target: AutoStopTarget, wish: AutoStopWish | undefined): boolean {
    const { id } = target;
    if (!wish || id === undefined) return false;
    const now = this.#parts.clock.now();
    const end = findEnd(before, { id, instance: this.#parts.instances.find(id)?.value, now });
    if (end?.isDoubted) return false;
    // Of a launch that no window knows yet to have come to be this instance.
    const last = findLatestAutoStop(before, target);
    const launched = last?.ids.has(id) ? undefined : last?.autoStop;
    const until = calculateEndTime(wish, now);
    const isKept = (next: number | undefined) =>
      next === undefined || wish.ending === "destroy" || (wish.stoppedHours ?? Number.POSITIVE_INFINITY) <= next;
    return [end, this.#kept(before, id), launched].every(
      (one) =>
        one === undefined ||
        one.until === null ||
        one.ending === "remind" ||
        (until < one.until &&
          (one.ending !== "destroy" || wish.ending === "destroy") &&
          isKept("stoppedHours" in one ? one.stoppedHours : undefined)),
    );
  }

  /** Reads again: until the new end was written down, a window may have noted an instance of a launch and begun to end it. */
  async #callOff(
    account: SignedIn,
    target: AutoStopTarget,
    before: readonly AutoStopEntry[],
    name: string,
  ): Promise<boolean> {
    const others = (await this.#earlier(account, target)).filter((entry) => entry.name !== name);
    // Of an end that was over before there is nothing left to call off, but one that was carried out just now came too early.
    const cameJustNow = (entry: AutoStopEntry, id: InstanceId) =>
      entry.over.has(id) &&
      entry.autoStop.ending !== "remind" &&
      before.some((one) => one.name === entry.name && !one.over.has(id));
    const { ends } = this.#parts;
    // However long ago that was, nothing is left that another end could be set on.
    const destroyedIt = async (entry: AutoStopEntry, id: InstanceId) =>
      entry.autoStop.ending === "destroy" && (await ends.wasCarriedOut(entry, id));
    const ended = others.flatMap((entry) =>
      (target.id === undefined ? [...entry.ids] : [target.id]).map(
        async (id) => !cameJustNow(entry, id) && !(await destroyedIt(entry, id)) && (await ends.callOff(entry, id)),
      ),
    );
    return (await Promise.all(ended)).every(Boolean);
  }

  async #earlier(account: SignedIn, target: AutoStopTarget): Promise<readonly AutoStopEntry[]> {
    const { journal, clock, ends } = this.#parts;
    const all = await journal.readAllAt(clock, ends);
    return all.filter((entry) => isOfAccount(entry.autoStop, account) && isAutoStopFor(entry, target));
  }
}
