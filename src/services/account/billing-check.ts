// What stays billed without this editor, read before the person confirms signing out.
import type { LaunchRecord } from "../../domain/launch/launch-record.ts";
import type { Clock } from "../../lib/clock.ts";
import { getError } from "../core/loaded.ts";
import type { InstanceRow, InstancesService } from "../instance/instances.ts";
import type { LaunchWatch } from "../launch/launch-watch.ts";

export interface Billing {
  readonly rows: readonly InstanceRow[];
  /** Launches that may have been rented. */
  readonly atRisk: readonly LaunchRecord[];
  /** False if the service couldn't be reached or its list was incomplete. There may then be more than these rows. */
  readonly isCurrent: boolean;
}

/** The maximum milliseconds that signing out waits for this. */
const WAITS = 5000;

export async function readBilling(
  { instances, watch }: { readonly instances: InstancesService; readonly watch: LaunchWatch },
  clock: Clock,
): Promise<Billing> {
  const read = instances.collection.refresh().then(() => true);
  const ended = await Promise.race([read, clock.sleep(WAITS).then(() => false)]);
  const { current } = instances.collection.store;
  const isWhole = current.state === "ready" && current.last.value.complete;
  const isCurrent = ended && isWhole && getError(current) === undefined;
  return { rows: instances.rows.filter((row) => !row.gone), atRisk: watch.atRisk, isCurrent };
}
