// An instance in the sandbox's world, and its record on the wire (interface 2.2, 3 and the extras public services
// send).
import type { RentalType } from "../../domain/offer/offer.ts";
import { hashText, round } from "../base/random.ts";
import { calculateStoragePrice, type MarketOffer } from "../market/market.ts";
import { toMachineFields } from "../market/offer-record.ts";
import type { Configuration } from "./configuration.ts";
import { listPublicPorts, SSH_PORT } from "./ports.ts";
import type { StoredTemplate } from "./templates.ts";
import { findMoment, type Moment } from "./timeline.ts";
import type { StoredVolume } from "./volumes.ts";

export interface StoredInstance {
  readonly id: number;
  readonly offer: MarketOffer;
  readonly type: RentalType;
  readonly configuration: Configuration;
  readonly template: Pick<StoredTemplate, "id" | "hash_id" | "name"> | undefined;
  /** Dollars per hour for the GPUs while it runs, without the disk. */
  gpuPrice: number;
  /** UTC epoch seconds. */
  readonly createdAt: number;
  readonly vm: boolean;
  /** How many times as fast as usual it starts. */
  readonly bootSpeed: number;
  /** Its volume, if any. */
  readonly volume: StoredVolume | undefined;
  label: string | null;
  /** Public keys that can log in: the account's at creation, and those attached since. */
  sshKeys: readonly string[];
  /** The state its owner wants. */
  intended: "running" | "stopped";
  /** Whether the contract holds a GPU for it now. */
  held: boolean;
  timeline: readonly Moment[];
  /** When its disk was last made again, UTC epoch seconds; undefined since its creation. */
  recycledAt?: number;
  /** What its GPUs do, if that was set: percent of each, or of all of them. Null if the service can't say. */
  gpuLoad?: number | null | readonly number[] | undefined;
}

/** Dollars per hour for its disk. */
export function calculateDiskRate(instance: StoredInstance): number {
  return calculateStoragePrice(instance.offer.machine, instance.configuration.disk);
}

/** Dollars per hour in a status: everything while running, nothing while the host is offline, otherwise the disk. */
export function calculateRate(instance: StoredInstance, status: string | null): number {
  if (status === "offline") return 0;
  return calculateDiskRate(instance) + (status === "running" ? instance.gpuPrice : 0);
}

/** Whether someone can log in while it runs. */
export function acceptsSsh({ configuration, vm }: StoredInstance): boolean {
  return configuration.runtype !== "args" || vm;
}

function portMap({ id, configuration }: StoredInstance): Record<string, unknown> {
  return Object.fromEntries(
    listPublicPorts(configuration).map((port, index) => {
      const outside = String(30_000 + ((id * 17 + index) % 20_000));
      return [
        port,
        [
          { HostIp: "0.0.0.0", HostPort: outside },
          { HostIp: "::", HostPort: outside },
        ],
      ];
    }),
  );
}

/** A number from 0 to 1 that changes slowly and differs between instances. */
function drift(instance: StoredInstance, name: string, now: number): number {
  const phase = (hashText(`${instance.id}/${name}`) % 628) / 100;
  return (Math.sin(now / 47 + phase) + 1) / 2;
}

/** Percent of each GPU of an instance that runs; undefined if that isn't known. */
export function calculateGpuLoads(instance: StoredInstance, now: number): readonly number[] | undefined {
  const { gpuLoad, offer } = instance;
  if (gpuLoad === null) return undefined;
  const all = gpuLoad ?? round(20 + drift(instance, "gpu", now) * 75, 1);
  const count = Number(toMachineFields(offer).num_gpus);
  return Array.from({ length: count }, (_, index) => (typeof all === "number" ? all : (all[index] ?? 0)));
}

/** One number for all GPUs, as services send it. */
function meanLoad(instance: StoredInstance, now: number): number | null {
  const loads = calculateGpuLoads(instance, now);
  return loads === undefined ? null : round(loads.reduce((sum, one) => sum + one, 0) / loads.length, 1);
}

function load(instance: StoredInstance, running: boolean, now: number) {
  const { disk } = instance.configuration;
  const memory = Number(toMachineFields(instance.offer).cpu_ram) / 1024;
  const used = running ? Math.min(disk * 0.9, 2.4 + drift(instance, "disk", now) * 0.4) : -1;
  return {
    gpu_util: running ? meanLoad(instance, now) : null,
    gpu_temp: running ? round(36 + (meanLoad(instance, now) ?? 0) * 0.36, 1) : null,
    cpu_util: running ? round(drift(instance, "cpu", now) * 3.2, 3) : -1,
    mem_limit: running ? round(memory, 1) : null,
    mem_usage: running ? round(memory * (0.04 + drift(instance, "memory", now) * 0.12), 3) : null,
    vmem_usage: running ? round(drift(instance, "gpu", now) * 0.8, 3) : null,
    disk_usage: round(used, 3),
    disk_util: running ? round(used / disk, 4) : -1,
  };
}

