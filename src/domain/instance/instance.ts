// An instance: a rented machine, the service's last record of it, and what that means (interface 2.2, 3).
import * as z from "zod";
import { InstanceId } from "../base/id.ts";
import { toPrice } from "../base/money.ts";
import { bool, int, num, share, str } from "../base/wire.ts";
import { readExtraEnv } from "./extra-env.ts";
import { judgeStartFailure } from "./start-failure.ts";
import { readMountedVolumes } from "./volume.ts";

/** Units: `dph_total`, `storage_total_cost`, `min_bid` $/h; `gpu_ram` MB; `disk_space` GB; dates UTC epoch seconds. */
export const Instance = z.object({
  id: InstanceId,
  actual_status: str,
  intended_status: str,
  cur_state: str,
  next_state: str,
  status_msg: str,
  label: str,
  gpu_name: str,
  num_gpus: int,
  gpu_ram: num,
  gpu_util: num,
  gpu_temp: num,
  dph_total: num,
  storage_total_cost: num,
  is_bid: bool,
  min_bid: num,
  machine_id: int,
  host_id: int,
  image_uuid: str,
  image_runtype: str,
  template_name: str,
  template_hash_id: str,
  disk_space: num,
  disk_usage: num,
  reliability2: share,
  geolocation: str,
  public_ipaddr: str,
  ssh_host: str,
  ssh_port: int,
  /** Public addresses by the port inside, as docker lists them; `readSshAddresses` reads them. */
  ports: z.unknown().optional(),
  /** Opens its notebook server: a secret, never to be shown. */
  jupyter_token: str,
  /** Its values may be secrets. */
  extra_env: z.unknown().transform(readExtraEnv).optional(),
  /** The volumes that are mounted in it, by their numbers: they outlive it, and are billed on their own. */
  volume_info: z.unknown().transform(readMountedVolumes).optional(),
  start_date: num,
  /** Minutes since it began to run; absent while it doesn't. */
  uptime_mins: num,
  /** When the contract ends at the latest. */
  end_date: num,
});
export type Instance = z.infer<typeof Instance>;

/**
 * - `starting`: on its way up (no status yet, created, loading, rebooting …)
 * - `scheduling`: should be running, but its GPU is taken for now
 * - `ended`: `exited`; crashed, or stopped if the service doesn't say which
 * - `failed`: on its way up, but what the service says of it can't succeed
 * - `lost`: `unknown` or `offline`; the service has no contact with it
 * - `unclear`: an undocumented status
 */
export type Phase =
  | "starting"
  | "running"
  | "stopping"
  | "stopped"
  | "scheduling"
  | "ended"
  | "failed"
  | "lost"
  | "unclear";

const UNDER_WAY = new Set(["created", "loading", "creating", "rebooting", "recycling", "restarting", "connecting"]);

/** Of one that is started again, the message may be of the time before. */
const isFirstStart = (status: string | undefined): boolean =>
  status === undefined || ["created", "loading", "creating"].includes(status);

/** Whether its container may be running. Without contact, the service can't say. */
export const mayRun = (instance: Instance): boolean => ["running", "lost", "unclear"].includes(getPhase(instance));

export function getPhase(instance: Instance): Phase {
  const status = instance.actual_status;
  const wantsStop = instance.intended_status === "stopped";
  if (status === "running") return wantsStop ? "stopping" : "running";
  if (status === "stopped" || status === "frozen") return isQueued(instance) ? "scheduling" : "stopped";
  if (status === "exited" && wantsStop) return "stopped";
  if (status === "exited") return isQueued(instance) ? "scheduling" : "ended";
  if (status === "unknown" || status === "offline") return "lost";
  if (status !== undefined && !UNDER_WAY.has(status)) return "unclear";
  if (wantsStop) return "stopped";
  return isFirstStart(status) && judgeStartFailure(instance.status_msg) !== undefined ? "failed" : "starting";
}

/** Should be running while the contract is held stopped: outbid, or someone else rents the GPU. */
function isQueued(instance: Instance): boolean {
  return instance.intended_status === "running" && instance.cur_state === "stopped";
}

/** True while the status is likely to change soon. Waiting for a GPU may take days, so it doesn't count. */
export function isInTransition(instance: Instance): boolean {
  const now = getPhase(instance);
  return now === "starting" || now === "stopping";
}

/** Someone stopped it, whatever the service calls it then. Its disk is kept for its owner. */
export function isStopped(instance: Instance): boolean {
  return instance.intended_status === "stopped" || getPhase(instance) === "stopped";
}

/** Should be running but never will (interface 3, rule 1): it can only be destroyed or replaced by another machine. */
export function isDead(instance: Instance): boolean {
  return !isStopped(instance) && ["ended", "failed", "lost"].includes(getPhase(instance));
}

/** Whether its image is started with an SSH server at all: one with its own entrypoint isn't (interface 4.3). */
export function hasSsh({ image_runtype: runtype }: Pick<Instance, "image_runtype">): boolean {
  return runtype === undefined || !/^args\b/.test(runtype);
}

/**
 * How far the SSH server of a running machine is, as seen from this computer. It starts up to a minute after the machine.
 * - `starting`: waited for
 * - `ready`: it answered
 * - `silent`: it didn't answer as long as it was waited for
 */
export type SshState = "starting" | "ready" | "silent";

/** Whether it may still be stopped: it runs, is on its way up, or waits for its GPU. */
export function isStoppable(instance: Instance): boolean {
  return ["starting", "running", "scheduling", "unclear"].includes(getPhase(instance));
}

/** The contract is held stopped: the disk is billed, the GPU isn't. */
export function billsOnlyDisk(instance: Instance): boolean {
  return ["stopped", "scheduling"].includes(getPhase(instance));
}

/** What it costs per hour in its present phase, if the service says so. Without its GPU, the disk is still billed. */
export function getReportedPrice(instance: Instance): number | undefined {
  return billsOnlyDisk(instance) ? toPrice(instance.storage_total_cost) : toPrice(instance.dph_total);
}

/** Dollars per hour in the present state as the service reports it; until it does, the price confirmed at launch. */
export function getCurrentPrice({
  value,
  launchPrice,
}: {
  value: Instance;
  launchPrice: number | undefined;
}): number | undefined {
  return getReportedPrice(value) ?? (billsOnlyDisk(value) ? undefined : launchPrice);
}

/** Whether it has certainly run without a pause since a moment. `at`, `now`: epoch milliseconds. */
export function hasRunSince({ uptime_mins: minutes }: Pick<Instance, "uptime_mins">, at: number, now: number): boolean {
  return minutes !== undefined && minutes >= 0 && minutes < 1e8 && now - minutes * 60_000 <= at;
}

const TOKEN = /^vsc-[a-z2-7]{16}(?: |$)/;

/** The launch token at the start of a label. It identifies a rental. */
export function readLaunchToken(label: string | undefined): string | undefined {
  return label === undefined ? undefined : TOKEN.exec(label)?.[0].trim();
}

/** Seconds by which this computer's clock and the service's may differ. */
export const CLOCKS_APART_SECONDS = 86_400;

/** Epoch milliseconds; undefined where the service says no plausible time. */
export const findRentedAt = ({ start_date: start }: Pick<Instance, "start_date">): number | undefined =>
  start !== undefined && start > 0 && start < 1e11 ? start * 1000 : undefined;

/** The label as its owner wrote it, without the launch token. */
export function withoutLaunchToken(label: string | undefined): string {
  return (label ?? "").replace(TOKEN, "").trim();
}
