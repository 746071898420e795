// An instance: a rented machine, what the service last said of it, and what that means (interface 2.2, 3).
import * as z from "zod";
import { InstanceId } from "../base/id.ts";
import { knownPrice } from "../base/money.ts";
import { bool, int, num, str } from "../base/wire.ts";

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
  image_uuid: str,
  image_runtype: str,
  template_name: str,
  template_hash_id: str,
  disk_space: num,
  disk_usage: num,
  reliability2: num,
  geolocation: str,
  public_ipaddr: str,
  ssh_host: str,
  ssh_port: int,
  start_date: num,
});
export type Instance = z.infer<typeof Instance>;

/**
 * - `starting`: on its way up (no status yet, created, loading, rebooting …)
 * - `scheduling`: wanted running, but its GPU is taken for now
 * - `ended`: `exited`; crashed, or stopped where the service does not say which
 * - `lost`: `unknown` or `offline`; the service has no contact with it
 * - `unclear`: a status nobody documented
 */
export type Phase = "starting" | "running" | "stopping" | "stopped" | "scheduling" | "ended" | "lost" | "unclear";

const UNDER_WAY = new Set(["created", "loading", "creating", "rebooting", "recycling", "restarting", "connecting"]);

export function phase(instance: Instance): Phase {
  const status = instance.actual_status;
  const wantsStop = instance.intended_status === "stopped";
  if (status === "running") return wantsStop ? "stopping" : "running";
  if (status === "stopped" || status === "frozen") return isQueued(instance) ? "scheduling" : "stopped";
  if (status === "exited" && wantsStop) return "stopped";
  if (status === "exited") return isQueued(instance) ? "scheduling" : "ended";
  if (status === "unknown" || status === "offline") return "lost";
  if (status === undefined || UNDER_WAY.has(status)) return wantsStop ? "stopped" : "starting";
  return "unclear";
}

/** Wanted running while the contract itself is held stopped: outbid, or the GPU is rented by somebody else. */
function isQueued(instance: Instance): boolean {
  return instance.intended_status === "running" && instance.cur_state === "stopped";
}

/** True while the next answer is likely to differ from this one; waiting for a GPU may take days and is not that. */
export function inTransition(instance: Instance): boolean {
  const now = phase(instance);
  return now === "starting" || now === "stopping";
}

/** While waiting for a launch: these are never followed by `running` (interface 3, rule 1). */
export function isDead(instance: Instance): boolean {
  return ["exited", "unknown", "offline"].includes(instance.actual_status ?? "");
}

/** Rented and wanted running, and it never will be: it can only be destroyed, or replaced by another machine. */
export function isLost(instance: Instance): boolean {
  return ["ended", "lost"].includes(phase(instance));
}

/** Its contract is held stopped: the disk is paid for, the GPU is not. */
function onlyDisk(instance: Instance): boolean {
  return ["stopped", "scheduling"].includes(phase(instance));
}

/** What it costs an hour in its present phase, as far as the service says; without its GPU it still pays for its disk. */
export function burn(instance: Instance): number | undefined {
  return onlyDisk(instance) ? knownPrice(instance.storage_total_cost) : knownPrice(instance.dph_total);
}

/** Dollars an hour as the service says it for the present state; before it does, what was confirmed at launch. */
export function priceNow({
  value,
  launchPrice,
}: {
  value: Instance;
  launchPrice: number | undefined;
}): number | undefined {
  return burn(value) ?? (onlyDisk(value) ? undefined : launchPrice);
}

const TOKEN = /^vsc-[a-z2-7]{16}(?: |$)/;

/** The launch token at the head of a label, by which a rental is found again. */
export function launchToken(label: string | undefined): string | undefined {
  return label === undefined ? undefined : TOKEN.exec(label)?.[0].trim();
}

/** The label as its owner wrote it, without our token. */
export function ownLabel(label: string | undefined): string {
  return (label ?? "").replace(TOKEN, "").trim();
}
