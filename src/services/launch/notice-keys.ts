// Whether the person could log in to what they are about to rent.
import { AppError } from "../../domain/base/error.ts";
import { type LaunchPlan, readLaunchAccess } from "../../domain/launch/launch-plan.ts";
import type { Clock } from "../../lib/clock.ts";
import { t } from "../../lib/text.ts";
import type { AccountKeyState, AccountKeys } from "../connection/account-keys.ts";
import type { SignedIn } from "../core/session.ts";

/** Why they couldn't: `none-here` may be wrong, since a key can lie anywhere. */
export type KeyNotice = Extract<AccountKeyState, "none" | "none-here">;

/** Milliseconds that a summary waits for the keys. */
const WAIT = 2000;

/** For the summary. Nothing is said of a machine without SSH, nor of keys that the service is slow to list. */
export async function findKeyNotice(
  keys: Promise<AccountKeyState>,
  plan: Pick<LaunchPlan, "template" | "runtype" | "configuration">,
  clock: Clock,
): Promise<KeyNotice | undefined> {
  if (!readLaunchAccess(plan).hasSsh) return undefined;
  const state = await Promise.race([keys, clock.sleep(WAIT)]);
  return state === "none" || state === "none-here" ? state : undefined;
}

/**
 * A virtual machine lets in the SSH keys that its account has when it is created, and no other one ever.
 * @throws AppError `rejected` if the plan is one for a virtual machine and the account has no SSH key.
 */
export async function assertKeyForVm(
  accountKeys: AccountKeys,
  account: SignedIn,
  plan: Pick<LaunchPlan, "template" | "runtype" | "configuration">,
): Promise<void> {
  if (!readLaunchAccess(plan).isVm || (await accountKeys.compare(account)) !== "none") return;
  throw new AppError(
    "rejected",
    t(
      "A virtual machine accepts only the SSH keys in your account when the machine is created, and your account has none. Add a key first.",
    ),
  );
}
