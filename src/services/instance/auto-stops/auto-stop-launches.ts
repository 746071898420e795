// Which instances a launch with an end has come to be.
import type { InstanceId } from "../../../domain/base/id.ts";
import { CLOCKS_APART_SECONDS, type Instance, readLaunchToken } from "../../../domain/instance/instance.ts";
import type { AutoStopEntry } from "./auto-stop-entry.ts";

/**
 * Those with its token that weren't noted yet. Labels can be copied: what was there before the launch isn't from it, nor is what was rented
 * long before or after. The times are of two clocks: if none fits, and it is known what was there before, the first one is the launch's.
 */
export function listNewlyLaunched(
  { autoStop, ids }: AutoStopEntry,
  rows: readonly { readonly value: Pick<Instance, "id" | "label" | "start_date"> }[],
): readonly InstanceId[] {
  const { token, before, at } = autoStop;
  if (autoStop.id !== undefined || token === undefined) return [];
  const labeled = rows
    .map(({ value }) => value)
    .filter(({ id, label }) => readLaunchToken(label) === token && !before?.includes(id) && !ids.has(id))
    .sort((one, other) => one.id - other.id);
  const near = labeled.filter(({ start_date = at / 1000 }) => Math.abs(start_date - at / 1000) < CLOCKS_APART_SECONDS);
  const found = near.length === 0 && before !== undefined && ids.size === 0 ? labeled.slice(0, 1) : near;
  return found.map(({ id }) => id);
}
