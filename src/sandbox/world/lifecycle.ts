// What becomes of an instance after its start: stopped, started, rebooted, outbid and resumed, each as moments on its timeline.

import { Refusal } from "../base/refusal.ts";
import type { StoredInstance } from "./instance.ts";
import { cutShort, isDead, type Moment, momentAt, startTimeline } from "./timeline.ts";

const STOPPING = 3;
const REBOOTING = 20;

function restarted(instance: StoredInstance, now: number): Moment[] {
  const { image, runtype } = instance.configuration;
  const beginning = cutShort(instance.timeline, { at: now, status: "loading", message: "Starting the container" });
  return [...beginning, ...startTimeline({ from: now, image, runtype, fate: instance.offer.fate, aim: "running" })];
}

/** Ends its run; the disk stays, and its GPU may go to others. What is dead keeps the status that says so. */
export function stop(instance: StoredInstance, now: number): void {
  if (instance.intended === "stopped") return;
  instance.intended = "stopped";
  instance.held = false;
  const moment = momentAt(instance.timeline, now);
  if (isDead(moment)) return;
  const at = moment.status === "running" ? now + STOPPING : now;
  instance.timeline = cutShort(instance.timeline, { at, status: "stopped", message: "Stopped" });
}

/**
 * Wants it running. True where it is on its way now, false where it waits for its GPU.
 * @throws Refusal 400 `invalid_state` for what is dead. A success that changes nothing would leave the client waiting for,
 * and paying for, a machine that never comes (interface 3, rule 1).
 */
export function start(instance: StoredInstance, now: number, canHold: boolean): boolean {
  const moment = momentAt(instance.timeline, now);
  if (isDead(moment))
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
  instance.timeline = cutShort(instance.timeline, { at: now, status: "stopped", message });
  return false;
}

/** @throws Refusal 200 `invalid_id` where no container runs. */
export function reboot(instance: StoredInstance, now: number): void {
  if (momentAt(instance.timeline, now).status !== "running")
    throw new Refusal(200, "invalid_id", `Instance ${instance.id} could not be rebooted. Is the container started?`);
  const after = startTimeline({
    from: now + REBOOTING - 15,
    image: instance.configuration.image,
    runtype: instance.configuration.runtype,
    fate: "runs",
    aim: "running",
  });
  const message = "Rebooting";
  instance.timeline = [...cutShort(instance.timeline, { at: now, status: "rebooting", message }), ...after];
}

/** What the market says to one instance. Times are UTC epoch seconds. */
export interface Rivals {
  /** Whether its GPU is to be had for it at a time. */
  canHold(instance: StoredInstance, time: number): boolean;
  /** Every time after `from` and up to `to` at which that may change, in order. */
  changes(instance: StoredInstance, from: number, to: number): readonly number[];
}

/**
 * Lets the market act on one instance from `from` to `to` (UTC epoch seconds): a bid below the price loses the GPU, a wish
 * that waits gets it back. What is stopped by its owner, or dead, stays as it is.
 */
export function follow(instance: StoredInstance, rivals: Rivals, from: number, to: number): void {
  if (instance.intended !== "running" || (instance.type === "ondemand" && instance.held)) return;
  // The present end counts too: an own rental that ended, or a raised bid, frees the way between two moves.
  for (const time of [...rivals.changes(instance, from, to), to]) {
    if (isDead(momentAt(instance.timeline, time))) continue;
    const can = rivals.canHold(instance, time);
    if (instance.held && !can) {
      instance.held = false;
      const message = "Outbid: somebody pays more for this machine";
      instance.timeline = cutShort(instance.timeline, { at: time, status: "stopped", message });
    } else if (!instance.held && can) {
      instance.held = true;
      instance.timeline = restarted(instance, time);
    }
  }
}
