// What instances cost, from what was seen of them. What was seen, what follows from it and what is only possible are kept apart.
import type { InstanceId } from "../base/id.ts";
import type { Reading, SeenInstance } from "./ledger.ts";

/**
 * - `observed`: it was seen so at both ends, and no one looked away for long
 * - `inferred`: it was seen before or after, and what was in between isn't known for certain
 */
type Certainty = "observed" | "inferred";

/** One instance for some time, at one price or between two. */
export interface Stretch {
  readonly seen: SeenInstance;
  /** Epoch milliseconds. */
  readonly from: number;
  readonly to: number;
  /** Dollars per hour at the least. */
  readonly low: number;
  /** Dollars per hour at the most; undefined if no one knows. */
  readonly high: number | undefined;
  readonly certainty: Certainty;
}

/** Milliseconds between two readings between which nothing is missed that matters. */
export const NEAR = 180_000;
const HOUR = 3_600_000;

/** What the readings of all windows tell of the time from `from` to `to`, in epoch milliseconds. */
export function traceSpending(readings: readonly Reading[], from: number, to: number): readonly Stretch[] {
  const begin = lastWhole(readings, from);
  const sorted = readings.filter(({ at }) => at >= begin && at <= to).sort((one, other) => one.at - other.at);
  const tracer = new Tracer();
  for (const reading of sorted) tracer.add(reading);
  return tracer.stretches.flatMap((stretch) => clipStretch(stretch, from, to));
}

/** When everything that was there was read for the last time before `from`: what came before that tells nothing more. */
function lastWhole(readings: readonly Reading[], from: number): number {
  let last = Number.NEGATIVE_INFINITY;
  for (const { at, hasGaps } of readings) if (!hasGaps && at <= from && at > last) last = at;
  return last;
}

/** The part of a stretch that lies in a span of time. */
export function clipStretch(stretch: Stretch, from: number, to: number): readonly Stretch[] {
  const [start, end] = [Math.max(stretch.from, from), Math.min(stretch.to, to)];
  return start < end ? [{ ...stretch, from: start, to: end }] : [];
}

interface Sighting {
  readonly at: number;
  readonly seen: SeenInstance;
  /** Its last stretch, which may go on. */
  stretch: number | undefined;
}

class Tracer {
  readonly stretches: Stretch[] = [];
  readonly #last = new Map<InstanceId, Sighting>();
  /** The last reading without gaps: what it lacked wasn't there. */
  #wholeAt: number | undefined;

  add({ at, hasGaps, seen, ended = [] }: Reading): void {
    for (const [id, now] of seen) {
      const before = this.#last.get(id);
      const stretch = before ? this.#follow(before, now, at) : this.#begin(now, at);
      this.#last.set(id, { at, seen: now, stretch });
    }
    for (const id of hasGaps ? ended : [...this.#last.keys()]) if (!seen.has(id)) this.#end(id, at);
    if (!hasGaps) this.#wholeAt = at;
  }

  #end(id: InstanceId, at: number): void {
    const before = this.#last.get(id);
    if (!before) return;
    this.#push({ seen: before.seen, from: before.at, to: at, low: 0, high: before.seen.high, certainty: "inferred" });
    this.#last.delete(id);
  }

  /** It was rented since the last reading, or nothing was ever read before. */
  #begin(seen: SeenInstance, at: number): number | undefined {
    if (this.#wholeAt === undefined || at <= this.#wholeAt) return undefined;
    const start = seen.start === undefined ? undefined : seen.start * 1000;
    const isKnown = start !== undefined && start >= this.#wholeAt && start <= at;
    const from = isKnown ? start : this.#wholeAt;
    // It may have run before it was stopped.
    const high = seen.high === undefined ? undefined : Math.max(seen.high, seen.running ?? 0);
    return this.#push({ seen, from, to: at, low: 0, high, certainty: "inferred" });
  }

  #follow(before: Sighting, now: SeenInstance, at: number): number | undefined {
    if (at <= before.at) return before.stretch;
    const known = before.stretch === undefined ? undefined : this.stretches[before.stretch];
    const next = compare(before, now, at);
    if (before.stretch === undefined || !known || !continues(known, next)) return this.#push(next);
    this.stretches[before.stretch] = { ...known, seen: now, to: at };
    return before.stretch;
  }

