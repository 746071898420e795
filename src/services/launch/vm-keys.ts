// A virtual machine lets in the SSH keys that its account has when it is created, and no other one ever.
import { AppError } from "../../domain/base/error.ts";
import { type LaunchPlan, readLaunchAccess } from "../../domain/launch/launch-plan.ts";
import { t } from "../../lib/text.ts";
import type { AccountKeys } from "../connection/account-keys.ts";
import type { SignedIn } from "../core/session.ts";

/** @throws AppError `rejected` if the plan is one for a virtual machine and the account has no SSH key. */
export async function assertKeyForVm(
  accountKeys: AccountKeys,
  account: SignedIn,
  plan: Pick<LaunchPlan, "template" | "runtype">,
): Promise<void> {
  if (!readLaunchAccess(plan).isVm || (await accountKeys.compare(account)) !== "none") return;
  throw new AppError(
    "rejected",
    t(
      "A virtual machine accepts only the SSH keys in your account when the machine is created, and your account has none. Add a key first.",
    ),
  );
}
