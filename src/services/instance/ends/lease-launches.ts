// Which instances a launch with an end has come to be.
import type { InstanceId } from "../../../domain/base/id.ts";
import { CLOCKS_APART_SECONDS, type Instance, readLaunchToken } from "../../../domain/instance/instance.ts";
import type { LeaseEntry } from "./lease-journal.ts";

/**
 * Those with its token that weren't noted yet. Labels can be copied: what was rented long before or after isn't from this launch.
 */
export function listNewlyLaunched(
  { lease, ids }: LeaseEntry,
  rows: readonly { readonly value: Pick<Instance, "id" | "label" | "start_date"> }[],
): readonly InstanceId[] {
  if (lease.id !== undefined || lease.token === undefined) return [];
  const isOwn = ({ label, start_date: rented = lease.at / 1000 }: Pick<Instance, "label" | "start_date">) =>
    readLaunchToken(label) === lease.token && Math.abs(rented - lease.at / 1000) < CLOCKS_APART_SECONDS;
  return rows.flatMap(({ value }) => (!ids.has(value.id) && isOwn(value) ? [value.id] : []));
}
