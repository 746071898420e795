// Volumes in the sandbox's world: the account's own, those for rent, and those the account rents out (interface 2.4,
// 4.9).
import { HOURS_PER_MONTH } from "../../domain/base/money.ts";
import { checkField, checkNumber, checkText } from "../base/checks.ts";
import { Random, round } from "../base/random.ts";
import { isRecord, Refusal } from "../base/refusal.ts";
import type { Machine } from "../market/machine.ts";

export interface StoredVolume {
  readonly id: number;
  readonly label: string;
  /** GB. */
  readonly size: number;
  /** Null for a network volume, which works on every machine. */
  readonly machineId: number | null;
  readonly hostId: number;
  /** Dollars per GB and month. */
  readonly storageCost: number;
  /** Paid in advance: costs nothing per hour. */
  readonly prepaid: boolean;
  /** Of another account, which rents it from this one. */
  readonly isForeign?: boolean;
  /** The offer that it was made from, if it was made here. */
  readonly listing?: number;
  /** UTC epoch seconds. */
  readonly createdAt: number;
}

interface VolumeListing {
  readonly id: number;
  readonly machine: Machine;
  /** GB for rent. */
  readonly size: number;
  readonly network: boolean;
  readonly storageCost: number;
  /** Currently rented: can't be unlisted. */
  readonly active: boolean;
}

const FIRST_LISTING = 26_000_000;
const FIRST_VOLUME = 27_000_000;

function listing(id: number, machine: Machine, random: Random, active = false): VolumeListing {
  return {
    id,
    machine,
    size: round(machine.disk * random.drawBetween(0.2, 0.6), 0),
    network: machine.datacenter && random.drawChance(0.3),
    storageCost: round(random.drawBetween(0.06, 0.2), 3),
    active,
  };
}

export class VolumeStore {
  readonly #listings = new Map<number, VolumeListing>();
  readonly #volumes = new Map<number, StoredVolume>();
  readonly #own = new Set<number>();
  #nextVolume = FIRST_VOLUME;

