// Sets and takes back ends. What a later end replaces is called off if it hasn't left yet, and an instance that ends itself is told first:
// nobody may believe in a later end than the one that it keeps.
import { asAppError } from "../../domain/base/error.ts";
import type { InstanceId } from "../../domain/base/id.ts";
import { refusal } from "../../domain/base/typed-number.ts";
import { mayRun } from "../../domain/instance/instance.ts";
import {
  type EndProof,
  type InstanceEnd,
  type Lease,
  type LeaseWish,
  leaseEnd,
  MOST_LEASES,
} from "../../domain/instance/lease.ts";
import { type EndOrder, isLater, judgeEnd, keepsEnd, type SelfEnding } from "../../domain/instance/self-end.ts";
import type { Clock } from "../../lib/clock.ts";
import { t } from "../../lib/text.ts";
import type { SessionService, SignedIn } from "../core/session.ts";
import { findEnd, wantedLease } from "./instance-end.ts";
import type { InstancesService } from "./instances.ts";
import type { LeaseEnds } from "./lease-ends.ts";
import {
  endsItself,
  isLeaseFor,
  isLeaseOf,
  type LeaseEntry,
  type LeaseJournal,
  type LeaseTarget,
  latestOf,
} from "./lease-journal.ts";
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

/** An end that an instance may carry out itself. */
interface OwnEnd extends Pick<EndProof, "ending"> {
  readonly until: number;
}

/** `isKnown`: it has shown that it keeps it. */
interface KeptEnd extends OwnEnd {
  readonly isKnown: boolean;
}

/** What became of the end that an instance keeps itself. `newer`: one that was set later is there. */
type Moved =
  | { readonly kind: "moved"; readonly proof: EndProof; readonly isLate: boolean }
  | { readonly kind: "newer" }
  /** `isUnsure`: it may have been moved all the same. */
  | { readonly kind: "failed"; readonly why: string; readonly isUnsure: boolean };

interface Parts {
  readonly session: SessionService;
  readonly instances: InstancesService;
  readonly journal: LeaseJournal;
  readonly ends: LeaseEnds;
  readonly clock: Clock;
}

export class LeaseChanges {
  readonly #parts: Parts;
  machineEnds: MachineEnds | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
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
    const { session, clock } = this.#parts;
    session.assertStill(account);
    const before = await this.#earlier(account, target);
    session.assertStill(account);
    if (instead && !this.#isStill(before, target, instead)) return "changed";
    if (!wish && before.length === 0) return "set";
    const user = account.user();
    const now = clock.now();
    const until = wish ? leaseEnd(wish, now) : null;
    if (until !== null && until <= now) throw refusal("end", t("That time has passed. Choose a later end."));
    const lease: Lease = {
      version: 1,
      ...target,
      ...{ origin: account.address.origin, account: account.tag, ...(user === undefined ? {} : { user }) },
      ...{ until, ending: wish?.ending ?? "remind", at: now },
      count: Math.min(MOST_LEASES, Math.max(0, ...before.map(({ lease }) => lease.count)) + 1),
      ...(wish?.byItself !== undefined || endsItself(before, target) ? { byItself: true } : {}),
    };
    return endsItself(before, target) && target.id !== undefined
      ? await this.#setBoth(account, { ...target, id: target.id }, before, lease)
      : (await this.#write(account, target, before, lease)).change;
  }

  /** @returns the name of its files, too. */
  async #write(
    account: SignedIn,
    target: LeaseTarget,
    before: readonly LeaseEntry[],
    lease: Lease,
    moved?: Moved,
  ): Promise<{ readonly name: string; readonly change: "set" | "late" }> {
    const { session, journal, clock } = this.#parts;
    session.assertStill(account);
    const name = await journal.write(lease);
    if (moved?.kind === "moved") await this.#noteProof(name, target, moved.proof);
    const inTime = await this.#callOff(account, target, before, name).catch(() => false);
    if (inTime && (moved?.kind !== "moved" || !moved.isLate)) return { name, change: "set" };
    // Whatever it answered before that, it may be stopped or gone by now.
    if (moved?.kind === "moved") await this.#noteDoubt(name, target, clock.now());
    return { name, change: "late" };
  }

