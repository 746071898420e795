// Overlay networks of the account (an extra): each lies on a physical cluster and joins the instances that were created into it.
import { readExtraEnv } from "../../domain/instance/extra-env.ts";
import { findOverlay, OverlayName } from "../../domain/instance/overlay.ts";
import { checkField, checkNumber } from "../base/checks.ts";
import { Refusal } from "../base/refusal.ts";
import type { Machine } from "../market/machine.ts";
import type { StoredInstance } from "./instance.ts";

export interface StoredOverlay {
  readonly id: number;
  readonly name: string;
  readonly clusterId: number;
}

const FIRST_OVERLAY = 600;

/** The network that an environment asks for. */
const findOverlayName = (env: unknown): string | undefined => findOverlay(readExtraEnv(env));

export class OverlayStore {
  readonly #overlays = new Map<number, StoredOverlay>();
  #next = FIRST_OVERLAY;

  list(): StoredOverlay[] {
    return [...this.#overlays.values()];
  }

  find(name: string): StoredOverlay | undefined {
    return this.list().find((one) => one.name === name);
  }

  /** @throws Refusal 400 for an invalid request or a name that is taken, 404 if there is no such cluster. */
  create(
    { cluster_id: cluster, name }: Readonly<Record<string, unknown>>,
    clusters: ReadonlySet<number>,
  ): StoredOverlay {
    checkField("cluster_id", cluster, checkNumber("the id of a cluster", Number.isSafeInteger));
    if (typeof name !== "string" || !OverlayName.safeParse(name).success)
      throw new Refusal(400, "invalid_args", "name must be letters, digits, dots, hyphens and underscores");
    if (this.find(name)) throw new Refusal(400, "invalid_args", `You already have an overlay named ${name}`);
    if (!clusters.has(Number(cluster))) throw new Refusal(404, "no_such_cluster", `Cluster ${cluster} does not exist.`);
    this.#next += 1;
    const overlay = { id: this.#next, name, clusterId: Number(cluster) };
    this.#overlays.set(overlay.id, overlay);
    return overlay;
  }

  /** @throws Refusal 404 if the account has no such overlay. */
  delete({ overlay_id: id, overlay_name: name }: Readonly<Record<string, unknown>>): StoredOverlay {
    const found = typeof name === "string" ? this.find(name) : this.#overlays.get(Number(id));
    if (!found) throw new Refusal(404, "no_such_overlay", `Overlay ${id ?? name} does not exist.`);
    this.#overlays.delete(found.id);
    return found;
  }

  /** @throws Refusal 400 if an instance with this environment can't be created on the machine. */
  checkJoin(env: Readonly<Record<string, unknown>>, machine: Machine, vm: boolean): void {
    const name = findOverlayName(env);
    if (name === undefined) return;
    const overlay = this.find(name);
    const refuse = (why: string) => new Refusal(400, "invalid_args", `env -n ${name}: ${why}`);
    if (!overlay) throw refuse("you have no such overlay");
    if (vm) throw refuse("a virtual machine can't join an overlay");
    if (overlay.clusterId !== machine.clusterId) throw refuse("the machine isn't in the overlay's cluster");
  }

  /** The network that an instance is in. */
  listFor({ configuration }: StoredInstance): StoredOverlay | undefined {
    const name = findOverlayName(configuration.env);
    return name === undefined ? undefined : this.find(name);
  }

  /** Its address in there. */
  getAddress(instance: StoredInstance): string | undefined {
    const overlay = this.listFor(instance);
    return overlay && `${subnetOf(overlay)}.${2 + (instance.id % 250)}`;
  }
}

/** All addresses of a network begin with it. */
const subnetOf = ({ id }: StoredOverlay): string => `10.77.${id % 256}`;

/** `instances` are the IDs of those in it. */
export function toOverlayRecord(overlay: StoredOverlay, instances: readonly number[]): Record<string, unknown> {
  return {
    overlay_id: overlay.id,
    name: overlay.name,
    internal_subnet: `${subnetOf(overlay)}.0/24`,
    cluster_id: overlay.clusterId,
    instances,
  };
}
