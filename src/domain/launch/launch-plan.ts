// What a person chose to rent, validated while typing and reviewed before anything is paid.
import { toPrice } from "../base/money.ts";
import { type AutoStopWish, calculateEndTime } from "../instance/auto-stop.ts";
import type { IdleWish } from "../instance/idle-order.ts";
import { toOverlayKey } from "../instance/overlay.ts";
import { buildSelfStopScript, findNoSelfStop, type NoSelfStop, withSelfStop } from "../instance/self-stop.ts";
import { calculateDiskPrice } from "../offer/disk.ts";
import { getHourlyPrice, type Offer, type RentalType } from "../offer/offer.ts";
import type { OfferJob } from "../offer/table/job.ts";
import { getRuntype, type RUNTYPES, type Template } from "../template/template.ts";
import type { CreateInstanceBody } from "./create-request.ts";
import type { LaunchConfiguration } from "./launch-configuration.ts";

/** Who asks for a launch or a search from outside. */
export type Asker = "link" | "extension";

/** Everything the person chose. The label is their own; the launch service adds its token in front. */
export interface LaunchPlan {
  readonly offer: Offer;
  readonly type: RentalType;
  readonly template: Template | undefined;
  readonly image: string | undefined;
  readonly runtype: (typeof RUNTYPES)[number] | undefined;
  readonly diskGb: number;
  readonly label: string;
  /** Dollars per hour; interruptible only. */
  readonly bid: number | undefined;
  /** When it is to end. Kept by the editor; sent only as part of the start script of an instance that is to end itself, too. */
  readonly end?: AutoStopWish | undefined;
  /** What the editor does once it is idle. Never sent. */
  readonly idle?: IdleWish | undefined;
  /** The most that it may cost in $/h for what it is rented for, beside the person's own limits. */
  readonly mostPerHour?: number | undefined;
  /** The overlay network to rent it into, by its name. Only machines of the network's cluster can join it. */
  readonly overlay?: string | undefined;
  /** What was set beyond the template and the defaults. */
  readonly configuration?: LaunchConfiguration | undefined;
  /** What the person is going to do with it, where they said so. Never sent. */
  readonly job?: OfferJob | undefined;
  /** Dollars per hour of the volume that is created with it; undefined without one, or if its price is unknown. */
  readonly volumePrice?: number | undefined;
  /** The machine that has the volume of this launch, or gets it; undefined if any machine can have it, or no one knows. */
  readonly volumeMachine?: number | undefined;
  /** What it is modeled on had a registry login that no one knows any longer. */
  readonly lostLogin?: boolean | undefined;
  /** What asked for it from outside: whoever wrote that chose the template. Never sent. */
  readonly askedBy?: Asker | undefined;
}

/** What decides what a request says, and how the instance is logged in to. */
type Configured = Pick<LaunchPlan, "template" | "runtype" | "configuration">;

/**
 * Dollars per hour this plan costs while running. An on-demand price includes the disk; a bid is for the machine alone,
 * and the disk is extra. Undefined if a part is unknown.
 */
export function calculatePlanPrice(plan: Pick<LaunchPlan, "offer" | "type" | "bid" | "diskGb">): number | undefined {
  if (plan.type !== "bid") return getHourlyPrice(plan.offer);
  const [bid, disk] = [toPrice(plan.bid), calculateDiskPrice(plan.offer, plan.diskGb)];
  return bid === undefined || disk === undefined ? undefined : bid + disk;
}

/** Whether it waits for the person to start it. Until then, only its disk is billed. */
export const isCreatedStopped = ({ configuration }: Pick<LaunchPlan, "configuration">): boolean =>
  configuration?.target_state === "stopped";

/** Whether it lacks a login that no one has entered again. */
export const isLoginLost = ({ lostLogin, configuration }: Pick<LaunchPlan, "lostLogin" | "configuration">): boolean =>
  lostLogin === true && configuration?.image_login === undefined;

/** Dollars per hour with the volume that is created for it, which is billed on its own. Undefined if a part is unknown. */
export function calculateBilledPrice(
  plan: Parameters<typeof calculatePlanPrice>[0] & Pick<LaunchPlan, "configuration" | "volumePrice">,
): number | undefined {
  const [price, volume] = [calculatePlanPrice(plan), plan.volumePrice];
  if (plan.configuration?.volume_info?.create_new !== true) return price;
  return price === undefined || volume === undefined ? undefined : price + volume;
}

/**
 * The request for a plan that is sent at `now`, in epoch milliseconds. Unless someone wants to wait, `cancel_unavail` prevents an on-demand
 * launch from leaving a stopped, billed instance behind.
 */
export function toLaunchRequest(plan: Omit<LaunchPlan, "offer">, label: string, now: number): CreateInstanceBody {
  const { configuration = {}, template, image, runtype, overlay, bid } = plan;
  const onDemand = plan.type === "ondemand";
  const onstart = startScript(plan, now) ?? configuration.onstart;
  const env = { ...configuration.env, ...(overlay === undefined ? {} : { [toOverlayKey(overlay)]: "1" }) };
  return {
    ...(template ? { template_hash_id: template.hash_id } : {}),
    ...(image === undefined ? {} : { image }),
    ...(runtype === undefined ? {} : { runtype }),
    disk: plan.diskGb,
    label,
    ...(onDemand ? { cancel_unavail: true } : {}),
    ...(bid === undefined || onDemand ? {} : { price: bid }),
    target_state: "running",
    ...configuration,
    ...(onstart === undefined ? {} : { onstart }),
    ...(Object.keys(env).length === 0 ? {} : { env }),
  };
}

/** The script that runs at the start: the request's in place of the template's. */
const findScript = ({ configuration, template }: Configured): string | undefined =>
  configuration?.onstart ?? template?.onstart;

/** A request's start script takes the place of the template's, so it has that one in it. Undefined if the plan doesn't end itself. */
function startScript(plan: Omit<LaunchPlan, "offer">, now: number): string | undefined {
  const { end } = plan;
  const base = end?.byItself;
  if (!end || base === undefined || end.ending === "remind") return undefined;
  const no = findNoSelfStopInPlan(plan, base);
  // One that is too long is shown, and refused before it is sent.
  if (no !== undefined && no.kind !== "too-long") return undefined;
  return withSelfStop(
    findScript(plan),
    buildSelfStopScript({ base, until: calculateEndTime(end, now), ending: end.ending }),
  );
}

/** Why what is rented by a plan can't end itself at this service. Undefined if it can. */
export function findNoSelfStopInPlan(plan: Configured, base: string): NoSelfStop | undefined {
  const { hasSsh, isVm } = readLaunchAccess(plan);
  return hasSsh && !isVm ? findNoSelfStop(base, findScript(plan)) : { kind: "no-start" };
}

/** How what is rented by a plan is logged in to. */
interface LaunchAccess {
  /** False for an image that is started with its own entrypoint. */
  readonly hasSsh: boolean;
  /** A virtual machine takes the account's SSH keys when it is created, and none later. */
  readonly isVm: boolean;
}

/** A virtual machine is asked for by the request, or by a template through the machines that it searches for. */
export function readLaunchAccess(plan: Configured): LaunchAccess {
  const { template, runtype = template && getRuntype(template), configuration } = plan;
  const isVm = configuration?.vm ?? template?.extra_filters?.vms_enabled?.eq === true;
  return { hasSsh: isVm || !/^args\b/.test(runtype ?? "args"), isVm };
}