/** Where an instance that runs can really be reached on this computer. */
export interface OpenPorts {
  /** The port on loopback where it can be logged in to; undefined without an SSH server. */
  readonly ssh: number | undefined;
  /** Those that lead to its other public ports, by the names of these: `8080/tcp`. */
  readonly published: ReadonlyMap<string, number>;
}

/** What replaces the made-up address while this computer listens for the instance. */
function realAccess({ configuration }: StoredInstance, { ssh, published }: OpenPorts) {
  // Clients add 1 to the port of an instance with Jupyter.
  const step = configuration.runtype.includes("jupyter") ? 1 : 0;
  const ports = listPublicPorts(configuration).flatMap((name) => {
    const port = name === SSH_PORT ? ssh : published.get(name);
    return port === undefined ? [] : [[name, [{ HostIp: "127.0.0.1", HostPort: String(port) }]]];
  });
  return {
    ...(ssh === undefined ? {} : { ssh_host: "127.0.0.1", ssh_port: ssh - step }),
    ...(ports.length > 0 ? { public_ipaddr: "127.0.0.1" } : {}),
    ports: Object.fromEntries(ports),
  };
}

/** What the world knows of an instance beside the instance itself. */
interface Surroundings {
  /** UTC epoch seconds. */
  readonly now: number;
  /** Undefined unless this computer listens for it. */
  readonly open: OpenPorts | undefined;
  /** What opens its notebook server; undefined if it has none. */
  readonly notebookToken: string | undefined;
}

function access(instance: StoredInstance, running: boolean, { open, notebookToken }: Surroundings) {
  const reachable = acceptsSsh(instance);
  return {
    ssh_host: reachable ? `ssh${1 + (instance.id % 8)}.sandbox.invalid` : null,
    ssh_port: reachable ? 10_000 + (instance.id % 30_000) : null,
    ssh_idx: reachable ? String(1 + (instance.id % 8)) : null,
    ports: running ? portMap(instance) : null,
    direct_port_count: Number(toMachineFields(instance.offer).direct_port_count),
    jupyter_token: notebookToken ?? null,
    ...(running && open ? realAccess(instance, open) : {}),
  };
}

function mounted({ volume }: Configuration, { id, label, size }: StoredVolume) {
  return { id, volume_id: id, name: label, mount_path: volume?.mount_path, total_space: size, avail_space: size * 0.9 };
}

function setup({ configuration, template, volume }: StoredInstance) {
  return {
    template_id: template?.id ?? null,
    template_hash_id: template?.hash_id ?? null,
    template_name: template?.name ?? null,
    image_uuid: configuration.image,
    image_runtype: configuration.runtype,
    image_args: configuration.args,
    onstart: configuration.onstart,
    extra_env: Object.entries(configuration.env),
    extra_filters: configuration.extraFilters,
    jupyter_dir: configuration.jupyterDir,
    use_jupyter_lab: configuration.useJupyterLab,
    python_utf8: configuration.pythonUtf8,
    lang_utf8: configuration.langUtf8,
    disk_space: configuration.disk,
    volume_info: volume === undefined ? [] : [mounted(configuration, volume)],
  };
}

function costs(instance: StoredInstance) {
  const { machine } = instance.offer;
  const disk = round(calculateDiskRate(instance), 6);
  const total = round(instance.gpuPrice + calculateDiskRate(instance), 6);
  return {
    is_bid: instance.type === "bid",
    min_bid: instance.offer.minBid,
    dph_base: instance.gpuPrice,
    dph_total: total,
    storage_cost: machine.storageCost,
    storage_total_cost: disk,
    instance: { gpuCostPerHour: instance.gpuPrice, diskHour: disk, totalHour: total, discountTotalHour: 0 },
  };
}

/** Every field of one instance at a time. Its secrets are the Jupyter token and what its environment holds. */
export function toInstanceRecord(instance: StoredInstance, surroundings: Surroundings): Record<string, unknown> {
  const { now } = surroundings;
  const { status, message } = findMoment(instance.timeline, now);
  const running = status === "running";
  return {
    ...toMachineFields(instance.offer),
    id: instance.id,
    label: instance.label,
    actual_status: status,
    status_msg: message,
    intended_status: instance.intended,
    cur_state: instance.held ? "running" : "stopped",
    next_state: instance.intended,
    gpu_totalram: Number(toMachineFields(instance.offer).gpu_total_ram),
    ...setup(instance),
    ...costs(instance),
    ...access(instance, running, surroundings),
    ...load(instance, running, now),
    is_vm: instance.vm,
    rentable: false,
    start_date: instance.createdAt,
    duration: Math.max(0, round(instance.offer.machine.endsAt - now, 0)),
    uptime_mins: running ? Math.floor((now - findMoment(instance.timeline, now).at) / 60) : null,
  };
}
