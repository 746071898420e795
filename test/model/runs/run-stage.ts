// What one run of the model plays on: a service, one machine, a person's folder and windows, and all that left or was told.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { InstanceId } from "../../../src/domain/base/id.ts";
import type { WhenDone } from "../../../src/domain/base/when-done.ts";
import { readLaunchToken } from "../../../src/domain/instance/instance.ts";
import type { RunRecord } from "../../../src/domain/run/run-record.ts";
import type { RequestLine } from "../../../src/sandbox/http/request-line.ts";
import type { Sandbox } from "../../../src/sandbox/start.ts";
import type { Liveness } from "../../../src/services/core/heartbeat.ts";
import { openWindow, type UserData } from "../../journeys/editor-window.ts";
import { type Breakage, Life, RATE } from "../life.ts";
import { destroyedBy } from "../replacements.ts";
import { FarMachine } from "./far-machine.ts";
import { FarSsh, type Misreading } from "./far-ssh.ts";
import type { RunFate } from "./run-fate.ts";

/** What a broken variant of the runs puts in the place of a sound part. */
export interface RunBreakage extends Breakage {
  /** What must befall a run for the variant to show, where few draw it. */
  readonly fate?: Partial<RunFate>;
  /** What is read in place of what the machine said. */
  readonly misread?: (stage: RunStage) => Misreading;
  /** The machine is asked to begin a run that has begun there as if it were another. */
  readonly beginsAgain?: boolean;
  /** The run is written down only once its machine is up. */
  readonly writesLate?: boolean;
  /** What is written down in place of what the person decided. */
  readonly whenDone?: WhenDone;
  /** No one waits for the person's answer. */
  readonly asksNobody?: boolean;
  /** What was downloaded is taken for what is there. */
  readonly comparesHere?: boolean;
  /** Every other window is taken for dead. */
  readonly takesOver?: boolean;
}

export type RunWindow = ReturnType<typeof openWindow>;

export interface Opened {
  readonly window: RunWindow;
  readonly life: Life;
  readonly id: string;
  /** Works that other windows must not repeat, and when the last one ended. */
  works: number;
  lastAt: number;
  isClosed: boolean;
}

/** The machine that a request would stop. */
function stoppedBy({ method, path, body }: Pick<RequestLine, "method" | "path" | "body">): number | undefined {
  const id = /^\/api\/v0\/instances\/(\d+)\/$/.exec(path)?.[1];
  const isStop = method === "PUT" && JSON.stringify(body ?? null).includes('"state":"stopped"');
  return isStop && id !== undefined ? Number(id) : undefined;
}

/** Model milliseconds: a window that was silent for so long is gone. */
const SILENT = 40_000;
const modelNow = () => performance.now() * RATE;

export class RunStage {
  readonly service: Sandbox;
  readonly userData: UserData;
  readonly fate: RunFate;
  readonly breakage: RunBreakage;
  readonly machine: FarMachine;
  readonly ssh: FarSsh;
  readonly folder: string;
  readonly violations: string[] = [];
  readonly windows: Opened[] = [];
  /** Machines that were rented in this story, as the service has it. */
  readonly rentals = new Set<number>();
  /** Those that a launch handed to its run; until then only the launch's journal and the list have them. */
  readonly handed = new Set<number>();
  /** Those of which the person was told by name. */
  readonly told = new Set<number>();
  /** Whether a window came to where it lets the machine be destroyed. */
  decided = false;
  /** Requests to rent a machine. */
  orders = 0;
  /** Requests to destroy it, and to stop it. */
  destroys = 0;
  stops = 0;

  constructor(service: Sandbox, userData: UserData, fate: RunFate, breakage: RunBreakage) {
    this.service = service;
    this.userData = userData;
    this.fate = fate;
    this.breakage = breakage;
    this.machine = new FarMachine(fate, breakage);
    this.ssh = new FarSsh(this.machine, fate.bad, breakage.misread?.(this));
    this.folder = join(userData.root, "project");
    mkdirSync(this.folder);
    writeFileSync(join(this.folder, "a.sh"), "echo hello\n");
  }

  async open(steps = Number.POSITIVE_INFINITY): Promise<Opened> {
    const life = new Life(this.breakage);
    const id = crypto.randomUUID();
    const opened: { -readonly [Name in keyof Opened]: Opened[Name] } = {
      ...{ life, id, works: 0, lastAt: Number.NEGATIVE_INFINITY, isClosed: false },
      window: openWindow(this.userData, {
        ...{ clock: life.clock, disk: life.disk, connect: life.connect },
        // Only `ssh` itself finds out whether a machine answers.
        proxyCommand: () => "connect-by-model",
        liveness: this.#livingAs(id),
      }),
    };
    this.windows.push(opened);
    void life.died.then(() => {
      opened.lastAt = modelNow();
    });
    await opened.window.session.restore();
    life.dieAfter(steps);
    return opened;
  }

