// One end as its files say it, and which of several holds.
import type { InstanceId } from "../../../domain/base/id.ts";
import { type AutoStop, ITSELF_FIRST, type SelfStopProof } from "../../../domain/instance/auto-stop.ts";
import type { StoppedSpan } from "../../../domain/instance/second-step.ts";
import { findLatest } from "../../core/book/latest.ts";

/**
 * What a window tells the person of an end: that it comes, that it has come, that it passed and nothing was done, or that the instance
 * did it itself.
 */
export type AutoStopTold = "soon" | "over" | "overdue" | "itself";

export type ToldKey = `${AutoStopTold} ${InstanceId}`;

/** `count`: the number of its file. */
export interface NumberedSpan {
  readonly count: number;
  readonly span: StoppedSpan;
}

/** One end as its files say it. */
export interface AutoStopEntry {
  /** Of its files. */
  readonly name: string;
  readonly autoStop: AutoStop;
  /** The instances that it is for: more than one if the network repeated the launch. */
  readonly ids: ReadonlySet<InstanceId>;
  /** Those of them for which nothing is left to do. */
  readonly over: ReadonlySet<InstanceId>;
  /** Those of them of which someone has answered that the end passed. */
  readonly seen: ReadonlySet<InstanceId>;
  /** Those of them for which an end was set later that can't be read: it may hold instead. */
  readonly doubted: ReadonlySet<InstanceId>;
  /** Those of them for which it was carried out before its time: the clock was ahead. */
  readonly settled?: ReadonlySet<InstanceId>;
  /** How often which message was told of which of them. */
  readonly told: ReadonlyMap<ToldKey, number>;
  /** What each of them showed last of the end that it keeps itself. */
  readonly proofs: ReadonlyMap<InstanceId, SelfStopProof>;
  /** How many times each of them showed something. */
  readonly proofCounts: ReadonlyMap<InstanceId, number>;
  /** How long each of them was seen stopped. */
  readonly stopped?: ReadonlyMap<InstanceId, NumberedSpan>;
}

/** Milliseconds after its end that an end which is over, or not the last one of its instance, is kept. */
const KEPT = 7 * 86_400_000;
/** The same for the end of a launch whose instance was never seen. */
const KEPT_UNKNOWN = 30 * 86_400_000;

export const isToCome = ({ autoStop: { until } }: AutoStopEntry, now: number): boolean => until !== null && now < until;

/** What is done at an end is done at its time or a moment before. */
export const isEarly = ({ autoStop: { until } }: AutoStopEntry, now: number): boolean =>
  until !== null && now < until - ITSELF_FIRST;

/** The instances for which an end is noted to be over long before it comes. */
export const listEarlyOver = (entry: AutoStopEntry, now: number): readonly InstanceId[] =>
  isEarly(entry, now) ? [...entry.over].filter((id) => !entry.settled?.has(id)) : [];

/** Whether it still holds, or says that one before it doesn't. */
export function isNeeded(entry: AutoStopEntry, all: readonly AutoStopEntry[], now: number): boolean {
  const { autoStop, ids, over } = entry;
  const targets: AutoStopTarget[] = ids.size === 0 ? [autoStop] : [...ids].map((id) => ({ id, token: autoStop.token }));
  return targets.some(({ id, token }) => {
    // Another service gives the same numbers to other instances.
    const own = all.filter((other) => other.autoStop.origin === autoStop.origin && isAutoStopFor(other, { id, token }));
    const last = findLatestAutoStop(own, { id, token }) ?? entry;
    const passed = now - Math.max(last.autoStop.at, last.autoStop.until ?? 0);
    // So may another account, for which this one may hold.
    const ofAccount = own.filter((other) => other.autoStop.account === autoStop.account);
    const mayHold =
      autoStop.until !== null && now - autoStop.until < KEPT && findLatestAutoStop(ofAccount, { id, token }) === entry;
    if (last !== entry) return passed < KEPT || mayHold;
    if (own.length > 1) return true;
    if (id === undefined && autoStop.until !== null) return passed < KEPT_UNKNOWN;
    return (autoStop.until !== null && id !== undefined && !over.has(id)) || passed < KEPT;
  });
}

export const countTold = ({ told }: AutoStopEntry, what: AutoStopTold, id: InstanceId): number =>
  told.get(`${what} ${id}`) ?? 0;

export const wasTold = (entry: AutoStopEntry, what: AutoStopTold, id: InstanceId): boolean =>
  countTold(entry, what, id) > 0;

/** An instance as an end knows it: by its ID, by the launch token of its label, or by both. */
export interface AutoStopTarget {
  readonly id?: InstanceId | undefined;
  readonly token?: string | undefined;
  /** Of a launch that is about to be sent: what was listed before it. */
  readonly before?: AutoStop["before"];
}

/** Twins of a repeated launch have the same token: an end that was set for one of them is none of the other's. */
export function isAutoStopFor({ autoStop, ids }: AutoStopEntry, { id, token }: AutoStopTarget): boolean {
  return (
    (id !== undefined && ids.has(id)) || (token !== undefined && autoStop.id === undefined && autoStop.token === token)
  );
}

/** Whether the start script of an instance has it end itself: so it does for all of its ends. */
export const endsItself = (entries: readonly AutoStopEntry[], target: AutoStopTarget): boolean =>
  entries.some((entry) => entry.autoStop.byItself === true && isAutoStopFor(entry, target));

/** The end that holds for an instance, with or without a time. */
export function findLatestAutoStop(
  entries: readonly AutoStopEntry[],
  target: AutoStopTarget,
): AutoStopEntry | undefined {
  return findLatest(
    entries.filter((entry) => isAutoStopFor(entry, target)),
    ({ autoStop }) => autoStop,
  );
}
