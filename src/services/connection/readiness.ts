// Whether a machine that began to run can be logged in to yet: its SSH server starts up to a minute after it does.
import type { InstanceId } from "../../domain/base/id.ts";
import { getPhase, type Phase, type SshState } from "../../domain/instance/instance.ts";
import { Bag } from "../../lib/disposable.ts";
import { Emitter } from "../../lib/event.ts";
import type { ScheduledJob, Scheduler } from "../core/scheduler.ts";
import type { SessionService, SignedIn } from "../core/session.ts";
import type { InstancesService } from "../instance/instances.ts";
import { listSshAddresses } from "./addresses.ts";
import { findSshServer } from "./reachable.ts";
import type { SshFiles } from "./ssh/ssh-files.ts";

interface Services {
  readonly session: SessionService;
  readonly instances: InstancesService;
  readonly scheduler: Scheduler;
  readonly files: Pick<SshFiles, "proxyCommand">;
}

/** Milliseconds. */
const PATIENCE = 180_000;
const PAUSE = 3000;
/** Machines looked at together. More are waited for only if someone waits for their launch: nothing is said of the others. */
const MOST = 50;

export class ReadinessService {
  readonly #services: Services;
  readonly #bag = new Bag();
  readonly #job: ScheduledJob;
  readonly #changes = new Emitter<void>();
  readonly onDidChange = this.#changes.event;
  #phases = new Map<InstanceId, Phase>();
  #states = new Map<InstanceId, SshState>();
  /** Monotonic milliseconds until which a machine is waited for. */
  #ends = new Map<InstanceId, number>();

  constructor(services: Services) {
    const { session, instances, scheduler } = services;
    this.#services = services;
    const wait = () => (this.#ends.size > 0 ? PAUSE : undefined);
    this.#job = this.#bag.add(scheduler.add({ id: "ssh-readiness", wait, run: () => this.#check() }));
    this.#bag.add(instances.collection.store.onDidChange(() => this.#compare()));
    this.#bag.add(session.onDidChange(() => this.#forgetAll()));
  }

  /** Undefined for a machine that ran already when it was first seen, and for one that lists no address. */
  getState(id: InstanceId): SshState | undefined {
    return this.#states.get(id);
  }

  /**
   * Waits until the SSH server of a machine that has just begun to run answers, for up to 3 min. Ends earlier if the machine
   * stops running, the account is switched, or the signal fires; `stateOf` then has what is known.
   */
  async settle(account: SignedIn, id: InstanceId, signal?: AbortSignal): Promise<void> {
    if (this.#services.session.current !== account || signal?.aborted) return;
    if (this.getState(id) === undefined) this.#begin(account, id, Number.POSITIVE_INFINITY);
    if (this.getState(id) !== "starting") return;
    await new Promise<void>((resolve) => {
      const end = () => {
        listening.dispose();
        signal?.removeEventListener("abort", end);
        resolve();
      };
      const listening = this.#changes.event(() => this.getState(id) !== "starting" && end());
      signal?.addEventListener("abort", end);
    });
  }

  /** Only a machine that this window saw starting is waited for: one that has run for long has long been ready. */
  #compare(): void {
    const { session, instances } = this.#services;
    const account = session.current;
    if (account.kind !== "signed-in") return;
    const before = this.#phases;
    this.#phases = new Map(instances.rows.map(({ value }) => [value.id, getPhase(value)]));
    for (const [id, now] of this.#phases)
      if (now === "running" && ![undefined, "running"].includes(before.get(id))) this.#begin(account, id);
    const ended = [...this.#states.keys()].filter((id) => this.#phases.get(id) !== "running");
    for (const id of ended) this.#forget(id);
    if (ended.length > 0) this.#changes.fire();
  }

  #begin(account: SignedIn, id: InstanceId, most = MOST): void {
    if (this.#ends.has(id) || this.#ends.size >= most) return;
    const { instances, scheduler, files } = this.#services;
    // Through a proxy, only `ssh` itself finds out.
    if ((files.proxyCommand?.() ?? "").trim() !== "") return;
    const row = instances.find(id);
    const isReachable = row && getPhase(row.value) === "running" && listSshAddresses(account, row.value).length > 0;
    if (!isReachable) return;
    this.#ends.set(id, scheduler.clock.elapsed() + PATIENCE);
    this.#set(id, "starting");
    void this.#job.runNow();
  }

  async #check(): Promise<void> {
    const account = this.#services.session.current;
    if (account.kind === "signed-in") await Promise.all([...this.#ends.keys()].map((id) => this.#lookAt(account, id)));
  }

  async #lookAt(account: SignedIn, id: InstanceId): Promise<void> {
    const { instances, scheduler, session } = this.#services;
    const end = this.#ends.get(id);
    const row = instances.find(id);
    const addresses = row ? listSshAddresses(account, row.value) : [];
    const answers = await Promise.all(addresses.map((address) => findSshServer(account, address, scheduler)));
    // In the meantime the machine may have ended, or the account may have been left, and begun again.
    if (session.current !== account || this.#ends.get(id) !== end || end === undefined) return;
    if (answers.some((ip) => ip !== undefined && ip !== "forbidden")) this.#settleAs(id, "ready");
    else if (scheduler.clock.elapsed() >= end) this.#settleAs(id, "silent");
  }

  #settleAs(id: InstanceId, state: SshState): void {
    this.#ends.delete(id);
    this.#set(id, state);
  }

  #set(id: InstanceId, state: SshState): void {
    this.#states.set(id, state);
    this.#changes.fire();
  }

  #forget(id: InstanceId): void {
    this.#ends.delete(id);
    this.#states.delete(id);
  }

  #forgetAll(): void {
    this.#phases.clear();
    this.#states.clear();
    this.#ends.clear();
    this.#changes.fire();
  }

  dispose(): void {
    this.#forgetAll();
    this.#changes.dispose();
    this.#bag.dispose();
  }
}
