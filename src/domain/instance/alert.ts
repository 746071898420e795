// What happens to an instance on its own and must be told at once.
import { getPhase, type Instance } from "./instance.ts";

/**
 * - `outbid`: someone bids more for its GPU, so it waits, and its disk is billed
 * - `disk`: its disk is almost full
 */
export const ALERTS = ["outbid", "disk"] as const;
export type AlertKind = (typeof ALERTS)[number];

/** Shares of the disk from which on it is told, and below which it is over: a disk that goes up and down is told once. */
const [FULL, ROOMY] = [0.9, 0.85];

/** How full its disk is, from 0 to 1; undefined if the service doesn't say, or says what can't be. */
export function calculateDiskShare({ disk_usage: used, disk_space: space }: Instance): number | undefined {
  if (used === undefined || space === undefined || used < 0 || space <= 0 || used > space * 1.1) return undefined;
  return Math.min(1, used / space);
}

export function hasAlert(instance: Instance, kind: AlertKind): boolean {
  if (kind === "outbid") return instance.is_bid === true && getPhase(instance) === "scheduling";
  return getPhase(instance) === "running" && (calculateDiskShare(instance) ?? 0) >= FULL;
}

/** Whether it may be told again, the next time that it happens. What isn't known isn't over. */
export function isAlertOver(instance: Instance, kind: AlertKind): boolean {
  if (kind === "outbid") return ["starting", "running", "stopping", "stopped"].includes(getPhase(instance));
  return (calculateDiskShare(instance) ?? 1) < ROOMY;
}
