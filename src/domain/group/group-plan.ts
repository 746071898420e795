// A group in the making, and what is confirmed: a launch for each machine, and what becomes of them together.
import { addPrices, formatTotal } from "../base/money.ts";
import { type AutoStopWish, calculateEndTime } from "../instance/auto-stop.ts";
import { findCommonCluster, type OverlayWish } from "../instance/overlay.ts";
import { type LaunchDraft, toLaunchPlan } from "../launch/launch-draft.ts";
import { calculatePlanPrice, type LaunchPlan, readLaunchAccess } from "../launch/launch-plan.ts";
import type { Offer } from "../offer/offer.ts";
import type { GroupPolicy } from "./group-record.ts";

/** Everything chosen so far. `base` is what all of its machines have in common; its label and its offer aren't used. */
export interface GroupDraft {
  readonly base: LaunchDraft;
  readonly name: string;
  /** Different machines, one for each rank, with the price of the disk in `base`. */
  readonly offers: readonly Offer[];
  /** Others of the same search, for those that someone else takes in the meantime. */
  readonly spares: readonly Offer[];
  /** Whether the machines are to belong to different hosts. */
  readonly isApart: boolean;
  /** How many must run; undefined for all of them. */
  readonly least: number | undefined;
  readonly rest: GroupPolicy["rest"];
  readonly minutes: number;
  /** Only where all machines stand in its cluster. */
  readonly overlay?: OverlayWish | undefined;
}

/** Minutes that a group has to run. */
export const USUAL_RUNNING_MINUTES = 20;

export interface GroupPlan {
  readonly name: string;
  /** By rank. */
  readonly machines: readonly LaunchPlan[];
  readonly spares: readonly Offer[];
  readonly isApart: boolean;
  readonly policy: GroupPolicy;
  /** The network that all of them are rented into. */
  readonly overlay: OverlayWish | undefined;
}

export function toGroupPlan(draft: GroupDraft): GroupPlan {
  const { base, name, offers, spares, isApart, least, rest, minutes } = draft;
  const overlay = findJoinable(draft) === draft.overlay?.cluster ? draft.overlay : undefined;
  const machines = offers.map((offer, rank) => ({
    ...toLaunchPlan({ ...base, offer }),
    label: formatMemberLabel(name, rank),
    overlay: overlay?.name,
  }));
  return {
    name,
    machines,
    spares,
    isApart,
    overlay,
    policy: { least: Math.min(least ?? offers.length, offers.length), rest, minutes },
  };
}

/** The cluster on which a network can join them: containers that all stand in it. */
export function findJoinable({ base, offers }: Pick<GroupDraft, "base" | "offers">): number | undefined {
  return readLaunchAccess(base).isVm ? undefined : findCommonCluster(offers);
}

/** The label of a member, after its launch token. */
export function formatMemberLabel(name: string, rank: number): string {
  return `${name}/${rank}`;
}

/** Dollars per hour of all machines; undefined if one of the prices is unknown. */
export function sumPrice(machines: readonly LaunchPlan[]): number | undefined {
  return addPrices(machines.map(calculatePlanPrice));
}

/** What all machines cost at most until their end, in words; undefined without an end that ends them. */
export function formatCostToEnd(
  machines: readonly LaunchPlan[],
  end: AutoStopWish | undefined,
  now: number,
): string | undefined {
  if (!end || end.ending === "remind") return undefined;
  return formatTotal(sumPrice(machines), Math.max(0, calculateEndTime(end, now) - now) / 3_600_000);
}
