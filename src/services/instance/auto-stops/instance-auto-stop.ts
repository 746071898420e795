// The end that holds for an instance, as its files and what it showed say it. An instance that ends itself may keep an end that no longer
// holds: one that a window brought forward and carried out while the instance couldn't be told.
import type { InstanceId } from "../../../domain/base/id.ts";
import {
  type AutoStop,
  type InstanceAutoStop,
  type SelfStopGuard,
  type SelfStopProof,
  toSelfStopGuard,
} from "../../../domain/instance/auto-stop.ts";
import { type Instance, mayRun } from "../../../domain/instance/instance.ts";
import { findSoonest } from "../../../domain/instance/kept-self-stop.ts";
import { isSecondStep, mayHaveBeenStopped, type StoppedSpan } from "../../../domain/instance/second-step.ts";
import { type AutoStopEntry, endsItself, findLatestAutoStop, isAutoStopFor, wasTold } from "./auto-stop-entry.ts";

/** What was said of an end before its time no longer holds at it, unless it was carried out: clocks and lists may have been wrong. */
const isOver = ({ autoStop, over, settled }: AutoStopEntry, id: InstanceId, now: number): boolean =>
  over.has(id) && ((autoStop.until ?? 0) <= now || settled?.has(id) === true);

/** What an instance is to keep itself: none once its end was carried out, nor one of which someone is only reminded. */
export function toWantedAutoStop(entry: AutoStopEntry, id: InstanceId, now: number): AutoStop {
  const { autoStop } = entry;
  return autoStop.ending === "remind" || isSecondStep(autoStop) || isOver(entry, id, now)
    ? { ...autoStop, until: null }
    : autoStop;
}

/** An instance as it was listed last. Epoch milliseconds. */
interface Seen {
  readonly id: InstanceId;
  readonly instance: Instance | undefined;
  readonly now: number;
}

/** Undefined if nothing is known to end it. */
export function findEnd(entries: readonly AutoStopEntry[], seen: Seen): InstanceAutoStop | undefined {
  const { id, now } = seen;
  const entry = findLatestAutoStop(entries, { id });
  if (!entry) return undefined;
  const { until, ending } = entry.autoStop;
  // A reminder that was shown has nothing more to say, whether or not someone has seen it.
  const isPast = isOver(entry, id, now) || (ending === "remind" && wasTold(entry, "over", id));
  if (until !== null && !isPast) return describeEnd(entries, { entry, until }, seen);
  return endsItself(entries, { id }) ? findLeftEnd(entry, seen) : undefined;
}

/** Whether an instance was to end itself between two moments, in epoch milliseconds, and no one was told of it. */
export function wasToEndItself(entries: readonly AutoStopEntry[], id: InstanceId, from: number, to: number): boolean {
  const last = findLatestAutoStop(entries, { id });
  if (!last || wasTold(last, "itself", id) || !endsItself(entries, { id })) return false;
  const { until, ending } = toWantedAutoStop(last, id, from);
  const ends = [ending === "remind" ? undefined : until, last.proofs.get(id)?.until];
  return ends.some((end) => typeof end === "number" && end >= from && end <= to);
}

/** What is known of an end that was set. */
export function describeEnd(
  entries: readonly AutoStopEntry[],
  { entry, until }: { readonly entry: AutoStopEntry; readonly until: number },
  { id, instance, now }: Seen,
): InstanceAutoStop {
  const { autoStop } = entry;
  const { ending, stoppedHours } = autoStop;
  const isDoubted = entry.doubted.has(id);
  const end = { until, ending, ...(isDoubted ? { isDoubted } : {}), ...(stoppedHours ? { stoppedHours } : {}) };
  if (isSecondStep(autoStop))
    return { ...end, second: mayHaveBeenStopped(findSpan(entries, id), now) ? "kept" : "unsure" };
  if (ending === "remind" || !endsItself(entries, { id })) return end;
  const canEndItself = instance === undefined || mayRun(instance);
  return {
    ...end,
    guard: canEndItself ? findGuard(entry.proofs.get(id), isDoubted) : { kind: "unverified", doubt: "idle" },
  };
}

/** How long it was seen stopped since the last end of another kind: a second step that is put off goes on from there. */
export function findSpan(entries: readonly AutoStopEntry[], id: InstanceId): StoppedSpan | undefined {
  const own = entries.filter((entry) => isAutoStopFor(entry, { id }));
  let last: number | undefined;
  for (const { autoStop, stopped } of own.sort((one, other) => other.autoStop.count - one.autoStop.count)) {
    const { count } = autoStop;
    // What can't be read may be one of another kind, too.
    if (!isSecondStep(autoStop) || count < (last ?? count) - 1) return undefined;
    const seen = stopped?.get(id);
    if (seen) return seen.span;
    last = count;
  }
  return undefined;
}

/** It may have been told of the end that can't be read. */
const findGuard = (proof: SelfStopProof | undefined, isDoubted: boolean): SelfStopGuard =>
  isDoubted ? { kind: "unverified", doubt: "unread" } : toSelfStopGuard(proof);

/** One that the instance keeps although it no longer holds. While it doesn't run, it keeps none, and it is asked when it runs again. */
function findLeftEnd(entry: AutoStopEntry, { id, instance, now }: Seen): InstanceAutoStop | undefined {
  const proof = entry.proofs.get(id);
  if (!proof || (instance && !mayRun(instance))) return undefined;
  const end = findSoonest(proof, { ...entry.autoStop, until: null }, now);
  if (!end) return undefined;
  const { until, ending = "stop" } = end;
  return { until, ending, guard: { kind: "unverified", doubt: proof.doubt, until }, isLeft: true };
}
