// Whether a running instance does nothing: judged by readings of its GPUs that were really taken. A reading that is missing
// is never taken for idleness.
import type { GpuLoad } from "./gpu-load.ts";
import { getPhase, type Instance } from "./instance.ts";

/** The person's own rule. */
export interface IdleRule {
  /** How long an instance must be idle before that is said; 0 for never. */
  readonly minutes: number;
  /** GPUs below this load do nothing. */
  readonly percent: number;
}

/** Who said how busy the GPUs are: the service in its list, or the machine's own `nvidia-smi`. */
export type LoadSource = "service" | "machine";

/** A moment by both clocks, in milliseconds: one of them may stand still while the computer sleeps, the other may be set. */
export interface Moment {
  readonly elapsed: number;
  readonly now: number;
}

/** One reading of an instance. */
export interface LoadReading {
  readonly at: Moment;
  /** Percent of the busiest GPU that is known; undefined if it isn't known. */
  readonly load: number | undefined;
  readonly source: LoadSource;
}

/** A stretch of time in which every reading was below the limit. */
export interface QuietSpell {
  readonly since: Moment;
  readonly last: Moment;
  /** The limit that the readings were compared with, in percent. */
  readonly percent: number;
  /** When a reading was missing, in monotonic milliseconds. */
  readonly missed: readonly number[];
  /** When the machine itself was read last, in monotonic milliseconds. */
  readonly machineAt: number | undefined;
}

const MINUTE = 60_000;
/** Milliseconds between two readings from which on one is missing: a list that no one looks at is read each minute. */
const ONE_MISSED = 1.5 * MINUTE;
/** Milliseconds between two readings that may hide work: two in a row are missing, or the computer slept. */
const MOST_GAP = 2.5 * MINUTE;
/** Share of the readings that may be missing. */
const MOST_MISSED = 0.2;
/** Minutes since it was rented in which an instance is set up and not idle. */
const YOUNG = 10;
/** Of readings that are remembered to be missing: as many as the longest time that can be asked for may miss. */
const MOST_KEPT = 2000;

/**
 * Percent of the busiest GPU, as far as the service's one number for all of them says; undefined for what isn't known or can't be. Where
 * the number is their mean, one GPU may do the work of all: then a low one isn't known to be below the limit. Nor is it where the
 * service doesn't say how many there are.
 */
export function readLoad(
  { gpu_util: load, num_gpus: count }: Pick<Instance, "gpu_util" | "num_gpus">,
  percent: number,
): number | undefined {
  if (load === undefined || load < 0 || load > 100) return undefined;
  const isLow = load === 0 || (count !== undefined && load * Math.max(1, count) < percent);
  return load >= percent || isLow ? load : undefined;
}

/** Milliseconds between two moments, by the clock that says more. */
const between = (from: Moment, to: Moment): number =>
  Math.max(to.elapsed - from.elapsed, Math.abs(to.now - from.now), 0);

/** Whether the last reading is too long ago to say anything of this moment. */
export const isOutdated = ({ last }: QuietSpell, at: Moment): boolean => between(last, at) > MOST_GAP;

/** @returns the spell with this reading; undefined if the GPUs are busy, or if there is no spell that it could go on with. */
export function continueSpell(
  spell: QuietSpell | undefined,
  { at, load, source }: LoadReading,
  percent: number,
): QuietSpell | undefined {
  const known = spell && !isOutdated(spell, at) && spell.percent === percent ? spell : undefined;
  if (load === undefined) return known;
  if (load >= percent) return undefined;
  const machineAt = source === "machine" ? at.elapsed : known?.machineAt;
  if (!known) return { since: at, last: at, percent, missed: [], machineAt };
  const isMissed = between(known.last, at) > ONE_MISSED;
  const missed = isMissed ? [...known.missed, at.elapsed].slice(-MOST_KEPT) : known.missed;
  return { ...known, last: at, missed, machineAt };
}

/** Milliseconds that were watched and in which nothing was done, counted from `from` at the earliest (monotonic milliseconds). */
export function calculateQuietTime({ since, last }: QuietSpell, from = Number.NEGATIVE_INFINITY): number {
  return Math.max(0, last.elapsed - Math.max(since.elapsed, from));
}

/** What is known of an instance that does nothing. */
export interface IdleState {
  /** Milliseconds that were watched. */
  readonly time: number;
  /** All GPUs were below this load. */
  readonly percent: number;
  readonly source: LoadSource;
  /** What the machine itself said, if it is the source. */
  readonly gpus: GpuLoad | undefined;
}

interface Asked {
  readonly minutes: number;
  readonly at: Moment;
  readonly from?: number | undefined;
}

/** Whether it was idle for all of the last `minutes`, and enough readings were taken to know that. */
export function isIdle(spell: QuietSpell, { minutes, at, from }: Asked): boolean {
  if (minutes <= 0 || isOutdated(spell, at) || calculateQuietTime(spell, from) < minutes * MINUTE) return false;
  const begin = spell.last.elapsed - minutes * MINUTE;
  const missed = spell.missed.filter((one) => one > begin).length;
  return missed <= minutes * MOST_MISSED;
}

/** Whether it runs for long enough to be called idle: a young one may still be setting itself up. */
export function canBeIdle(instance: Instance, spell: QuietSpell, at: Moment): boolean {
  const { start_date: rented } = instance;
  const age = rented === undefined ? calculateQuietTime(spell) : at.now - rented * 1000;
  return getPhase(instance) === "running" && age >= YOUNG * MINUTE;
}

/** Which source says it: the machine if it was read a moment ago. */
export function getLoadSource({ machineAt }: QuietSpell, at: Moment): LoadSource {
  return machineAt !== undefined && at.elapsed - machineAt <= MOST_GAP ? "machine" : "service";
}
