// What someone does to a world to rehearse: machines that fail, others who bid more, time that passes at once.
import type { StoredInstance } from "./instance.ts";
import { cutTimeline, findMoment, isDeadMoment } from "./timeline.ts";
import type { World } from "./world.ts";

/** The service's own words for each way to fail. */
const FAILURES = {
  exited: "Error: container exited with code 137",
  offline: "The host has lost its connection",
  unknown: "No heartbeat from the machine",
};

/** By how much a rival bids more, at least in dollars per hour. */
const RAISE = 1.25;
const LEAST_RAISE = 0.001;

export class Rehearsal {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  /** Ends an instance as its machine would. False if it isn't there, is stopped, or has failed already. */
  fail(id: number, status: keyof typeof FAILURES): boolean {
    const instance = this.#find(id);
    if (instance === undefined || instance.intended === "stopped") return false;
    const now = this.#world.getNow();
    if (isDeadMoment(findMoment(instance.timeline, now))) return false;
    instance.timeline = cutTimeline(instance.timeline, { at: now, status, message: FAILURES[status] });
    return true;
  }

  /**
   * Raises the minimum bid of an interruptible instance above its own, for good. False if it has no bid, or doesn't hold its GPU.
   */
  outbid(id: number): boolean {
    const instance = this.#find(id);
    if (instance?.type !== "bid" || !instance.held) return false;
    const now = this.#world.getNow();
    if (isDeadMoment(findMoment(instance.timeline, now))) return false;
    const price = Math.max(instance.gpuPrice * RAISE, instance.gpuPrice + LEAST_RAISE);
    this.#world.bids.fix(instance.offer, Math.ceil(price * 10_000) / 10_000, now);
    this.#world.settle();
    return true;
  }

  /** Moves time on at once. What happens in the meantime happens, and is charged. */
  skip(seconds: number): void {
    this.#world.settle();
    this.#world.skipped += seconds;
    this.#world.settle();
  }

  /** As it is now: the world catches up only when it is asked. */
  #find(id: number): StoredInstance | undefined {
    this.#world.settle();
    return this.#world.findInstance(id);
  }
}
