// The second step of an auto-stop: what it stopped is destroyed once it was stopped for so long, all of the time. Its disk bills as long as
// it is there, but what someone started in between may have new work on that disk.
import * as z from "zod";
import { EpochTime } from "../base/epoch-time.ts";
import type { AutoStop } from "./auto-stop.ts";
import { getPhase, type Instance } from "./instance.ts";

/** Hours from the stop to the second step. */
export const SECOND_STEP_HOURS = 24;
const HOUR = 3_600_000;
/** Milliseconds between two looks at most, by whichever clock: what starts and stops again in a shorter time may not be seen. */
export const LOOK_GAP = 180_000;
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

/** At `now`, it may have run. */
export const buildGap = (now: number): StoppedSpan => ({ version: 1, from: null, to: now });

/** In the place of one that can't be read: it may have said that the instance ran. */
export const UNREAD_SPAN = buildGap(0);

/** Whatever its version says: what names hours destroys nothing without them. */
export const isSecondStep = (autoStop: AutoStop): autoStop is SecondStep =>
  autoStop.ending === "destroy" && autoStop.until !== null && autoStop.stoppedHours !== undefined;

/** What follows an end that stopped its instance at `stoppedAt`, in epoch milliseconds; undefined if nothing does. */
export function buildSecondStep(autoStop: AutoStop, id: AutoStop["id"], stoppedAt: number): SecondStep | undefined {
  const { until, ending, stoppedHours, count, ...rest } = autoStop;
  if (until === null || ending !== "stop" || stoppedHours === undefined) return undefined;
  const next = { ...rest, id, version: 2, ending: "destroy", stoppedHours, count: count + 1 } as const;
  return { ...next, until: Math.max(until, stoppedAt) + stoppedHours * HOUR };
}

/** When it was stopped, in epoch milliseconds, or a little later. */
export const findSecondStart = ({ until, stoppedHours }: SecondStep): number => until - stoppedHours * HOUR;

/** Takes a second step back. What someone sets at the same moment holds instead. */
export const buildCalledOff = ({ stoppedHours: _, count, ...rest }: AutoStop, id: AutoStop["id"]): AutoStop => ({
  ...{ ...rest, id, version: 1, until: null, ending: "remind", count: count + 1 },
});

/** What begins with a look at `now` that saw it stopped, if it was stopped no earlier than at `stoppedAt`. Undefined if no one looked in between. */
export const buildFirstSpan = (stoppedAt: number, now: number): StoppedSpan | undefined =>
  now >= stoppedAt && now - stoppedAt < LOOK_GAP ? { version: 1, from: now, to: now } : undefined;

/** What a look at `now` adds to what was seen. Undefined if it says nothing, as there is no contact, or it isn't stopped yet. */
export function addLook(span: StoppedSpan | undefined, instance: Instance, now: number): StoppedSpan | undefined {
  if (!isSeenStopped(instance) && !isMeantToRun(instance) && isUntold(instance)) return undefined;
  const from = isSeenStopped(instance) && mayHaveBeenStopped(span, now) ? span.from : null;
  return { version: 1, from, to: now };
}

/** Whether someone started it, whether or not it runs yet. An answer that lacks what it would say isn't one that says so. */
export const isMeantToRun = ({ intended_status: intended, actual_status: actual }: Instance): boolean =>
  intended === "running" || (intended !== "stopped" && actual === "running");

/** What is only loading, or isn't said, proves nothing, whatever it is to become. */
const AT_REST = new Set(["stopped", "exited"]);

/** Whether it is stopped, or on its way there, and nothing that the service says speaks against it. */
export function isSeenStopped(instance: Instance): boolean {
  const { intended_status: intended, cur_state: held, actual_status: actual } = instance;
  if (intended !== undefined && intended !== "stopped") return false;
  const phase = getPhase(instance);
  if (phase === "stopping") return true;
  return phase === "stopped" && held !== "running" && actual !== undefined && AT_REST.has(actual);
}

/** Whether there is no contact, or its GPU is still held for it although it is to be stopped. */
const isUntold = (instance: Instance): boolean =>
  getPhase(instance) === "lost" || (instance.intended_status === "stopped" && instance.cur_state === "running");

/** Whether it was seen stopped for all of the time that it must be, up to now. */
export const wasStoppedAllAlong = ({ stoppedHours }: SecondStep, span: StoppedSpan | undefined, now: number): boolean =>
  mayHaveBeenStopped(span, now) && now - span.from >= stoppedHours * HOUR;

/** Whether that can still become true at its time, if someone goes on looking. */
export const mayHaveBeenStopped = (
  span: StoppedSpan | undefined,
  now: number,
): span is StoppedSpan & { readonly from: number } =>
  span !== undefined && span.from !== null && span.from <= span.to && span.to <= now && now - span.to < LOOK_GAP;
