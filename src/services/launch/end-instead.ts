// The end of an instance that takes the place of a dead one.
import type { InstanceId } from "../../domain/base/id.ts";
import { readLaunchToken } from "../../domain/instance/instance.ts";
import type { LeaseWish } from "../../domain/instance/lease.ts";
import { isOfAccount } from "../core/account-mark.ts";
import type { SignedIn } from "../core/session.ts";
import { findLatestLease } from "../instance/ends/lease-entry.ts";
import type { LeaseJournal } from "../instance/ends/lease-journal.ts";

interface Dead {
  readonly id: InstanceId;
  readonly label?: string | undefined;
}

/**
 * What holds for the dead one by now: its hours don't begin anew, and the person may have set another end or taken it back. `wish` is what
 * it was rented with, which holds if nothing was written down.
 * @throws the disk's error.
 */
export async function findEndInstead(
  journal: LeaseJournal,
  account: SignedIn,
  { id, label }: Dead,
  wish: LeaseWish | undefined,
): Promise<LeaseWish | undefined> {
  const entries = (await journal.all()).filter((entry) => isOfAccount(entry.lease, account));
  const last = findLatestLease(entries, { id, token: readLaunchToken(label) });
  if (!last) return wish;
  const { until, ending } = last.lease;
  if (until === null) return undefined;
  const byItself = ending === "remind" ? undefined : wish?.byItself;
  return { until, ending, ...(byItself === undefined ? {} : { byItself }) };
}