  /** `own` is the account's machine. Its three listings belong to the account, and the last one is rented. */
  constructor(seed: number, machines: readonly Machine[], own: Machine, now: number) {
    const random = new Random(`${seed}/volumes`);
    machines
      .filter((machine) => machine.id !== own.id && random.drawChance(0.4))
      .forEach((machine, place) => {
        this.#listings.set(FIRST_LISTING + place * 13, listing(FIRST_LISTING + place * 13, machine, random));
      });
    for (const place of [1, 2, 3]) {
      const id = FIRST_LISTING + 900_000 + place;
      this.#listings.set(id, listing(id, own, random, place === 3));
      this.#own.add(id);
    }
    const [first] = this.#listings.values();
    const cheap = machines.find((machine) => machine.gpu.name === "RTX 3090") ?? own;
    this.#put(
      {
        label: "datasets",
        size: 200,
        machineId: null,
        hostId: first?.machine.hostId ?? 1,
        storageCost: 0.12,
        prepaid: true,
      },
      now,
    );
    this.#put(
      { label: "models", size: 80, machineId: cheap.id, hostId: cheap.hostId, storageCost: 0.1, prepaid: true },
      now,
    );
    const rented = this.#listings.get(FIRST_LISTING + 900_003);
    if (rented) {
      const { id: listing, size, storageCost } = rented;
      const terms = { machineId: own.id, hostId: own.hostId, storageCost, prepaid: false };
      this.#put({ label: "not yours", size: Math.floor(size), ...terms, listing, isForeign: true }, now);
    }
  }

  #put(made: Omit<StoredVolume, "id" | "createdAt">, now: number): StoredVolume {
    this.#nextVolume += 1;
    const volume = { ...made, id: this.#nextVolume, createdAt: Math.floor(now) };
    this.#volumes.set(volume.id, volume);
    return volume;
  }

  /** The account's own. */
  list(): StoredVolume[] {
    return [...this.#volumes.values()].filter(({ isForeign }) => isForeign !== true);
  }

  /** Dollars for the account's own from one time to another, in UTC epoch seconds. */
  calculateCost(from: number, to: number): number {
    const hours = ({ createdAt }: StoredVolume) => Math.max(0, to - Math.max(createdAt, from)) / 3600;
    return this.list().reduce((sum, one) => sum + hours(one) * calculateVolumeRate(one), 0);
  }

  /** Those that others have. */
  listForeign(): StoredVolume[] {
    return [...this.#volumes.values()].filter(({ isForeign }) => isForeign === true);
  }

  /** One of the account's own. */
  #find(id: number): StoredVolume | undefined {
    return this.list().find((one) => one.id === id);
  }

  /** All, each with as much as is left of it. */
  listOffers(): VolumeListing[] {
    return [...this.#listings.values()].map((one) => this.#asLeft(one));
  }

  #asLeft(found: VolumeListing): VolumeListing {
    if (found.active) return found;
    const all = [...this.#volumes.values()];
    const rented = all.reduce((sum, { listing, size }) => sum + (listing === found.id ? size : 0), 0);
    return { ...found, size: found.size - rented };
  }

  #listingFor(id: number): VolumeListing | undefined {
    const found = this.#listings.get(id);
    return found && this.#asLeft(found);
  }

  /** IDs of the volumes the account rents out. */
  listOwnOffers(): number[] {
    return [...this.#own].filter((id) => this.#listings.has(id));
  }

  /**
   * The volume that a checked `volume_info` requests on a machine: linked, or created from a listing (interface 4.3).
   * @throws Refusal 400 if there is none, or if it is on another machine.
   */
  attach(info: unknown, machine: Machine, now: number): StoredVolume | undefined {
    if (!isRecord(info)) return undefined;
    const id = Number(info.volume_id);
    const refuse = (why: string) => new Refusal(400, "invalid_args", `volume_info.volume_id ${id}: ${why}`);
    if (info.create_new !== true) {
      const volume = this.#find(id);
      if (volume === undefined) throw refuse("you have no such volume");
      if (volume.machineId !== null && volume.machineId !== machine.id) throw refuse("it lies on another machine");
      return volume;
    }
    const offer = this.#listingFor(id);
    if (offer === undefined) throw refuse("no such volume offer");
    if (offer.active) throw refuse("it is rented already");
    if (!offer.network && offer.machine.id !== machine.id) throw refuse("it is offered on another machine");
    const size = typeof info.size === "number" ? info.size : 8;
    if (size > offer.size) throw refuse(`size must be at most ${offer.size} GB`);
    return this.#rent(offer, size, info.name, now);
  }

  #rent(
    { id: listing, machine, network, storageCost }: VolumeListing,
    size: number,
    name: unknown,
    now: number,
  ): StoredVolume {
    const label = typeof name === "string" ? name : `V.${this.#nextVolume + 1}`;
    const machineId = network ? null : machine.id;
    return this.#put({ label, size, machineId, hostId: machine.hostId, storageCost, prepaid: false, listing }, now);
  }

  /**
   * Rents a volume without an instance (an extra).
   * @throws Refusal 400 for an invalid request, 404 `no_such_ask` if there is no such listing.
   */
  create(body: Readonly<Record<string, unknown>>, now: number): StoredVolume {
    const { id, size, name } = body;
    checkField("id", id, checkNumber("the id of a volume offer", Number.isSafeInteger));
    const offer = this.#listingFor(Number(id));
    if (offer === undefined || offer.active)
      throw new Refusal(404, "no_such_ask", `error 404/3603: no_such_ask No volume ask by id ${id} is available.`);
    const fits = (gb: number) => Number.isSafeInteger(gb) && gb >= 1 && gb <= offer.size;
    checkField("size", size, checkNumber(`a whole number of GB, 1 to ${offer.size}`, fits));
    if (name !== undefined && name !== null) checkField("name", name, checkText());
    return this.#rent(offer, Number(size), name, now);
  }

  /** Deletes an unused volume (an extra). @throws Refusal 400, 404, or 409 if it is in use. */
  delete(id: unknown, isUsed: (volume: StoredVolume) => boolean): void {
    checkField("id", id, checkNumber("the id of a volume", Number.isSafeInteger));
    const volume = this.#find(Number(id));
    if (volume === undefined) throw new Refusal(404, "no_such_volume", `Volume ${id} does not exist.`);
    if (isUsed(volume)) throw new Refusal(409, "volume_in_use", "volume in use");
    this.#volumes.delete(volume.id);
  }

  /** @throws Refusal 400 with the public service's messages (interface 4.9). */
  unlist(id: unknown): void {
    if (!Number.isSafeInteger(id) || Number(id) < 1)
      throw new Refusal(400, "invalid_args", "You must pass in `id` in the body of the request, an integer");
    const found = this.#listings.get(Number(id));
    if (found === undefined || !this.#own.has(found.id))
      throw new Refusal(400, "invalid_args", "Volume listing does not exist");
    if (found.active) throw new Refusal(400, "invalid_args", "Unable to delete active volume listing");
    this.#listings.delete(found.id);
  }
}

/** Dollars per hour. */
export function calculateVolumeRate(volume: StoredVolume): number {
  return volume.prepaid ? 0 : (volume.storageCost * volume.size) / HOURS_PER_MONTH;
}

/** `instances` are the IDs of the instances it is mounted on. */
export function toVolumeRecord(volume: StoredVolume, instances: readonly number[]): Record<string, unknown> {
  return {
    id: volume.id,
    label: volume.label,
    disk_space: volume.size,
    status: instances.length > 0 ? "in use" : "available",
    instances,
    machine_id: volume.machineId,
    host_id: volume.hostId,
    type: volume.machineId === null ? "network_volume" : "local_volume",
    storage_cost: volume.storageCost,
    storage_total_cost: round(calculateVolumeRate(volume), 6),
    start_date: volume.createdAt,
  };
}

export function toListingRecord(found: VolumeListing): Record<string, unknown> {
  const { machine } = found;
  return {
    id: found.id,
    machine_id: machine.id,
    host_id: machine.hostId,
    disk_space: found.size,
    disk_bw: machine.diskBandwidth,
    disk_name: machine.diskName,
    storage_cost: found.storageCost,
    volume_type: found.network ? "network" : "local",
    inet_up: machine.up,
    inet_down: machine.down,
    inet_up_cost: machine.trafficCost,
    inet_down_cost: machine.trafficCost,
    reliability: machine.reliability,
    reliability2: machine.reliability,
    verification: machine.verification,
    verified: machine.verification === "verified",
    external: false,
    rentable: !found.active,
    geolocation: `${machine.country}, ${machine.code}`,
  };
}
