// Sets and takes back ends. What a later end replaces is called off if it hasn't left yet, and an instance that ends itself is told first:
// nobody may believe in a later end than the one that it keeps.
import type { InstanceId } from "../../../domain/base/id.ts";
import { createRejection } from "../../../domain/base/typed-number.ts";
import { mayRun } from "../../../domain/instance/instance.ts";
import { actsAtEnd, doubtUntold, findSoonest } from "../../../domain/instance/kept-end.ts";
import {
  calculateLeaseEnd,
  type EndProof,
  type InstanceEnd,
  type Lease,
  type LeaseWish,
  MOST_LEASES,
  type TimedEnd,
} from "../../../domain/instance/lease.ts";
import type { Clock } from "../../../lib/clock.ts";
import { t } from "../../../lib/text.ts";
import { isOfAccount, toAccountMark } from "../../core/account-mark.ts";
import type { SessionService, SignedIn } from "../../core/session.ts";
import type { InstancesService } from "../instances.ts";
import { findEnd, toWantedLease } from "./instance-end.ts";
import type { LeaseEnds } from "./lease-ends.ts";
import { endsItself, findLatestLease, isLeaseFor, type LeaseEntry, type LeaseTarget } from "./lease-entry.ts";
import type { LeaseJournal } from "./lease-journal.ts";
import { LeaseMoves, type Moved } from "./lease-moves.ts";
import type { MachineEnds } from "./machine-ends.ts";

/**
 * - `late`: the order of the end before may have left already
 * - `changed`: what it was to replace is no longer there; nothing was set
 * - `held`: the instance keeps the end before itself and couldn't be told; nothing was set
 * - `partly`: it was set, but the instance keeps the end before itself, which comes later
 *
 * `isUnsure`: the instance may have taken the new end all the same. `isKnown`: it has shown that it keeps the one before.
 * `isTakenBack`: it was to end itself no more.
 */
export type LeaseChange =
  | "set"
  | "late"
  | "changed"
  | (KeptEnd & {
      readonly kind: "held" | "partly";
      readonly why: string;
      readonly isUnsure: boolean;
      readonly isTakenBack: boolean;
    });

/** An end that an instance may carry out itself. `isKnown`: it has shown that it keeps it. */
interface KeptEnd extends TimedEnd {
  readonly isKnown: boolean;
}

interface Parts {
  readonly session: SessionService;
  readonly instances: InstancesService;
  readonly journal: LeaseJournal;
  readonly ends: LeaseEnds;
  readonly clock: Clock;
}

/** An instance that keeps its end itself. */
type OwnTarget = LeaseTarget & { readonly id: InstanceId };

