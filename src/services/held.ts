// What is rented already or may be, read for one launch: a limit checked against what a view happens to hold would be none.
import type { InstanceId } from "../domain/id.ts";
import { priceNow } from "../domain/instance.ts";
import { priceAtRisk } from "../domain/launch-record.ts";
import type { Held } from "../domain/limits.ts";
import type { Clock } from "../lib/clock.ts";
import type { InstanceRow, InstancesService, Listing } from "./instances.ts";
import type { LaunchWatch } from "./launch-watch.ts";
import { errorOf } from "./loaded.ts";
import type { SignedIn } from "./session.ts";

/** How long a rental may be missing from a complete list of the service. */
const LISTS_LAG_MS = 10 * 60_000;

interface Parts {
  readonly instances: InstancesService;
  readonly watch: LaunchWatch;
  readonly clock: Clock;
}

/**
 * `listing` is undefined where the service has none: then each tracked instance is asked for. `insteadOf` does not count,
 * because it is destroyed first. @throws AppError where it cannot be read.
 */
export async function readHeld(
  parts: Parts,
  account: SignedIn,
  listing: Listing | undefined,
  insteadOf: InstanceId | undefined,
): Promise<Held> {
  const rows = listing ? listing.rows.map((row) => parts.instances.withPrice(account, row)) : await tracked(parts);
  const records = await parts.watch.reread();
  const listed = new Set(rows.map(({ value }) => value.id));
  const unlisted = records
    .filter(({ prepared }) => parts.clock.now() - (prepared?.at ?? 0) < LISTS_LAG_MS)
    .flatMap((record) => record.ids.map((id) => ({ id, price: priceAtRisk(record) })))
    .filter(({ id }) => !listed.has(id) && id !== insteadOf);
  // A rental of a minute ago may not be listed yet; only the service's word on that one instance says that it is gone.
  const missing = await Promise.all(
    unlisted.map(async ({ id, price }) => ((await isGone(account, id)) ? [] : [price])),
  );
  const rented = rows.filter((row) => !row.gone && row.value.id !== insteadOf).map(priceNow);
  return { prices: [...rented, ...missing.flat(), ...parts.watch.atRisk.map(priceAtRisk)] };
}

async function tracked({ instances }: Parts): Promise<readonly InstanceRow[]> {
  await instances.collection.refresh();
  const failure = errorOf(instances.collection.store.current);
  if (failure) throw failure;
  return instances.rows;
}

async function isGone({ client }: SignedIn, id: InstanceId): Promise<boolean> {
  return await client.getInstance(id).then(
    (row) => row === undefined,
    () => false,
  );
}
