// The end that holds for an instance, as its files and what it showed say it. An instance that ends itself may keep an end that no longer
// holds: one that a window brought forward and carried out while the instance couldn't be told.
import type { InstanceId } from "../../domain/base/id.ts";
import { type Instance, mayRun } from "../../domain/instance/instance.ts";
import { guardOf, type InstanceEnd, type Lease } from "../../domain/instance/lease.ts";
import { endsItself, type LeaseEntry, latestOf } from "./lease-journal.ts";

/** What an instance is to keep of an end: none anymore, once that was carried out. */
export const wantedLease = ({ lease, over }: LeaseEntry, id: InstanceId): Lease =>
  over.has(id) ? { ...lease, until: null } : lease;

/** Undefined if nothing is known to end it. `instance`: as it was listed last. */
export function findEnd(
  entries: readonly LeaseEntry[],
  id: InstanceId,
  instance: Instance | undefined,
): InstanceEnd | undefined {
  const entry = latestOf(entries, { id });
  if (!entry) return undefined;
  const { until, ending } = wantedLease(entry, id);
  // A reminder that was shown has nothing more to say, whether or not somebody has seen it.
  const holds = until !== null && (ending !== "remind" || !entry.told.has("over"));
  if (holds) return describeEnd(entries, { entry, id, until }, instance);
  return endsItself(entries, { id }) ? findLeftEnd(entry, id, instance) : undefined;
}

/** Whether an instance was to end itself between two moments, in epoch milliseconds, and nobody was told of it. */
export function wasToEndItself(entries: readonly LeaseEntry[], id: InstanceId, from: number, to: number): boolean {
  const last = latestOf(entries, { id });
  if (!last || last.told.has("itself") || !endsItself(entries, { id })) return false;
  const { until, ending } = last.lease;
  const ends = [ending === "remind" ? undefined : until, last.proofs.get(id)?.until];
  return ends.some((end) => typeof end === "number" && end >= from && end <= to);
}

/** What is known of an end that was set. */
export function describeEnd(
  entries: readonly LeaseEntry[],
  { entry, id, until }: { readonly entry: LeaseEntry; readonly id: InstanceId; readonly until: number },
  instance: Instance | undefined,
): InstanceEnd {
  const { ending } = entry.lease;
  if (ending === "remind" || !endsItself(entries, { id })) return { until, ending };
  const canEndItself = instance === undefined || mayRun(instance);
  return {
    ...{ until, ending },
    guard: canEndItself ? guardOf(entry.proofs.get(id)) : { kind: "unverified", doubt: "idle" },
  };
}

/** One that the instance keeps although it no longer holds. While it doesn't run, it keeps none, and it is asked when it runs again. */
function findLeftEnd({ proofs }: LeaseEntry, id: InstanceId, instance: Instance | undefined): InstanceEnd | undefined {
  const proof = proofs.get(id);
  if (proof?.until === undefined || (instance && !mayRun(instance))) return undefined;
  return { until: proof.until, ending: proof.ending ?? "destroy", guard: guardOf(proof), isLeft: true };
}
