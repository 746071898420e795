// What a run with several attempts plays on: as for any run, with a machine for each instance, and what the person has agreed to so far.
import type { Client } from "../../../src/api/client.ts";
import { readLaunchToken } from "../../../src/domain/instance/instance.ts";
import type { RequestLine } from "../../../src/sandbox/http/request-line.ts";
import type { Sandbox } from "../../../src/sandbox/start.ts";
import type { UserData } from "../../journeys/editor-window.ts";
import { FarMachine } from "../runs/far-machine.ts";
import { FarSsh } from "../runs/far-ssh.ts";
import { type RunBreakage, RunStage } from "../runs/run-stage.ts";
import { type AttemptFate, NO_LOSS } from "./attempt-fate.ts";

/** What a broken variant puts in the place of a sound part. */
export interface AttemptBreakage extends RunBreakage {
  readonly attempt?: Partial<AttemptFate>;
  /** One answer that lacks an instance is proof. */
  readonly trustsOne?: boolean;
  /** An instance that waits for its GPU is left to wait. */
  readonly leavesWaiting?: boolean;
  /** Nothing that the person calls off is. */
  readonly goesOnAnyway?: boolean;
  /** Whatever was ended here counts as lost. */
  readonly forgetsOrders?: boolean;
}

interface Far {
  readonly machine: FarMachine;
  readonly ssh: FarSsh;
}

/** A client as a plain object: spreading a proxy wouldn't ask it for its operations. */
const plainly = (client: Client): Client =>
  Object.fromEntries(Object.keys(client).map((name) => [name, client[name as keyof Client]])) as Client;

export class AttemptStage extends RunStage {
  readonly attempt: AttemptFate;
  readonly #far = new Map<number, Far>();
  /** Instances whose command has begun, in order. */
  readonly working: number[] = [];
  /** Instances that the person agreed to so far. */
  agreed = 0;
  /** The person called it off, or ended it: nothing is rented until they agree again. */
  isCalledOff = false;
  /** Answers about an instance since the last loss. */
  #answers = 0;
  #isLost = false;
  /** Told once an instance's command runs. */
  onWork = (_id: number): void => {};

  constructor(service: Sandbox, userData: UserData, fate: AttemptFate, breakage: AttemptBreakage) {
    super(service, userData, fate.run, { ...breakage, client: (client) => this?.watch(client) ?? client });
    this.attempt = fate;
  }

  /** The person confirms a summary that allows so many. */
  agree(attempts: number): void {
    this.agreed += attempts;
    this.isCalledOff = false;
  }

  callOff(): void {
    this.isCalledOff = true;
  }

  noteLoss(): void {
    this.#answers = 0;
    this.#isLost = true;
  }

  /** Every order is judged before it leaves, and some answers about an instance lack it. */
  watch(client: Client): Client {
    return {
      ...plainly(client),
      createInstance: async (...given) => {
        this.check(!this.isCalledOff, "A3", "an instance was rented after the person had called it off");
        return await client.createInstance(...given);
      },
      getInstance: async (...given) => {
        const row = await client.getInstance(...given);
        if (this.#isLost) this.#answers += 1;
        return this.#isLost && this.attempt.blinks.includes(this.#answers) ? undefined : row;
      },
    };
  }

  /** The machine behind an instance. */
  farOf(id: number): Far {
    const known = this.#far.get(id);
    if (known) return known;
    const machine = new FarMachine(this.fate, {});
    machine.onBegun = () => this.#begin(id);
    const far = { machine, ssh: new FarSsh(machine, NO_LOSS, undefined) };
    this.#far.set(id, far);
    return far;
  }

  #begin(id: number): void {
    for (const before of this.working)
      this.check(!this.#mayWork(before), "A1", `${id} began while ${before} could still work on it`);
    this.working.push(id);
    this.onWork(id);
  }

  /** Whether its command runs, or may once it has its GPU. */
  #mayWork(id: number): boolean {
    const stored = this.service.world.findInstance(id);
    return stored !== undefined && stored.intended !== "stopped" && this.farOf(id).machine.process !== "ended";
  }

  override hear({ method, path }: RequestLine): void {
    if (method === "PUT" && path.startsWith("/api/v0/asks/")) this.orders += 1;
    for (const { id, label } of this.service.world.listInstances()) {
      if (readLaunchToken(label ?? undefined) === undefined) continue;
      this.rentals.add(id);
      this.service.world.openPorts.set(id, { ssh: 9, published: new Map() });
    }
    for (const [id, { machine }] of this.#far) if (!this.exists(id) || this.isStopped(id)) machine.isDead = true;
  }

  /** What no machine knew. */
  strange(): readonly string[] {
    return [...this.#far.values()].flatMap(({ ssh }) => ssh.strange);
  }

  endAll(): void {
    for (const { machine } of this.#far.values()) machine.isDead = true;
  }
}