  /** As heartbeats show it, without their files: a busy computer beats too late for a clock that runs so fast. */
  #livingAs(own: string): Liveness {
    const find = (id: string) => this.windows.find((one) => one.id === id);
    return {
      id: own,
      isAlive: async (id) => id === own || (this.breakage.takesOver !== true && this.#seemsAlive(find(id))),
      show: async () => {},
      begin: () => {
        const opened = find(own);
        if (opened) opened.works += 1;
        let hasEnded = false;
        return () => {
          if (hasEnded || !opened) return;
          hasEnded = true;
          opened.works -= 1;
          opened.lastAt = modelNow();
        };
      },
    };
  }

  #seemsAlive(opened: Opened | undefined): boolean {
    if (!opened || opened.isClosed) return false;
    return (opened.works > 0 && !opened.life.dead) || modelNow() - opened.lastAt < SILENT;
  }

  /** The person closes the editor: it cleans up, and is gone a moment later. */
  close(opened: Opened): void {
    // Whoever was killed doesn't clean up.
    if (opened.life.dead) return;
    opened.isClosed = true;
    opened.window.close();
    opened.life.kill();
  }

  /** What the service was asked, after it was carried out. */
  hear({ method, path, body }: RequestLine): void {
    if (method === "PUT" && path.startsWith("/api/v0/asks/")) this.orders += 1;
    for (const { id, label } of this.service.world.listInstances())
      if (readLaunchToken(label ?? undefined) !== undefined) this.#note(id);
    for (const id of destroyedBy({ method, path, body })) {
      this.destroys += 1;
      this.#judgeEnd(id, "destroy");
      this.check(this.isHere(), "D5", `${id} was destroyed before its results were here`);
    }
    const id = stoppedBy({ method, path, body });
    if (id === undefined) return;
    this.stops += 1;
    this.#judgeEnd(id, "stop");
    // It no longer answers once the service has stopped it.
    if (this.isStopped(id)) this.machine.isDead = true;
  }

  isStopped(id: number): boolean {
    return this.service.world.findInstance(id)?.intended === "stopped";
  }

  #note(id: number): void {
    this.rentals.add(id);
    // Nothing listens there: what is started as `ssh` is the model's.
    this.service.world.openPorts.set(id, { ssh: 9, published: new Map() });
  }

  #judgeEnd(id: number, how: "destroy" | "stop"): void {
    const { machine, fate } = this;
    this.check(this.rentals.has(id), "D1", `${id} was to ${how}, and the run rented ${[...this.rentals]}`);
    this.check(!fate.relabeled || machine.begun.length === 0, "D1", `${id} no longer had the label of its rental`);
    this.check(fate.whenDone === how, "D2", `the end of ${id} was to be ${fate.whenDone}, and not ${how}`);
    this.check(this.decided, "D3", `${how} of ${id}, and no window had come to that`);
    this.check(machine.process === "ended", "D4", `${how} of ${id} while its command was ${machine.process}`);
    this.check(!machine.isLeft && !fate.busy, "D4", `${how} of ${id} while something ran there`);
  }

  /** Whether all that the run made is on this computer, byte for byte. */
  isHere(): boolean {
    const { files, log } = this.machine;
    if (this.fate.obstacle === "outward-link") return false;
    return this.#places().some((place) => {
      const names = readdirSync(place);
      const has = (name: string, bytes: Buffer) =>
        names.includes(name) && readFileSync(join(place, name)).equals(bytes);
      return (
        [...files].every(([name, bytes]) => has(name.slice(2), bytes)) && (log.length === 0 || has("run.log", log))
      );
    });
  }

  #places(): readonly string[] {
    const runs = join(this.folder, ".cloud-gpu", "runs");
    try {
      const folders = readdirSync(runs, { withFileTypes: true }).filter((one) => one.isDirectory());
      return folders.filter(({ name }) => !name.startsWith(".")).map(({ name }) => join(runs, name));
    } catch {
      return [];
    }
  }

  exists(id: InstanceId | number): boolean {
    return this.service.world.findInstance(id) !== undefined;
  }

  /** The machine has the word of the service or of its room: it is over. */
  endMachine(id: number): void {
    const { world } = this.service;
    const stored = world.findInstance(id);
    if (!stored || this.machine.isDead) return;
    this.machine.isDead = true;
    if (this.fate.dies === "destroyed") world.destroy(id);
    else world.stop(stored);
  }

  /** A window offers a run as one that no one follows. */
  checkLeft({ id: own }: Opened, { id, window }: RunRecord): void {
    const other = this.windows.find((one) => one.id === window && one.id !== own);
    const isFollowed = other !== undefined && !other.life.dead && !other.isClosed && other.works > 0;
    this.check(!isFollowed, "R9", `${id} was offered while another window followed it`);
  }

  check(holds: boolean, promise: string, what: string): void {
    if (!holds) this.violations.push(`${promise}: ${what}`);
  }
}
