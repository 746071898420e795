// How busy the GPUs of a machine are as it says itself, once a minute where a connection to it is open anyway. None is opened for this.
import type { InstanceId } from "../../domain/base/id.ts";
import { type GpuLoad, NVIDIA_SMI, readNvidiaSmi } from "../../domain/instance/gpu-load.ts";
import type { Disposable } from "../../lib/disposable.ts";
import type { ScheduledJob, Scheduler } from "../core/scheduler.ts";
import type { SessionService, SignedIn } from "../core/session.ts";
import type { IdleWatch } from "../instance/idle/idle-watch.ts";
import { type MachineLogin, withCommand } from "./run-there.ts";
import type { SharedConnections } from "./shared-connections.ts";

interface Parts {
  readonly session: SessionService;
  readonly sharedConnections: SharedConnections;
  readonly idleWatch: IdleWatch;
  readonly scheduler: Scheduler;
}

/** Milliseconds between two readings of a machine, and for one. */
const EVERY = 60_000;
const WITHIN = 10_000;
/** Characters of an answer that are read. */
const MOST_READ = 20_000;
/** Where the connection is gone by then, `ssh` would make one of its own. By a proxy that connects to nothing, it can't. */
const NO_OTHER_WAY = "false";

export class MachineLoads implements Disposable {
  readonly #parts: Parts;
  readonly #job: ScheduledJob;
  readonly #listening: Disposable;
  /** When each machine was last read, in monotonic milliseconds. */
  readonly #readAt = new Map<InstanceId, number>();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#job = parts.scheduler.add({ id: "machine-loads", wait: () => this.#wait(), run: () => this.#readDue() });
    this.#listening = parts.sharedConnections.onDidOpen(() => this.#job.plan());
    parts.idleWatch.readMachinesBy((account, id) => this.#readOf(account, id));
  }

  get #connected(): readonly MachineLogin[] {
    const { session, sharedConnections } = this.#parts;
    return session.current.kind === "signed-in" ? sharedConnections.listConnected(session.current) : [];
  }

  #wait(): number | undefined {
    const now = this.#parts.scheduler.clock.elapsed();
    const waits = this.#connected.map(({ id }) => Math.max(0, (this.#readAt.get(id) ?? now - EVERY) + EVERY - now));
    return waits.length === 0 ? undefined : Math.min(...waits);
  }

  async #readDue(): Promise<void> {
    const { session, scheduler, idleWatch } = this.#parts;
    const account = session.current;
    if (account.kind !== "signed-in") return;
    const now = scheduler.clock.elapsed();
    const connected = this.#connected;
    for (const id of [...this.#readAt.keys()]) if (!connected.some((one) => one.id === id)) this.#readAt.delete(id);
    const due = connected.filter(({ id }) => (this.#readAt.get(id) ?? now - EVERY) + EVERY <= now);
    for (const { id } of due) this.#readAt.set(id, now);
    await Promise.all(
      due.map(async (machine) => {
        const gpus = await this.#read(machine);
        if (gpus) idleWatch.noteMachine(account, machine.id, gpus);
      }),
    );
  }

  /** Undefined if no connection to it is open, or if it can't say. Never rejects. */
  async #readOf(account: SignedIn, id: InstanceId): Promise<GpuLoad | undefined> {
    const machine = this.#parts.sharedConnections.listConnected(account).find((one) => one.id === id);
    return machine && (await this.#read(machine));
  }

  async #read(machine: MachineLogin): Promise<GpuLoad | undefined> {
    const done = new AbortController();
    const late = new AbortController();
    const { clock } = this.#parts.scheduler;
    void clock.sleep(WITHIN, done.signal).then(
      () => late.abort(new Error("late")),
      () => undefined,
    );
    try {
      const sharing = { ...machine, login: { ...machine.login, proxyCommand: NO_OTHER_WAY } };
      return await withCommand(sharing, NVIDIA_SMI, late.signal, async (running) => {
        let out = "";
        running.stdout.setEncoding("utf8").on("data", (text: string) => {
          if (out.length < MOST_READ) out += text;
        });
        running.stdin.end();
        const { code } = await running.ended;
        return code === 0 ? readNvidiaSmi(out) : undefined;
      });
    } catch {
      // Whatever went wrong, the service's own value is there.
      return undefined;
    } finally {
      done.abort();
    }
  }

  dispose(): void {
    this.#job.dispose();
    this.#listening.dispose();
  }
}