  /**
   * For an instance that keeps its end itself. The earlier one of two ends is written down first, here or there: whatever happens between,
   * nobody is shown a later end than the one that the instance keeps.
   */
  async #setBoth(
    account: SignedIn,
    target: LeaseTarget & { readonly id: InstanceId },
    before: readonly LeaseEntry[],
    lease: Lease,
  ): Promise<LeaseChange> {
    const kept = this.#kept(before, target.id);
    const isTakenBack = !hasOrder(lease);
    const isEarlier = kept && hasOrder(lease) && lease.until < kept.until;
    if (!isEarlier) {
      const moved = await this.#moveFirst(account, target, latestOf(before, target), lease);
      if (moved.kind === "newer") return "changed";
      if (moved.kind === "failed" && kept) return { ...moved, ...kept, kind: "held", isTakenBack };
      return (await this.#write(account, target, before, lease, moved)).change;
    }
    const { name, change } = await this.#write(account, target, before, lease);
    const moved = await this.#move(account, target.id, lease);
    if (moved.kind === "newer") return "changed";
    const { clock } = this.#parts;
    const isMoved = moved.kind === "moved";
    if (isMoved && !moved.isLate && change === "set") await this.#noteProof(name, target, moved.proof);
    else if (isMoved) await this.#noteDoubt(name, target, clock.now());
    else {
      const doubt = moved.isUnsure || !kept.isKnown ? "unread" : "other";
      await this.#noteProof(name, target, { ...toDoubt(clock.now(), kept), doubt });
    }
    if (!isMoved) return { ...moved, ...kept, kind: "partly", isTakenBack };
    return moved.isLate ? "late" : change;
  }

  /**
   * Until the new end is written down, the one before isn't called armed: this window may be gone by then, or the answer lost. Nor is one
   * that another window set meanwhile. An earlier one that the instance was known to keep goes on being named.
   */
  async #moveFirst(
    account: SignedIn,
    target: LeaseTarget & { readonly id: InstanceId },
    last: LeaseEntry | undefined,
    lease: Lease,
  ): Promise<Moved> {
    const { journal } = this.#parts;
    const { id } = target;
    // Unless this is written down, the instance isn't told. What it is just being asked for the first time comes too late then.
    const count = last && (await journal.noteProof(last.name, id, toDoubt(lease.at, last.proofs.get(id))));
    const moved = await this.#move(account, id, lease);
    if (moved.kind !== "failed") return moved;
    if (moved.isUnsure) {
      // What another window noted meanwhile may have been read before this one arrived there.
      const now = latestOf(await this.#earlier(account, target), target);
      if (now) await this.#noteDoubt(now.name, target, lease.at, now.proofs.get(id));
    } else if (last && count !== undefined) await journal.takeBackProof(last.name, id, count).catch(() => undefined);
    return moved;
  }

  async #noteDoubt(name: string, target: LeaseTarget, at: number, kept?: Pick<EndProof, "until" | "ending">) {
    await this.#noteProof(name, target, toDoubt(at, kept));
  }

  /** Without it, the instance is asked again. */
  async #noteProof(name: string, { id }: LeaseTarget, proof: EndProof): Promise<void> {
    if (id !== undefined) await this.#parts.journal.noteProof(name, id, proof).catch(() => undefined);
  }

  /** Has the instance keep the new end. */
  async #move(account: SignedIn, id: InstanceId, lease: Lease): Promise<Moved> {
    const { clock } = this.#parts;
    try {
      const end = await this.machineEnds?.ask(account, id, toOrder(lease, clock.now()));
      if (end === undefined) return { kind: "failed", why: t("The instance can't be logged in to."), isUnsure: false };
      if (end !== "missing" && isLater(end, lease)) return { kind: "newer" };
      if (end !== "missing" && end.lives && !keepsEnd(end, lease))
        return { kind: "failed", why: t("The new end couldn't be written on the instance."), isUnsure: true };
      return { kind: "moved", proof: judgeEnd(end, lease, clock.now()), isLate: end !== "missing" && end.wasDue };
    } catch (error) {
      const { message, facts } = asAppError(error);
      return { kind: "failed", why: message, isUnsure: facts.notSent !== true };
    }
  }

  /** The end that the instance may carry out itself, as far as is known. */
  #kept(before: readonly LeaseEntry[], id: InstanceId): KeptEnd | undefined {
    const last = latestOf(before, { id });
    if (!last) return undefined;
    const proof = last.proofs.get(id);
    const kept = findSoonest(proof, wantedLease(last, id));
    if (!kept) return undefined;
    const row = this.#parts.instances.find(id);
    // An end that passed while it didn't run is left alone when it runs again, but not when it runs for the first time.
    const hasRun = before.some(({ proofs }) => proofs.has(id) && proofs.get(id)?.doubt !== "unread");
    if (kept.until <= this.#parts.clock.now() && hasRun && row && !mayRun(row.value)) return undefined;
    // After an answer that was lost, it may keep the end that was asked for.
    const isKnown = proof !== undefined && proof.doubt !== "unread" && (!proof.doubt || proof.until !== undefined);
    return { ...kept, isKnown };
  }

  /** Whether the person was told of this end, and it wasn't carried out since. */
  #isStill(before: readonly LeaseEntry[], target: LeaseTarget, { until, ending }: InstanceEnd): boolean {
    const { id } = target;
    const { lease } = latestOf(before, target) ?? {};
    // A reminder may be put off after it was shown.
    const isSet = lease?.until === until && lease.ending === ending;
    if (id === undefined || (isSet && ending === "remind")) return isSet;
    const end = findEnd(before, id, this.#parts.instances.find(id)?.value);
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
    const ended = others.flatMap((entry) =>
      (target.id === undefined ? [...entry.ids] : [target.id]).map(
        async (id) => !cameJustNow(entry, id) && (await this.#parts.ends.callOff(entry, id)),
      ),
    );
    return (await Promise.all(ended)).every(Boolean);
  }

  async #earlier(account: SignedIn, target: LeaseTarget): Promise<readonly LeaseEntry[]> {
    return (await this.#parts.journal.all()).filter((entry) => isLeaseOf(entry, account) && isLeaseFor(entry, target));
  }
}

/** An end as a machine is told of it. `now` is in epoch milliseconds. */
export function toOrder(lease: Lease, now: number): EndOrder {
  const { ending, count, at } = lease;
  const wait = hasOrder(lease) ? lease.until - now : undefined;
  return { count, at, wait, ending: ending === "stop" ? "stop" : "destroy" };
}

/** Whether anything is to be done at its end. */
function hasOrder(lease: Lease): lease is Lease & { readonly until: number; readonly ending: SelfEnding } {
  return lease.until !== null && lease.ending !== "remind";
}

const toDoubt = (at: number, { until, ending }: Pick<EndProof, "until" | "ending"> = {}): EndProof => ({
  ...{ version: 1, at, doubt: "unread" },
  ...(until === undefined ? {} : { until, ending }),
});

/** When it may end. After an answer that was lost, it keeps the end from before or the one that was asked for: the sooner one counts. */
function findSoonest(proof: EndProof | undefined, lease: Lease): OwnEnd | undefined {
  const asked = hasOrder(lease) ? { until: lease.until, ending: lease.ending } : undefined;
  const { until, ending, doubt } = proof ?? {};
  if (until === undefined) return asked;
  return doubt === "unread" && asked && asked.until < until ? asked : { until, ending };
}
