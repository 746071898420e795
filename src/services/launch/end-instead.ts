// The auto-stops of an instance that takes the place of a dead one.
import type { InstanceId } from "../../domain/base/id.ts";
import type { AutoStopWish } from "../../domain/instance/auto-stop.ts";
import type { IdleWish } from "../../domain/instance/idle-order.ts";
import { readLaunchToken } from "../../domain/instance/instance.ts";
import { isSecondStep } from "../../domain/instance/second-step.ts";
import { isOfAccount } from "../core/account-mark.ts";
import type { SignedIn } from "../core/session.ts";
import { findLatestAutoStop } from "../instance/auto-stops/auto-stop-entry.ts";
import type { AutoStopJournal } from "../instance/auto-stops/auto-stop-journal.ts";
import { findLatestOrder, type IdleJournal } from "../instance/idle/idle-journal.ts";

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
  const { until, ending, stoppedHours } = last.autoStop;
  // Another instance isn't stopped. One that was set later and can't be read may have taken it back.
  if (until === null || isSecondStep(last.autoStop) || last.doubted.has(id)) return undefined;
  const byItself = ending === "remind" ? undefined : wish?.byItself;
  const then = stoppedHours === undefined ? {} : { stoppedHours };
  return { until, ending, ...then, ...(byItself === undefined ? {} : { byItself }) };
}

/** The same for what was ordered in case it is idle. @throws the disk's error. */
export async function findIdleInstead(
  journal: IdleJournal,
  account: SignedIn,
  { id }: Pick<Dead, "id">,
  wish: IdleWish | undefined,
): Promise<IdleWish | undefined> {
  const last = findLatestOrder(await journal.readAll(account), id);
  if (!last) return wish;
  return last.isOver || last.isDoubted ? undefined : (last.order.wish ?? undefined);
}
