// What the disks of stopped instances have cost since they were stopped, by what windows saw: never more than follows from that.
import type { InstanceId } from "../base/id.ts";
import type { Reading, SeenInstance } from "./ledger.ts";
import { NEAR } from "./spending.ts";

export interface DiskCost {
  /** Since when it is known, in epoch milliseconds. */
  readonly since: number;
  /** Dollars. */
  readonly amount: number;
  /** It may have been stopped before that, or have cost more in between, when no one looked. */
  readonly isLeast: boolean;
}

interface Tracked extends DiskCost {
  readonly last: SeenInstance;
  readonly at: number;
}

const HOUR = 3_600_000;
/** Milliseconds before a contract that was already listed: the clock was behind. That of the service may be another one. */
const BEHIND = HOUR;

/** Of those that the last readings saw stopped. `now` in epoch milliseconds: what was noted later, by a clock that was ahead, says nothing. */
export function sumDiskCosts(readings: readonly Reading[], now: number): ReadonlyMap<InstanceId, DiskCost> {
  const costs = new Map<InstanceId, Tracked>();
  /** When each was last seen, not stopped. */
  const ranAt = new Map<InstanceId, number>();
  const sorted = readings.filter(({ at }) => at <= now).sort((one, other) => one.at - other.at);
  for (const { at, hasGaps, seen, ended = [] } of sorted) {
    for (const id of hasGaps ? ended : [...costs.keys()]) if (hasGaps || !seen.has(id)) costs.delete(id);
    const isBehind = [...seen.values()].some(({ start = 0 }) => start * 1000 - at > BEHIND);
    for (const [id, one] of seen) {
      const before = costs.get(id);
      // It was stopped then, and no one knows when that was.
      if (one.isStopped && isBehind) continue;
      if (one.isStopped) costs.set(id, before ? goOn(before, one, at) : begin(one, at, ranAt.get(id)));
      else {
        costs.delete(id);
        ranAt.set(id, at);
      }
    }
  }
  return costs;
}

function begin(last: SeenInstance, at: number, ranAt: number | undefined): Tracked {
  return {
    since: at,
    amount: 0,
    isLeast: ranAt === undefined || at - ranAt > NEAR || last.high === undefined,
    last,
    at,
  };
}

function goOn(before: Tracked, last: SeenInstance, at: number): Tracked {
  // Nothing is billed before the contract, whatever the clock said then.
  const from = Math.max(before.at, (last.start ?? 0) * 1000);
  const low = Math.min(before.last.low, last.low);
  const isKnown = at - before.at <= NEAR && last.high === low && before.last.high === low;
  return {
    since: Math.max(before.since, (last.start ?? 0) * 1000),
    amount: before.amount + (low * Math.max(0, at - from)) / HOUR,
    isLeast: before.isLeast || !isKnown,
    ...{ last, at },
  };
}
