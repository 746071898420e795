// What is or may be rented already, read for one launch. A limit checked against what a view happens to show would be
// useless.
import type { InstanceId } from "../../domain/base/id.ts";
import { getCurrentPrice } from "../../domain/instance/instance.ts";
import { getPriceAtRisk, isUnresolved, type LaunchRecord } from "../../domain/launch/launch-record.ts";
import type { Commitments } from "../../domain/launch/limits.ts";
import type { Clock } from "../../lib/clock.ts";
import { getError } from "../core/loaded.ts";
import type { SignedIn } from "../core/session.ts";
import type { InstanceRow, InstancesService, Listing } from "../instance/instances.ts";
import type { LaunchWatch } from "./launch-watch.ts";

/** Milliseconds that a rental may be missing from a complete list of the service. */
export const LISTS_LAG_MS = 10 * 60_000;
/** Milliseconds after which an instance that the service says is gone isn't asked about again: by then, no answer is from before it. */
const GONE_AFTER_MS = 60_000;

/** Instances that the service said are gone, as long as an account is signed in. */
const gone = new WeakMap<SignedIn, Set<InstanceId>>();

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
  const knownGone = gone.get(account) ?? new Set();
  gone.set(account, knownGone);
  const listed = new Set(rows.map(({ value }) => value.id));
  const unlisted = records
    .filter(({ prepared }) => parts.clock.now() - (prepared?.at ?? 0) < LISTS_LAG_MS)
    .flatMap((record) => record.ids.map((id) => ({ id, price: getPriceAtRisk(record), at: record.prepared?.at ?? 0 })))
    .filter(({ id }) => !listed.has(id) && id !== insteadOf && !knownGone.has(id));
  // A rental from a minute ago may not be listed yet. It counts as gone only if the service says so for that one
  // instance.
  const missing = await Promise.all(
    unlisted.map(async ({ id, price, at }) => {
      const asked = parts.clock.now();
      if (!(await isGone(account, id))) return [price];
      if (asked - at >= GONE_AFTER_MS) knownGone.add(id);
      return [];
    }),
  );
  const rented = rows.filter((row) => !row.gone && row.value.id !== insteadOf).map(getCurrentPrice);
  const open = records.filter((record) => record.token !== own && mayBeRented(record, parts.clock.now()));
  return { prices: [...rented, ...missing.flat(), ...open.map(getPriceAtRisk)] };
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

async function isGone({ client }: SignedIn, id: InstanceId): Promise<boolean> {
  return await client.getInstance(id).then(
    (row) => row === undefined,
    () => false,
  );
}
