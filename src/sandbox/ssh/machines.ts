// The world's machines that can be logged in to: opens, closes and removes them as the instances come and go.
import type { FaultSpec } from "../faults/faults.ts";
import type { StoredInstance } from "../world/instance.ts";
import { findMoment } from "../world/timeline.ts";
import type { World } from "../world/world.ts";
import { Machine } from "./machine.ts";
import { findTools, type Tools } from "./tools.ts";

/** How often the world is looked at while no one asks for it. */
const EVERY_MS = 500;

interface Known {
  readonly machine: Machine;
  /** When the run it is open for began, UTC epoch seconds; undefined while it is closed. */
  openSince: number | undefined;
  /** The `recycledAt` of its instance: another one has another disk. */
  readonly recycledAt: number | undefined;
}

export class Machines {
  readonly #world: World;
  readonly #faults: ReadonlySet<FaultSpec>;
  readonly #tools: Tools;
  readonly #known = new Map<number, Known>();
  readonly #timer: NodeJS.Timeout;
  readonly #removeAtExit = () => {
    for (const { machine } of this.#known.values()) {
      try {
        machine.removeAtExit();
      } catch (error) {
        tellOnce(machine.instance, error);
      }
    }
  };
  #last: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(world: World, faults: ReadonlySet<FaultSpec>, tools: Tools) {
    this.#world = world;
    this.#faults = faults;
    this.#tools = tools;
    this.#timer = setInterval(() => void this.update(), EVERY_MS).unref();
    process.once("exit", this.#removeAtExit);
  }

  /** Resolves when the machines are as the world has them at the time of the call. Never rejects. */
  update(): Promise<void> {
    this.#last = this.#last.then(() => this.#update());
    return this.#last;
  }

  async #update(): Promise<void> {
    if (this.#stopped) return;
    this.#world.settle();
    for (const [id, { machine, recycledAt }] of this.#known) {
      const instance = this.#world.findInstance(id);
      if (instance !== machine.instance || instance.recycledAt !== recycledAt) await this.#remove(id, machine);
    }
    for (const instance of this.#world.listInstances())
      await this.#follow(instance).catch((error) => tellOnce(instance, error));
  }

  async #follow(instance: StoredInstance): Promise<void> {
    const { at, status } = findMoment(instance.timeline, this.#world.getNow());
    const since = status === "running" ? at : undefined;
    const known = this.#known.get(instance.id);
    if (since !== undefined) await known?.machine.noteGpuLoads(this.#world.getNow());
    await known?.machine.setAhead(this.#world.skipped);
    if (known?.openSince === since) return;
    if (known?.openSince !== undefined) {
      // Also when it runs again already: its programs ended with the run before.
      this.#world.openPorts.delete(instance.id);
      known.openSince = undefined;
      await known.machine.close();
    }
    if (since === undefined) return;
    const opening = known ?? this.#create(instance);
    await opening.machine.noteGpuLoads(this.#world.getNow());
    await opening.machine.setAhead(this.#world.skipped);
    await this.#open(opening, since);
  }

  #create(instance: StoredInstance): Known {
    const notebookToken = this.#world.getNotebookToken(instance);
    const ownKey = this.#world.getInstanceKey(instance);
    const address = this.#world.overlays.getAddress(instance);
    const machine = new Machine({ instance, notebookToken, ownKey, address, tools: this.#tools, faults: this.#faults });
    const known = { machine, openSince: undefined, recycledAt: instance.recycledAt };
    this.#known.set(instance.id, known);
    return known;
  }

  async #open(known: Known, since: number): Promise<void> {
    // Before it is open: what fails isn't tried again until the next run.
    known.openSince = since;
    await known.machine.open((ports) => {
      if (known.openSince === since) this.#world.openPorts.set(known.machine.instance.id, ports);
    });
  }

  async #remove(id: number, machine: Machine): Promise<void> {
    this.#world.openPorts.delete(id);
    await machine.remove().catch((error) => tellOnce(machine.instance, error));
    // Only now: a process that ends in the meantime removes what is left.
    if (this.#known.get(id)?.machine === machine) this.#known.delete(id);
  }

  /** Removes every machine. Leaves no port, no program and no folder. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopped = true;
    await this.#last;
    for (const [id, { machine }] of this.#known) await this.#remove(id, machine);
    process.off("exit", this.#removeAtExit);
  }
}

function tellOnce({ id }: StoredInstance, error: unknown): void {
  process.emitWarning(`The sandbox's machine ${id}: ${error instanceof Error ? error.message : String(error)}`);
}

/** Undefined where this computer has no POSIX shell. */
export async function startMachines(world: World, faults: ReadonlySet<FaultSpec>): Promise<Machines | undefined> {
  const tools = await findTools();
  return tools && new Machines(world, faults, tools);
}
