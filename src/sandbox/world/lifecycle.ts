// What happens to an instance after its creation: stopped, started, rebooted, outbid and resumed, as moments on its
// timeline.

import { Refusal } from "../base/refusal.ts";
import type { StoredInstance } from "./instance.ts";
import { toBootFate } from "./registries.ts";
import {
  createBootTimeline,
  createStartTimeline,
  cutTimeline,
  findMoment,
  isDeadMoment,
  type Moment,
} from "./timeline.ts";

const STOPPING = 3;
/** Seconds until a reboot starts the container again. */
const REBOOTING = 5;

function restarted(instance: StoredInstance, now: number): Moment[] {
  const { bootSpeed: speed } = instance;
  const { image, runtype } = instance.configuration;
  const fate = toBootFate(instance.configuration, instance.offer.fate);
  const beginning = cutTimeline(instance.timeline, { at: now, status: "loading", message: "Starting the container" });
  return [...beginning, ...createStartTimeline({ from: now, image, runtype, fate, aim: "running", speed })];
}

/** Stops the instance. The disk stays, and others may rent the GPU. A dead instance keeps its status. */
export function stopInstance(instance: StoredInstance, now: number): void {
  if (instance.intended === "stopped") return;
  instance.intended = "stopped";
  instance.held = false;
  const moment = findMoment(instance.timeline, now);
  if (isDeadMoment(moment)) return;
  const at = moment.status === "running" ? now + STOPPING : now;
  instance.timeline = cutTimeline(instance.timeline, { at, status: "stopped", message: "Stopped" });
}

/** Stops an instance that runs although no one can pay for it. */
export function stopUnpaid(instance: StoredInstance, now: number): void {
  if (findMoment(instance.timeline, now).status !== "running") return;
  instance.intended = "stopped";
  instance.held = false;
  const message = "Stopped: the account has no credit left";
  instance.timeline = cutTimeline(instance.timeline, { at: now, status: "stopped", message });
}

/**
 * Sets the instance to running. True if it starts now, false if it waits for its GPU.
 * @throws Refusal 400 `invalid_state` for a dead instance. A success without effect would leave the client waiting, and
 * paying, for a machine that never runs (interface 3, rule 1).
 */
export function startInstance(instance: StoredInstance, now: number, canHold: boolean): boolean {
  const moment = findMoment(instance.timeline, now);
  if (isDeadMoment(moment))
    throw new Refusal(
      400,
      "invalid_state",
      `Instance ${instance.id} is ${moment.status} and never runs again. Destroy it and rent another machine.`,
    );
  if (instance.intended === "running" && instance.held) return true;
  instance.intended = "running";
  instance.held = canHold;
  if (canHold) {
    instance.timeline = restarted(instance, now);
    return true;
  }
  const message = "Waiting for its GPU: it is rented by somebody else";
  instance.timeline = cutTimeline(instance.timeline, { at: now, status: "stopped", message });
  return false;
}

function requireRunning(instance: StoredInstance, now: number, done: string): void {
  if (findMoment(instance.timeline, now).status !== "running")
    throw new Refusal(200, "invalid_id", `Instance ${instance.id} could not be ${done}. Is the container started?`);
}

/** @throws Refusal 200 `invalid_id` if no container runs. */
export function rebootInstance(instance: StoredInstance, now: number): void {
  requireRunning(instance, now, "rebooted");
  const { bootSpeed: speed, configuration } = instance;
  const { image, runtype } = configuration;
  const from = now + REBOOTING / speed;
  const after = createStartTimeline({ from, image, runtype, fate: "runs", aim: "running", speed });
  const message = "Rebooting";
  instance.timeline = [...cutTimeline(instance.timeline, { at: now, status: "rebooting", message }), ...after];
}

/**
 * Puts a new container in the place of the old one, from an image that is pulled again. It keeps its GPU and loses its
 * disk. @throws Refusal 200 `invalid_id` if no container runs.
 */
export function replaceContainer(instance: StoredInstance, now: number): void {
  requireRunning(instance, now, "recycled");
  const { bootSpeed: speed, configuration } = instance;
  const { image, runtype } = configuration;
  const [, ...after] = createBootTimeline({ from: now, image, runtype, fate: "runs", aim: "running", speed });
  const message = "Recycling";
  instance.timeline = [...cutTimeline(instance.timeline, { at: now, status: "recycling", message }), ...after];
  instance.recycledAt = now;
}

/** The market from one instance's view. Times are UTC epoch seconds. */
export interface Rivals {
  /** Whether the instance can have its GPU at a time. */
  canHold(instance: StoredInstance, time: number): boolean;
  /** Every time after `from` and up to `to` at which that may change, in order. */
  changes(instance: StoredInstance, from: number, to: number): readonly number[];
}

/**
 * Applies the market to one instance from `from` to `to` (UTC epoch seconds): a bid below the price loses the GPU, and
 * a waiting instance gets it back. An instance that is dead, or stopped by its owner, stays as it is.
 */
export function followMarket(instance: StoredInstance, rivals: Rivals, from: number, to: number): void {
  if (instance.intended !== "running" || (instance.type === "ondemand" && instance.held)) return;
  // Includes `to`: the end of another rental, or a raised bid, may free the GPU between two price changes.
  for (const time of [...rivals.changes(instance, from, to), to]) {
    if (isDeadMoment(findMoment(instance.timeline, time))) continue;
    const can = rivals.canHold(instance, time);
    if (instance.held && !can) {
      instance.held = false;
      const message = "Outbid: somebody pays more for this machine";
      instance.timeline = cutTimeline(instance.timeline, { at: time, status: "stopped", message });
    } else if (!instance.held && can) {
      instance.held = true;
      instance.timeline = restarted(instance, time);
    }
  }
}