  #push(stretch: Stretch): number | undefined {
    if (stretch.from >= stretch.to) return undefined;
    this.stretches.push(stretch);
    return this.stretches.length - 1;
  }
}

/** What it cost between two sightings. */
function compare(before: Sighting, now: SeenInstance, at: number): Stretch {
  const { seen: old } = before;
  const common = { seen: now, from: before.at, to: at };
  const isSame = old.low === now.low && old.high === now.high && old.isStopped === now.isStopped;
  const isSteady = isSame && old.low === old.high;
  const isNear = at - before.at <= NEAR;
  // Another one began since. A service whose clock is another one may give the start of the same contract differently each time.
  const isOneContract = old.start === now.start || (now.start ?? Number.POSITIVE_INFINITY) * 1000 < before.at;
  if (isSame && isOneContract && (isSteady || isNear))
    return { ...common, low: now.low, high: now.high, certainty: isSteady && isNear ? "observed" : "inferred" };
  const high = old.high === undefined || now.high === undefined ? undefined : Math.max(old.high, now.high);
  return { ...common, low: Math.min(old.low, now.low), high, certainty: "inferred" };
}

function continues(known: Stretch, next: Stretch): boolean {
  return (
    known.to === next.from &&
    known.low === next.low &&
    known.high === next.high &&
    known.certainty === next.certainty &&
    known.seen.isStopped === next.seen.isStopped
  );
}

/** Dollars. */
export interface Spent {
  readonly observed: number;
  /** At the least and at the most, for what wasn't seen. */
  readonly inferred: { readonly low: number; readonly high: number };
  /** A part of it has no known price, so that it may be more. */
  readonly isOpen: boolean;
}

export function sumSpent(stretches: readonly Stretch[]): Spent {
  let [observed, low, high, isOpen] = [0, 0, 0, false];
  for (const stretch of stretches) {
    const hours = (stretch.to - stretch.from) / HOUR;
    if (stretch.certainty === "observed") observed += stretch.low * hours;
    else {
      low += stretch.low * hours;
      high += (stretch.high ?? stretch.low) * hours;
    }
    isOpen ||= stretch.high === undefined;
  }
  return { observed, inferred: { low, high }, isOpen };
}

/** Dollars at the least and at the most. */
export const toSpentRange = ({ observed, inferred }: Spent): { readonly low: number; readonly high: number } => ({
  low: observed + inferred.low,
  high: observed + inferred.high,
});

/** The last 30 days are a month, whatever the calendar says. */
export const SPENDING_PERIODS = ["today", "week", "month", "this-month", "last-month"] as const;
export const SPENDING_GROUPS = ["day", "instance", "template", "project"] as const;
export type SpendingGroup = (typeof SPENDING_GROUPS)[number];

/** What a person wants to see. */
export interface SpendingChoice {
  readonly period: (typeof SPENDING_PERIODS)[number];
  readonly group: SpendingGroup;
}

/** Local midnight at the beginning of the day, in epoch milliseconds. */
export function startOfDay(at: number, days = 0): number {
  const date = new Date(at);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + days).getTime();
}

/** The stretches of each local day, the days in order. Days are 23 to 25 hours long. */
export function splitByDay(
  stretches: readonly Stretch[],
  from: number,
  to: number,
): ReadonlyMap<number, readonly Stretch[]> {
  const days = new Map<number, Stretch[]>();
  for (let day = startOfDay(from); day < to; day = startOfDay(day, 1)) days.set(day, []);
  for (const stretch of stretches)
    for (let day = startOfDay(stretch.from); day < stretch.to; day = startOfDay(day, 1))
      days.get(day)?.push(...clipStretch(stretch, day, startOfDay(day, 1)));
  return days;
}

/** The stretches by what `nameOf` says, in the order of the first of each. */
export function groupStretches<Name>(
  stretches: readonly Stretch[],
  nameOf: (stretch: Stretch) => Name,
): ReadonlyMap<Name, readonly Stretch[]> {
  const groups = new Map<Name, Stretch[]>();
  for (const stretch of stretches) {
    const name = nameOf(stretch);
    const group = groups.get(name);
    if (group) group.push(stretch);
    else groups.set(name, [stretch]);
  }
  return groups;
}
