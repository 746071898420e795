// The second step of an auto-stop: what it stopped is destroyed once it was stopped for so long, all of the time. Its disk bills as long as
// it is there, but what someone started in between may have new work on that disk.
import * as z from "zod";
import { EpochTime } from "../base/epoch-time.ts";
import type { AutoStop } from "./auto-stop.ts";
import { getPhase, type Instance } from "./instance.ts";

/** Hours from the stop to the second step. */
export const SECOND_STEP_HOURS = 24;
const HOUR = 3_600_000;
/** Milliseconds between two looks at most: what starts and stops again in a shorter time may not be seen. */
const GAP = 180_000;
/** Milliseconds between looks, so that two that fail don't break what was seen. */
export const LOOK_AGAIN = 50_000;

/** An end that destroys an instance only if it was stopped all of the time. */
export interface SecondStep extends AutoStop {
  readonly until: number;
  readonly stoppedHours: number;
}

/** For how long an instance was seen stopped without a gap, in epoch milliseconds. */
export const StoppedSpan = z.object({
  version: z.literal(1),
  /** Null once it was to run at a look, or no one looked for a while: what it may have done then is never taken for nothing. */
  from: EpochTime.nullable(),
  /** When someone looked last. */
  to: EpochTime,
});
export type StoppedSpan = z.infer<typeof StoppedSpan>;

export const isSecondStep = (autoStop: AutoStop): autoStop is SecondStep =>
  autoStop.version === 2 && autoStop.until !== null && autoStop.stoppedHours !== undefined;

/** What follows an end once it has stopped its instance; undefined if nothing does. The same in all windows. */
export function buildSecondStep(autoStop: AutoStop, id: AutoStop["id"]): AutoStop | undefined {
  const { until, ending, stoppedHours, count, ...rest } = autoStop;
  if (until === null || ending !== "stop" || stoppedHours === undefined || autoStop.version !== 1) return undefined;
  const next = { ...rest, id, version: 2, ending: "destroy", stoppedHours, count: count + 1 } as const;
  return { ...next, until: until + stoppedHours * HOUR };
}

/** Takes a second step back. What someone sets at the same moment holds instead. */
export const buildCalledOff = ({ stoppedHours: _, count, ...rest }: AutoStop, id: AutoStop["id"]): AutoStop => ({
  ...{ ...rest, id, version: 1, until: null, ending: "remind", count: count + 1 },
});

/** What a look at `now` adds to what was seen. Undefined if it says nothing, as there is no contact. */
export function addLook(
  step: SecondStep,
  span: StoppedSpan | undefined,
  instance: Instance,
  now: number,
): StoppedSpan | undefined {
  if (isMeantToRun(instance)) return { version: 1, from: null, to: now };
  if (!["stopping", "stopped"].includes(getPhase(instance))) return undefined;
  const isSeen = span ? isUnbroken(span, now) : now <= toFirstLook(step);
  return { version: 1, from: isSeen ? (span?.from ?? now) : null, to: now };
}

/** When someone must have looked first. */
const toFirstLook = ({ until, stoppedHours }: SecondStep): number => until - stoppedHours * HOUR + GAP;

const isUnbroken = ({ from, to }: StoppedSpan, now: number): boolean => from !== null && to <= now && now - to < GAP;

/** Whether someone started it, whether or not it runs yet. */
export const isMeantToRun = (instance: Instance): boolean =>
  ["running", "starting", "scheduling"].includes(getPhase(instance));

/** Whether it was seen stopped for all of the time that it must be, up to now. */
export const wasStoppedAllAlong = ({ stoppedHours }: SecondStep, span: StoppedSpan | undefined, now: number): boolean =>
  span !== undefined && span.from !== null && isUnbroken(span, now) && now - span.from >= stoppedHours * HOUR;

/** Whether that can still become true at its time, if someone goes on looking. */
export const mayHaveBeenStopped = (step: SecondStep, span: StoppedSpan | undefined, now: number): boolean =>
  span ? isUnbroken(span, now) : now <= toFirstLook(step);
