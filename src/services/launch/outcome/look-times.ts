// When the launch watch asks the service next.
import { getLaunchState, isUnresolved, type LaunchRecord } from "../../../domain/launch/launch-record.ts";
import type { LaunchNotices } from "./launch-notices.ts";

/** Seconds between looks while something is open. The last value then repeats forever. */
const RHYTHM = [2, 4, 8, 15, 30, 60];
/** When a rented launch is checked again: a request that the network repeated shows up late, and lists lag. */
export const SECOND_LOOKS_MS = [60_000, 300_000, 600_000];

interface Situation {
  readonly records: readonly LaunchRecord[];
  readonly notices: LaunchNotices;
  /** How often was looked since something was sent. */
  readonly looks: number;
  /** Monotonic milliseconds of the last look. A list that others asked for is a look, too. */
  readonly lookedAt: number;
  readonly now: number;
}

/** Undefined if nothing is open. */
export function calculateNextLook({ records, notices, looks, lookedAt, now }: Situation): number | undefined {
  const pause = (RHYTHM[looks] ?? RHYTHM.at(-1) ?? 60) * 1000;
  const soon = Math.max(0, lookedAt + pause - now);
  const waits = records.flatMap((record) => {
    const watching = notices.getWatching(record.token);
    if (!watching) return [];
    if (isUnresolved(record)) return record.prepared?.tracked === false ? [] : [soon];
    if (notices.isUntold(record)) return [soon];
    if (getLaunchState(record) === "doubled" && watching.raised < record.ids.length) return [soon];
    const next = SECOND_LOOKS_MS[watching.secondLooks];
    if (record.facts.has("looked") || watching.rentedAt === undefined || next === undefined) return [];
    const due = watching.rentedAt + next - now;
    // One that is overdue couldn't settle what it found.
    return [Math.max(1000, due > 0 ? due : soon)];
  });
  return waits.length === 0 ? undefined : Math.min(...waits);
}
