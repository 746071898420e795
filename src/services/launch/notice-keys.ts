// Whether the person could log in to what they are about to rent, for its receipt.
import { type LaunchPlan, readLaunchAccess } from "../../domain/launch/launch-plan.ts";
import type { Clock } from "../../lib/clock.ts";
import type { AccountKeyState } from "../connection/account-keys.ts";

/** Why they could not: `none-here` may be wrong, since a key can lie anywhere. */
export type KeyNotice = Extract<AccountKeyState, "none" | "none-here">;

/** Milliseconds that a receipt waits for the keys. */
const WAIT = 2000;

/** Nothing is said of a machine without SSH, nor of keys that the service is slow to list. */
export async function findKeyNotice(
  keys: Promise<AccountKeyState>,
  plan: Pick<LaunchPlan, "template" | "runtype">,
  clock: Clock,
): Promise<KeyNotice | undefined> {
  if (!readLaunchAccess(plan).hasSsh) return undefined;
  const state = await Promise.race([keys, clock.sleep(WAIT)]);
  return state === "none" || state === "none-here" ? state : undefined;
}
