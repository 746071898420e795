// What single instances have cost, as far as this computer's windows saw it.
import { groupStretches, NEAR, type Spent, sumSpent, traceSpending } from "../../domain/account/spending.ts";
import type { InstanceId } from "../../domain/base/id.ts";
import { findRentedAt, type Instance } from "../../domain/instance/instance.ts";
import type { Clock } from "../../lib/clock.ts";
import type { SignedIn } from "../core/session.ts";
import type { Ledger } from "./ledger.ts";

interface Parts {
  readonly ledger: Ledger;
  readonly clock: Clock;
}

/**
 * Since each of them was rented. One that isn't in it wasn't seen, or no one knows when it was rented.
 * @throws Error if something of what was seen can't be read: it would be missing.
 */
export async function readSpentOnEach(
  { ledger, clock }: Parts,
  account: SignedIn,
  instances: readonly Instance[],
): Promise<ReadonlyMap<InstanceId, Spent>> {
  const starts = new Map(
    instances.flatMap((instance) => {
      const rented = findRentedAt(instance);
      return rented === undefined ? [] : [[instance.id, rented] as const];
    }),
  );
  if (starts.size === 0) return new Map();
  const from = Math.min(...starts.values());
  const stretches = traceSpending(await ledger.readWhole(account, from), from, clock.now());
  const own = stretches.filter(({ seen }) => starts.has(seen.id));
  return new Map(
    [...groupStretches(own, ({ seen }) => seen.id)].map(([id, some]) => {
      const spent = sumSpent(some);
      // What it cost before the first reading isn't known.
      const isMissed = Math.min(...some.map((one) => one.from)) > (starts.get(id) ?? 0) + NEAR;
      return [id, { ...spent, isOpen: spent.isOpen || isMissed }];
    }),
  );
}