export class LeaseChanges {
  readonly #parts: Parts;
  readonly #moves: LeaseMoves;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#moves = new LeaseMoves(parts);
  }

  /** Moves the ends that instances keep themselves. */
  keepOnMachines(ends: MachineEnds): void {
    this.#moves.machineEnds = ends;
  }

  /**
   * Sets the end of an instance, or of what a launch is about to rent, or takes it back. With `instead`, only if that one still holds.
   * @throws AppError `rejected` if the account was left or the end has passed; the disk's error: then nothing has changed.
   */
  async set(
    account: SignedIn,
    target: LeaseTarget,
    wish: LeaseWish | undefined,
    instead?: InstanceEnd,
  ): Promise<LeaseChange> {
    const { session, clock, journal } = this.#parts;
    session.assertStill(account);
    const before = await this.#earlier(account, target);
    // It takes the place of one that can't be read, too.
    const unread = target.id === undefined ? 0 : await journal.findHighestCount(target.id);
    session.assertStill(account);
    if (instead && !this.#isStill(before, target, instead)) return "changed";
    if (!wish && before.length === 0 && unread === 0) return "set";
    const now = clock.now();
    const until = wish ? calculateLeaseEnd(wish, now) : null;
    if (until !== null && until <= now) throw createRejection("end", t("That time has passed. Choose a later end."));
    const lease: Lease = {
      version: 1,
      ...target,
      ...toAccountMark(account),
      ...{ until, ending: wish?.ending ?? "remind", at: now },
      count: Math.min(MOST_LEASES, Math.max(unread, ...before.map(({ lease }) => lease.count)) + 1),
      ...(wish?.byItself !== undefined || endsItself(before, target) ? { byItself: true } : {}),
    };
    return endsItself(before, target) && target.id !== undefined
      ? await this.#setBoth(account, { ...target, id: target.id }, before, lease)
      : (await this.#write(account, target, before, lease)).change;
  }

  /** `shown`: what is known by then of the end that the instance keeps itself. @returns the name of its files, too. */
  async #write(
    account: SignedIn,
    target: LeaseTarget,
    before: readonly LeaseEntry[],
    lease: Lease,
    shown?: EndProof,
  ): Promise<{ readonly name: string; readonly change: "set" | "late" }> {
    const { session, journal } = this.#parts;
    session.assertStill(account);
    const name = await journal.write(lease, shown);
    const inTime = await this.#callOff(account, target, before, name).catch(() => false);
    return { name, change: inTime ? "set" : "late" };
  }

  /**
   * For an instance that keeps its end itself. The earlier one of two ends is written down first, here or there: whatever happens between,
   * nobody is shown a later end than the one that the instance keeps.
   */
  async #setBoth(
    account: SignedIn,
    target: OwnTarget,
    before: readonly LeaseEntry[],
    lease: Lease,
  ): Promise<LeaseChange> {
    const kept = this.#kept(before, target.id);
    if (kept && actsAtEnd(lease) && lease.until < kept.until)
      return await this.#setSooner(account, target, { before, lease, kept });
    const findLast = async () => findLatestLease(await this.#earlier(account, target), target);
    const moved = await this.#moves.moveFirst(account, target.id, lease, findLast);
    if (moved.kind === "newer") return "changed";
    if (moved.kind === "failed" && kept) return { ...moved, ...kept, kind: "held", isTakenBack: !actsAtEnd(lease) };
    if (moved.kind === "failed") return (await this.#write(account, target, before, lease)).change;
    const { name, change } = await this.#write(account, target, before, lease, moved.proof);
    return await this.#noteLate(name, target, { moved, change });
  }

  async #setSooner(
    account: SignedIn,
    target: OwnTarget,
    { before, lease, kept }: { readonly before: readonly LeaseEntry[]; readonly lease: Lease; readonly kept: KeptEnd },
  ): Promise<LeaseChange> {
    const { journal } = this.#parts;
    const { id } = target;
    const last = findLatestLease(before, target);
    const doubt = last && doubtUntold(last.proofs.get(id), toWantedLease(last, id, lease.at), lease.at);
    const { name, change } = await this.#write(account, target, before, lease, doubt);
    const moved = await this.#moves.move(account, id, lease);
    if (moved.kind === "newer") return "changed";
    if (moved.kind === "moved") {
      await this.#moves.noteProof(name, id, moved.proof);
      return await this.#noteLate(name, target, { moved, change });
    }
    // What it has shown meanwhile is newer.
    const proof = doubt && ({ ...doubt, doubt: "other" } as const);
    if (proof && kept.isKnown && !moved.isUnsure)
      await journal.noteProofAfter(name, id, { count: 1, proof }).catch(() => undefined);
    return { ...moved, ...kept, kind: "partly", isTakenBack: false };
  }

  /** Whatever the instance answered before an end that came meanwhile, it may be stopped or gone by now. */
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
  #kept(before: readonly LeaseEntry[], id: InstanceId): KeptEnd | undefined {
    const last = findLatestLease(before, { id });
    if (!last) return undefined;
    const proof = last.proofs.get(id);
    const now = this.#parts.clock.now();
    const kept = findSoonest(proof, toWantedLease(last, id, now), now);
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
  #isStill(before: readonly LeaseEntry[], target: LeaseTarget, { until, ending }: InstanceEnd): boolean {
    const { id } = target;
    const { lease } = findLatestLease(before, target) ?? {};
    // A reminder may be put off after it was shown.
    const isSet = lease?.until === until && lease.ending === ending;
    if (id === undefined || (isSet && ending === "remind")) return isSet;
    const end = findEnd(before, { id, instance: this.#parts.instances.find(id)?.value, now: this.#parts.clock.now() });
    return end?.until === until && end.ending === ending;
  }

  /** Reads again: until the new end was written down, a window may have noted an instance of a launch and begun to end it. */
  async #callOff(
    account: SignedIn,
    target: LeaseTarget,
    before: readonly LeaseEntry[],
    name: string,
  ): Promise<boolean> {
    const others = (await this.#earlier(account, target)).filter((entry) => entry.name !== name);
    // Of an end that was over before there is nothing left to call off, but one that was carried out just now came too early.
    const cameJustNow = (entry: LeaseEntry, id: InstanceId) =>
      entry.over.has(id) &&
      entry.lease.ending !== "remind" &&
      before.some((one) => one.name === entry.name && !one.over.has(id));
    const { ends } = this.#parts;
    // However long ago that was, nothing is left that another end could be set on.
    const destroyedIt = async (entry: LeaseEntry, id: InstanceId) =>
      entry.lease.ending === "destroy" && (await ends.wasCarriedOut(entry, id));
    const ended = others.flatMap((entry) =>
      (target.id === undefined ? [...entry.ids] : [target.id]).map(
        async (id) => !cameJustNow(entry, id) && !(await destroyedIt(entry, id)) && (await ends.callOff(entry, id)),
      ),
    );
    return (await Promise.all(ended)).every(Boolean);
  }

  async #earlier(account: SignedIn, target: LeaseTarget): Promise<readonly LeaseEntry[]> {
    const { journal, clock, ends } = this.#parts;
    const all = await journal.allAt(clock, ends);
    return all.filter((entry) => isOfAccount(entry.lease, account) && isLeaseFor(entry, target));
  }
}
