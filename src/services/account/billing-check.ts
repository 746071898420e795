// What stays billed without this editor, read before the person confirms signing out.
import type { LaunchRecord } from "../../domain/launch/launch-record.ts";
import type { Clock } from "../../lib/clock.ts";
import { getLast } from "../core/loaded.ts";
import { type InstanceRow, type InstancesService, isWholeList } from "../instance/instances.ts";
import type { LaunchWatch } from "../launch/launch-watch.ts";

export interface Billing {
  readonly rows: readonly InstanceRow[];
  /** Launches that may have been rented. */
  readonly atRisk: readonly LaunchRecord[];
  /** False if the service couldn't be reached, or its list was incomplete or none. There may then be more than these rows. */
  readonly isCurrent: boolean;
  /** False if the service has no list. */
  readonly isListed: boolean;
}

interface Parts {
  readonly instances: InstancesService;
  readonly watch: LaunchWatch;
}

/** The maximum milliseconds that signing out waits for this. */
const WAITS = 5000;

export async function readBilling({ instances, watch }: Parts, clock: Clock): Promise<Billing> {
  const read = readBoth({ instances, watch }).then(
    () => true,
    () => false,
  );
  const isRead = await Promise.race([read, clock.sleep(WAITS).then(() => false)]);
  const { current } = instances.collection.store;
  const last = getLast(current)?.value;
  return {
    rows: instances.rows.filter((row) => !row.gone),
    atRisk: watch.atRisk,
    isCurrent: isRead && current.state === "ready" && isWholeList(current.last.value),
    isListed: last?.listed ?? true,
  };
}

/** The launches of all windows, once the list of instances has settled what it can. @throws AppError if they can't be read. */
async function readBoth({ instances, watch }: Parts): Promise<void> {
  await instances.collection.refresh();
  await watch.reread();
}
