// Signing out. The person learns what stays billed without this editor before they leave, not after.
import type { Clock } from "../../lib/clock.ts";
import type { SessionService } from "../core/session.ts";
import type { InstancesService } from "../instance/instances.ts";
import type { LaunchWatch } from "../launch/outcome/launch-watch.ts";
import { type Billing, readBilling } from "./billing-check.ts";

/** The person who signs out. */
export interface SignOutPerson {
  /** Shows progress while the service is being asked. */
  wait(reading: () => Promise<Billing>): Promise<Billing>;
  /** Asked only if something stays billed or that is unknown. */
  confirm(billing: Billing, account: string): Promise<boolean>;
}

interface Services {
  readonly session: SessionService;
  readonly instances: InstancesService;
  readonly watch: LaunchWatch;
  readonly clock: Clock;
}

/**
 * @throws AppError `rejected` if the account was switched while it was read or the question was open, `outcome-unknown` if the key
 *   couldn't be removed.
 */
export async function signOut(services: Services, person: SignOutPerson): Promise<void> {
  const { session, instances } = services;
  const leaving = session.current;
  // No one is asked: it only tries again to remove a key that couldn't be removed.
  if (leaving.kind === "signed-out") return await session.signOut(leaving);
  if (!leaving.sandbox) {
    const billing = await person.wait(() => readBilling(services));
    session.assertStill(leaving);
    if (staysBilled(billing) && !(await person.confirm(billing, session.profiles.nameOf(leaving)))) return;
  }
  // The key store may hang after that until the window closes.
  const forgetting = session.onDidChange(({ kind }) => {
    if (kind !== "signed-out") return;
    forgetting.dispose();
    instances.forget(leaving);
  });
  try {
    await session.signOut(leaving);
  } finally {
    forgetting.dispose();
  }
}

function staysBilled({ isCurrent, rows, atRisk }: Billing): boolean {
  return !isCurrent || rows.length > 0 || atRisk.length > 0;
}
