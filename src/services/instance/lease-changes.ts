// Sets and takes back ends. What a later end replaces is called off if it hasn't left yet.
import { refusal } from "../../domain/base/typed-number.ts";
import { type InstanceEnd, type LeaseWish, leaseEnd, MOST_LEASES } from "../../domain/instance/lease.ts";
import type { Clock } from "../../lib/clock.ts";
import { t } from "../../lib/text.ts";
import type { SessionService, SignedIn } from "../core/session.ts";
import type { LeaseEnds } from "./lease-ends.ts";
import {
  isLeaseFor,
  isLeaseOf,
  type LeaseEntry,
  type LeaseJournal,
  type LeaseTarget,
  latestOf,
} from "./lease-journal.ts";

/** `late`: the order of the end before may have left already. `changed`: what it was to replace is no longer there; nothing was set. */
export type LeaseChange = "set" | "late" | "changed";

interface Parts {
  readonly session: SessionService;
  readonly journal: LeaseJournal;
  readonly ends: LeaseEnds;
  readonly clock: Clock;
}

export class LeaseChanges {
  readonly #parts: Parts;

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
    const name = await journal.write({
      version: 1,
      ...target,
      ...{ origin: account.address.origin, account: account.tag, ...(user === undefined ? {} : { user }) },
      ...{ until, ending: wish?.ending ?? "remind", at: now },
      count: Math.min(MOST_LEASES, Math.max(0, ...before.map(({ lease }) => lease.count)) + 1),
    });
    const inTime = await this.#callOff(account, target, name).catch(() => false);
    return inTime ? "set" : "late";
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
