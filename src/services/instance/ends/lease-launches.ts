// Which instances a launch with an end has come to be.
import type { InstanceId } from "../../../domain/base/id.ts";
import { CLOCKS_APART_SECONDS, type Instance, readLaunchToken } from "../../../domain/instance/instance.ts";
import type { LeaseEntry } from "./lease-journal.ts";

/**
 * Those with its token that weren't noted yet. Labels can be copied: what was there before the launch isn't from it, nor is what was rented
 * long before or after. The times are of two clocks, so they decide only where it isn't known what was there, or about a second instance.
 */
export function listNewlyLaunched(
  { lease, ids }: LeaseEntry,
  rows: readonly { readonly value: Pick<Instance, "id" | "label" | "start_date"> }[],
): readonly InstanceId[] {
  const { token, before, at } = lease;
  if (lease.id !== undefined || token === undefined) return [];
  const isNear = (rented = at / 1000) => Math.abs(rented - at / 1000) < CLOCKS_APART_SECONDS;
  const isOwn = ({ id, label, start_date }: Pick<Instance, "id" | "label" | "start_date">) =>
    readLaunchToken(label) === token &&
    !before?.includes(id) &&
    ((before !== undefined && ids.size === 0) || isNear(start_date));
  return rows.flatMap(({ value }) => (!ids.has(value.id) && isOwn(value) ? [value.id] : []));
}
