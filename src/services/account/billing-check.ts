// What stays billed without this editor, read before the person confirms signing out.
import type { LaunchRecord } from "../../domain/launch/launch-record.ts";
import type { Clock } from "../../lib/clock.ts";
import { getLast } from "../core/loaded.ts";
import type { SessionService } from "../core/session.ts";
import { type InstanceRow, type InstancesService, isWholeList } from "../instance/instances.ts";
import { showUnlisted } from "../launch/commitments.ts";
import type { LaunchWatch } from "../launch/outcome/launch-watch.ts";

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
  readonly session: SessionService;
  readonly instances: InstancesService;
  readonly watch: LaunchWatch;
  readonly clock: Clock;
}

/** The maximum milliseconds that signing out waits for this. */
const WAITS = 5000;

export async function readBilling(parts: Parts): Promise<Billing> {
  const { instances, watch, clock } = parts;
  const read = readAll(parts).catch(() => false);
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

/**
 * The launches of all windows, once the list of instances has settled what it can, and what of them it doesn't have yet.
 * @returns whether all of it could be read. @throws AppError if the launches can't be.
 */
async function readAll(parts: Parts): Promise<boolean> {
  const account = parts.session.requireSignedIn();
  await parts.instances.collection.refresh();
  await parts.watch.reread();
  return await showUnlisted(parts, account);
}
