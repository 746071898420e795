// Sets and takes back ends. What a later end replaces is called off if it hasn't left yet, and an instance that ends itself is told first:
// nobody may believe in a later end than the one that it keeps.
import { asAppError } from "../../domain/base/error.ts";
import type { InstanceId } from "../../domain/base/id.ts";
import { refusal } from "../../domain/base/typed-number.ts";
import { phase } from "../../domain/instance/instance.ts";
import {
  type EndProof,
  type InstanceEnd,
  type Lease,
  type LeaseWish,
  leaseEnd,
  MOST_LEASES,
} from "../../domain/instance/lease.ts";
import { type EndOrder, isLater, judgeEnd, keepsEnd } from "../../domain/instance/self-end.ts";
import type { Clock } from "../../lib/clock.ts";
import { t } from "../../lib/text.ts";
import type { SessionService, SignedIn } from "../core/session.ts";
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
 */
export type LeaseChange =
  | "set"
  | "late"
  | "changed"
  | { readonly kind: "held" | "partly"; readonly why: string; readonly until: number };

/** What became of the end that an instance keeps itself. */
type Moved =
  | { readonly kind: "moved"; readonly proof: EndProof; readonly isLate: boolean }
  | { readonly kind: "partly"; readonly proof: EndProof; readonly why: string; readonly until: number }
  | { readonly kind: "held"; readonly why: string; readonly until: number }
  | "changed";

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
    const { session, journal, clock } = this.#parts;
    session.assertStill(account);
    const before = await this.#earlier(account, target);
    session.assertStill(account);
    if (instead && !isStill(latestOf(before, target), target, instead)) return "changed";
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
    const { id } = target;
    const moved =
      id !== undefined && endsItself(before, target) ? await this.#move(account, id, before, lease) : undefined;
    if (moved === "changed" || moved?.kind === "held") return moved;
    session.assertStill(account);
    const name = await journal.write(lease);
    if (moved && id !== undefined) await journal.noteProof(name, id, moved.proof).catch(() => undefined);
    const inTime = await this.#callOff(account, target, name).catch(() => false);
    if (!inTime || (moved?.kind === "moved" && moved.isLate)) return "late";
    return moved?.kind === "partly" ? { kind: "partly", why: moved.why, until: moved.until } : "set";
  }

  /** Has the instance keep the new end. Where it can't be told, only an end that comes before the one it keeps may be set. */
  async #move(account: SignedIn, id: InstanceId, before: readonly LeaseEntry[], lease: Lease): Promise<Moved> {
    const { clock } = this.#parts;
    let why = t("The instance can't be logged in to.");
    try {
      const order = toOrder(lease, clock.now());
      const end = await this.machineEnds?.ask(account, id, order);
      if (end === "missing") return { kind: "moved", proof: judgeEnd(end, lease, clock.now()), isLate: false };
      if (end && isLater(end, lease)) return "changed";
      if (end && (!end.lives || keepsEnd(end, lease)))
        return { kind: "moved", proof: judgeEnd(end, lease, clock.now()), isLate: end.wasDue };
      if (end) why = t("The new end couldn't be written on the instance.");
    } catch (error) {
      why = asAppError(error).message;
    }
    const kept = this.#kept(before, id);
    if (!kept) return { kind: "moved", proof: { version: 1, at: clock.now(), doubt: "ended" }, isLate: false };
    const isEarlier = lease.until !== null && lease.ending !== "remind" && lease.until <= kept.until;
    if (!isEarlier || (kept.ending === "destroy" && lease.ending !== "destroy"))
      return { kind: "held", why, until: kept.until };
    const proof: EndProof = { version: 1, at: clock.now(), doubt: "other", until: kept.until };
    return { kind: "partly", proof, why, until: kept.until };
  }

  /** The end that the instance may carry out itself, as far as is known. */
  #kept(
    before: readonly LeaseEntry[],
    id: InstanceId,
  ): (Pick<Lease, "ending"> & { readonly until: number }) | undefined {
    const last = latestOf(before, { id });
    if (!last) return undefined;
    const { lease, over, proofs } = last;
    const until = proofs.get(id)?.until ?? lease.until;
    if (until === null || lease.ending === "remind" || over.has(id)) return undefined;
    const row = this.#parts.instances.find(id);
    // An end that passed while it didn't run is left alone when it runs again.
    if (until <= this.#parts.clock.now() && row && phase(row.value) !== "running") return undefined;
    return { until, ending: lease.ending };
  }

  /** Reads again: until the new end was written down, a window may have noted an instance of a launch and begun to end it. */
  async #callOff(account: SignedIn, target: LeaseTarget, name: string): Promise<boolean> {
    const others = (await this.#earlier(account, target)).filter((entry) => entry.name !== name);
    const ended = others.flatMap((entry) =>
      (target.id === undefined ? [...entry.ids] : [target.id]).map((id) => this.#parts.ends.callOff(entry, id)),
    );
    return (await Promise.all(ended)).every(Boolean);
  }

  async #earlier(account: SignedIn, target: LeaseTarget): Promise<readonly LeaseEntry[]> {
    return (await this.#parts.journal.all()).filter((entry) => isLeaseOf(entry, account) && isLeaseFor(entry, target));
  }
}

/** Whether the person was told of this end, and it wasn't carried out since. */
function isStill(entry: LeaseEntry | undefined, { id }: LeaseTarget, { until, ending }: InstanceEnd): boolean {
  if (entry?.lease.until !== until || entry.lease.ending !== ending) return false;
  return ending === "remind" || id === undefined || !entry.over.has(id);
}

/** An end as a machine is told of it. `now` is in epoch milliseconds. */
export function toOrder({ until, ending, count, at }: Lease, now: number): EndOrder {
  const isEnd = until !== null && ending !== "remind";
  return { count, at, wait: isEnd ? until - now : undefined, ending: ending === "stop" ? "stop" : "destroy" };
}
