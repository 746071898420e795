// What is due for an end: a message, an order, or nothing yet.
import type { InstanceId } from "../../../domain/base/id.ts";
import { type AutoStop, type InstanceAutoStop, ITSELF_FIRST, isOverdue } from "../../../domain/instance/auto-stop.ts";
import { isOfAccount } from "../../core/account-mark.ts";
import type { SignedIn } from "../../core/session.ts";
import type { ReasonStatus } from "../order-reasons.ts";
import { type AutoStopEntry, type AutoStopTold, findLatestAutoStop } from "./auto-stop-entry.ts";
import type { AutoStopJournal } from "./auto-stop-journal.ts";

export interface OpenAutoStop {
  readonly entry: AutoStopEntry;
  /** Undefined while it isn't known which instance a launch has come to be. */
  readonly id: InstanceId | undefined;
  readonly autoStop: AutoStop & { readonly until: number };
}

/** Whether the instance has shown that it does it, or is just being told of another end, and has still time to. */
export function isLeftToItself({ guard, until }: InstanceAutoStop, now: number): boolean {
  const mayKeepIt = guard?.kind === "armed" || guard?.doubt === "unread";
  return mayKeepIt && now < until + ITSELF_FIRST;
}

/** Milliseconds after its end that an instance which ended itself is told of. Who was away for longer is told of everything at once. */
const TOLD_WITHIN = 3_600_000;

/** Milliseconds from when an order is written down until what it did shows, with all of its tries. */
export const ORDER_TAKES = 300_000;

/** Whether an instance that is ended now may have done that itself, at the time for it. */
export function mayBeItsOwn({ guard, until }: InstanceAutoStop, now: number): boolean {
  const late = now - until;
  return guard !== undefined && late >= -ITSELF_FIRST && late < TOLD_WITHIN;
}

/** Whether an instance that is missing at this time may be taken for one that ended. Before it, an end may only be put off. */
export const mayHaveEnded = ({ guard, until }: InstanceAutoStop, now: number): boolean =>
  now >= until - (guard === undefined ? 0 : ITSELF_FIRST);

/** Undefined if there is an order to carry out. What is doubted isn't carried out: its person is asked. */
export function decideNotice(end: InstanceAutoStop, now: number): AutoStopTold | undefined {
  const { until, ending, isDoubted, second } = end;
  if (now < until) return "soon";
  if (ending === "remind") return "over";
  return isOverdue(until, now) || second === "unsure" || (isDoubted && !isLeftToItself(end, now))
    ? "overdue"
    : undefined;
}

/** Whether an end may be carried out. It is `late` as well while a later one can't be read. @throws the disk's error. */
export async function recheckAutoStop(
  journal: AutoStopJournal,
  account: SignedIn,
  { name, id }: { readonly name: string; readonly id: InstanceId },
  now: number,
): Promise<ReasonStatus> {
  const entries = (await journal.readAll()).filter((entry) => isOfAccount(entry.autoStop, account));
  const own = entries.find((entry) => entry.name === name);
  if (!own || own.autoStop.until === null || findLatestAutoStop(entries, { id, token: own.autoStop.token }) !== own)
    return "replaced";
  if (now < own.autoStop.until) return "early";
  return isOverdue(own.autoStop.until, now) || own.doubted.has(id) ? "late" : "holds";
}
