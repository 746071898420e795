// The end of an instance that takes the place of a dead one.
import type { InstanceId } from "../../domain/base/id.ts";
import type { AutoStopWish } from "../../domain/instance/auto-stop.ts";
import { readLaunchToken } from "../../domain/instance/instance.ts";
import { isOfAccount } from "../core/account-mark.ts";
import type { SignedIn } from "../core/session.ts";
import { findLatestAutoStop } from "../instance/auto-stops/auto-stop-entry.ts";
import type { AutoStopJournal } from "../instance/auto-stops/auto-stop-journal.ts";

interface Dead {
  readonly id: InstanceId;
  readonly label?: string | undefined;
}

/**
 * What holds for the dead one by now: its hours don't begin again, and the person may have set another end or taken it back. `wish` is what
 * it was rented with, which holds if nothing was written down.
 * @throws the disk's error.
 */
export async function findEndInstead(
  journal: AutoStopJournal,
  account: SignedIn,
  { id, label }: Dead,
  wish: AutoStopWish | undefined,
): Promise<AutoStopWish | undefined> {
  const entries = (await journal.readAll()).filter((entry) => isOfAccount(entry.autoStop, account));
  const last = findLatestAutoStop(entries, { id, token: readLaunchToken(label) });
  if (!last) return wish;
  const { until, ending } = last.autoStop;
  if (until === null) return undefined;
  const byItself = ending === "remind" ? undefined : wish?.byItself;
  return { until, ending, ...(byItself === undefined ? {} : { byItself }) };
}
