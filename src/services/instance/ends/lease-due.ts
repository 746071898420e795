// What is due for an end: a message, an order, or nothing yet.
import { asAppError } from "../../../domain/base/error.ts";
import type { InstanceId } from "../../../domain/base/id.ts";
import { type InstanceEnd, ITSELF_FIRST, isOverdue, type Lease } from "../../../domain/instance/lease.ts";
import { isOfAccount } from "../../core/account-mark.ts";
import type { Scheduler } from "../../core/scheduler.ts";
import type { SignedIn } from "../../core/session.ts";
import type { InstancesService } from "../instances.ts";
import type { ReasonStanding } from "../order-reasons.ts";
import { findLatestLease, type LeaseEntry, type LeaseTold } from "./lease-entry.ts";
import type { LeaseJournal } from "./lease-journal.ts";

export interface OpenLease {
  readonly entry: LeaseEntry;
  /** Undefined while it isn't known which instance a launch has come to be. */
  readonly id: InstanceId | undefined;
  readonly lease: Lease & { readonly until: number };
}

/** Whether the instance has shown that it does it, or is just being told of another end, and has still time to. */
export function isLeftToItself({ guard, until }: InstanceEnd, now: number): boolean {
  const mayKeepIt = guard?.kind === "armed" || guard?.doubt === "unread";
  return mayKeepIt && now < until + ITSELF_FIRST;
}

/** Milliseconds after its end that an instance which ended itself is told of. Who was away for longer is told of everything at once. */
const TOLD_WITHIN = 3_600_000;

/** Milliseconds from when an order is written down until what it did shows, with all of its tries. */
export const ORDER_TAKES = 300_000;

/** Whether an instance that is ended now may have done that itself, at the time for it. */
export function mayBeItsOwn({ guard, until }: InstanceEnd, now: number): boolean {
  const late = now - until;
  return guard !== undefined && late >= -ITSELF_FIRST && late < TOLD_WITHIN;
}

/** Undefined if there is an order to carry out. What is doubted isn't carried out: its person is asked. */
export function decideNotice(end: InstanceEnd, now: number): LeaseTold | undefined {
  const { until, ending, isDoubted } = end;
  if (now < until) return "soon";
  if (ending === "remind") return "over";
  return isOverdue(until, now) || (isDoubted && !isLeftToItself(end, now)) ? "overdue" : undefined;
}

/** Whether an end may be carried out. It is `late` as well while a later one can't be read. @throws the disk's error. */
export async function readLeaseStanding(
  journal: LeaseJournal,
  account: SignedIn,
  { name, id }: { readonly name: string; readonly id: InstanceId },
  now: number,
): Promise<ReasonStanding> {
  const entries = (await journal.all()).filter((entry) => isOfAccount(entry.lease, account));
  const own = entries.find((entry) => entry.name === name);
  if (!own || own.lease.until === null || findLatestLease(entries, { id, token: own.lease.token }) !== own)
    return "replaced";
  if (now < own.lease.until) return "early";
  return isOverdue(own.lease.until, now) || own.doubted.has(id) ? "late" : "holds";
}

interface Service {
  readonly instances: InstancesService;
  readonly scheduler: Scheduler;
}

/** Milliseconds between the two times that the service must say that an instance is gone. */
const ASK_AGAIN = 60_000;

/** Which instances are gone before their ends: an end that was forgotten over a service that lags would never come. */
export class GoneInstances {
  readonly #parts: Service;
  /** When the service first said so, in monotonic milliseconds, and before which end. */
  readonly #since = new Map<InstanceId, { readonly at: number; readonly until: number }>();

  constructor(parts: Service) {
    this.#parts = parts;
  }

  /**
   * For an instance that the service doesn't know right now. One answer may lag, and so may the list. As long as the end is still to come,
   * neither says anything: but an instance that ends itself may have done so a moment before.
   * @throws AppError if the service can't be asked.
   */
  async has(account: SignedIn, id: InstanceId, { guard, until }: InstanceEnd): Promise<boolean> {
    const { instances, scheduler } = this.#parts;
    if (scheduler.clock.now() < until - (guard === undefined ? 0 : ITSELF_FIRST)) return false;
    const now = scheduler.clock.elapsed();
    const before = this.#since.get(id);
    const since = before?.until === until ? before : { at: now, until };
    this.#since.set(id, since);
    if (now - since.at < ASK_AGAIN) return false;
    const listed = await instances.list(account).catch((error) => {
      if (asAppError(error).kind === "unsupported") return undefined;
      throw error;
    });
    return listed === undefined || (listed.complete && !listed.rows.some(({ value }) => value.id === id));
  }

  /** The service knows it. */
  forget(id: InstanceId): void {
    this.#since.delete(id);
  }

  clear(): void {
    this.#since.clear();
  }
}
