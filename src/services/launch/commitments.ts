// What is or may be rented already, as lists and launches say together. A limit checked against what a view happens to
// show would be useless.
import type { InstanceId } from "../../domain/base/id.ts";
import type { Row } from "../../domain/base/wire.ts";
import { getCurrentPrice, type Instance } from "../../domain/instance/instance.ts";
import { getPriceAtRisk, isUnresolved, type LaunchRecord } from "../../domain/launch/launch-record.ts";
import type { Commitments } from "../../domain/launch/limits.ts";
import type { Clock } from "../../lib/clock.ts";
import { getError } from "../core/loaded.ts";
import type { SessionService, SignedIn } from "../core/session.ts";
import type { InstanceRow, InstancesService, Listing } from "../instance/instances.ts";
import type { LaunchWatch } from "./outcome/launch-watch.ts";

/** Milliseconds that a rental may be missing from a complete list of the service. */
export const LISTS_LAG_MS = 10 * 60_000;

/** Milliseconds after a rental from which no answer is from before it. */
const GONE_AFTER_MS = 60_000;

interface Parts {
  readonly instances: InstancesService;
  readonly watch: LaunchWatch;
  readonly clock: Clock;
}

/** The launch that this is read for. */
export interface About {
  /** Undefined if the service has no list. Then each tracked instance is read separately. */
  readonly listing: Listing | undefined;
  /** Not counted, because it is destroyed first. */
  readonly insteadOf: InstanceId | undefined;
  /** The launch's own token, once it is claimed. */
  readonly own: string | undefined;
}

/** @throws AppError if it can't be read. */
export async function readCommitments(
  parts: Parts,
  account: SignedIn,
  { listing, insteadOf, own }: About,
): Promise<Commitments> {
  const rows = listing ? listing.rows.map((row) => parts.instances.withPrice(account, row)) : await tracked(parts);
  const records = await parts.watch.reread();
  const known = [...rows.map(({ value }) => value.id), ...(insteadOf === undefined ? [] : [insteadOf])];
  const unlisted = await readUnlisted(parts, account, records, known);
  const rented = rows.filter((row) => !row.gone && row.value.id !== insteadOf).map(getCurrentPrice);
  const open = records.filter((record) => record.token !== own && mayBeRented(record, parts.clock.now()));
  return {
    prices: [...rented, ...unlisted.map(({ record }) => getPriceAtRisk(record)), ...open.map(getPriceAtRisk)],
  };
}

interface Unlisted {
  readonly record: LaunchRecord;
  /** Undefined if the service couldn't be asked. */
  readonly row: Row<Instance> | undefined;
}

/**
 * What was rented so recently that a list may not have it yet. It counts as gone only if the service says so for that one
 * instance. `known` is listed, or counted elsewhere.
 */
async function readUnlisted(
  { instances: { whereabouts }, clock }: Pick<Parts, "instances" | "clock">,
  account: SignedIn,
  records: readonly LaunchRecord[],
  known: readonly InstanceId[],
): Promise<readonly Unlisted[]> {
  const recent = records
    .map((record) => ({ record, at: record.prepared?.at ?? 0 }))
    .filter(({ at }) => clock.now() - at < LISTS_LAG_MS)
    .flatMap(({ record, at }) => record.ids.map((id) => ({ record, at, id })))
    .filter(({ id }) => !known.includes(id) && !whereabouts.wasMissedForLong(account, id));
  const read = await Promise.all(
    recent.map(async ({ record, at, id }) => {
      const asked = clock.now();
      const found = await whereabouts.find(account, id);
      if (found.kind !== "missing") return [{ record, row: found.row }];
      if (asked - at >= GONE_AFTER_MS) whereabouts.noteGone(account, id);
      return [];
    }),
  );
  return read.flat();
}

/**
 * Shows what other windows have just rented, although no list has it yet.
 * @returns whether the service could be asked for all of it.
 */
export async function showUnlisted(
  { session, instances, watch, clock }: Parts & { readonly session: SessionService },
  account: SignedIn,
): Promise<boolean> {
  const known = instances.rows.map(({ value }) => value.id);
  const unlisted = await readUnlisted({ instances, clock }, account, watch.records, known);
  if (session.current !== account) return false;
  for (const { record, row } of unlisted) if (row) instances.expect(account, row.value, getPriceAtRisk(record));
  return unlisted.every(({ row }) => row !== undefined);
}

/**
 * Without a list, the outcome of a refused launch is never proven. If it counted forever, it would block every other
 * launch.
 */
function mayBeRented(record: LaunchRecord, now: number): boolean {
  const { prepared, facts } = record;
  const isOver = prepared?.tracked === false && facts.has("refused") && now - prepared.at >= LISTS_LAG_MS;
  return isUnresolved(record) && !isOver;
}

async function tracked({ instances, watch }: Parts): Promise<readonly InstanceRow[]> {
  await watch.orphans;
  await instances.collection.refresh();
  const failure = getError(instances.collection.store.current);
  if (failure) throw failure;
  return instances.rows;
}
