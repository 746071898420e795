// Which instances a launch has come to be.
import { asAppError } from "../../../domain/base/error.ts";
import type { InstanceId } from "../../../domain/base/id.ts";
import { CLOCKS_APART_SECONDS, type Instance, readLaunchToken } from "../../../domain/instance/instance.ts";
import type { SignedIn } from "../../core/session.ts";
import type { InstancesService } from "../instances.ts";
import type { AutoStopEntry } from "./auto-stop-entry.ts";
import type { AutoStopJournal } from "./auto-stop-journal.ts";

type Rows = readonly { readonly value: Pick<Instance, "id" | "label" | "start_date"> }[];

/** A launch as what was written down for it says it. `at` in epoch milliseconds. */
interface LaunchMark {
  readonly token: string;
  /** What was listed before it was sent, if that is known. */
  readonly before?: readonly InstanceId[] | undefined;
  readonly at: number;
}

/** Those of a launch with an end that weren't noted yet. */
export function listNewlyLaunched({ autoStop, ids }: AutoStopEntry, rows: Rows): readonly InstanceId[] {
  const { id, token } = autoStop;
  return id !== undefined || token === undefined ? [] : listLaunched({ ...autoStop, token }, ids, rows);
}

/**
 * Those with its token that weren't noted yet. Labels can be copied: what was there before the launch isn't from it, nor is what was rented
 * long before or after. The times are of two clocks: if none fits, and it is known what was there before, the first one is the launch's.
 */
export function listLaunched(
  { token, before, at }: LaunchMark,
  noted: ReadonlySet<InstanceId>,
  rows: Rows,
): readonly InstanceId[] {
  const labeled = rows
    .map(({ value }) => value)
    .filter(({ id, label }) => readLaunchToken(label) === token && !before?.includes(id) && !noted.has(id))
    .sort((one, other) => one.id - other.id);
  const near = labeled.filter(({ start_date = at / 1000 }) => Math.abs(start_date - at / 1000) < CLOCKS_APART_SECONDS);
  const found = near.length === 0 && before !== undefined && noted.size === 0 ? labeled.slice(0, 1) : near;
  return found.map(({ id }) => id);
}

interface Parts {
  readonly instances: InstancesService;
  readonly journal: AutoStopJournal;
}

/**
 * Asks the service for the instances of a launch, and notes them. `none`: none of them is there. `unlisted`: the service has no list.
 * @throws AppError if it can't be asked.
 */
export async function findLaunched(
  { instances, journal }: Parts,
  account: SignedIn,
  entry: AutoStopEntry,
): Promise<"found" | "none" | "unlisted" | "unknown"> {
  const listed = await instances.list(account).catch((error) => {
    if (asAppError(error).kind === "unsupported") return undefined;
    throw error;
  });
  if (!listed) return "unlisted";
  const found = listNewlyLaunched(entry, listed.rows);
  for (const id of found) await journal.noteInstance(entry.name, id);
  if (found.length > 0) return "found";
  return listed.complete ? "none" : "unknown";
}
