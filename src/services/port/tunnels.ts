// Ports of machines that are forwarded to this computer through SSH: each by a program of its own, which ends with this window,
// with the account, or with the machine.
import type { InstanceId } from "../../domain/base/id.ts";
import { findComplaint } from "../../domain/connection/machine-answer.ts";
import { buildForwardArguments, readLoginOptions } from "../../domain/connection/ssh-command.ts";
import type { Clock } from "../../lib/clock.ts";
import { Bag, type Disposable } from "../../lib/disposable.ts";
import { Emitter } from "../../lib/event.ts";
import { Sharing } from "../../lib/task.ts";
import { waitUntilOpen } from "../connection/run-there.ts";
import { toMachineError } from "../connection/ssh/ssh-failure.ts";
import { printOwnConfiguration, type RunningSsh, type SshWay, startSsh } from "../connection/ssh/ssh-program.ts";
import type { SessionService, SignedIn } from "../core/session.ts";
import type { InstancesService } from "../instance/instances.ts";
import { findFreePort } from "./free-port.ts";

/** A port of this computer that leads to one of a machine. */
export interface Tunnel {
  readonly id: InstanceId;
  /** On the machine. */
  readonly remote: number;
  /** On 127.0.0.1. */
  readonly local: number;
}

/** A forwarding that ended on its own. */
export interface BrokenTunnel {
  readonly account: SignedIn;
  readonly tunnel: Tunnel;
  /** What `ssh` said; it may be empty. */
  readonly reason: string;
}

interface Services {
  readonly session: SessionService;
  readonly instances: InstancesService;
  readonly clock: Clock;
}

interface Open {
  readonly account: SignedIn;
  readonly tunnel: Tunnel;
  readonly ssh: RunningSsh;
}

/** Another program may take a port before `ssh` does. */
const MOST_TRIES = 3;

const keyOf = ({ id, remote }: Pick<Tunnel, "id" | "remote">) => `${id} ${remote}`;

export class Tunnels implements Disposable {
  readonly #services: Services;
  readonly #bag = new Bag();
  readonly #open = new Map<string, Open>();
  /** Those being opened: who asks twice waits for the same one. */
  readonly #opening = new Sharing<Tunnel>();
  readonly #changes = this.#bag.add(new Emitter<void>());
  readonly onDidChange = this.#changes.event;
  readonly #breaks = this.#bag.add(new Emitter<BrokenTunnel>());
  readonly onDidBreak = this.#breaks.event;

  constructor(services: Services) {
    this.#services = services;
    const { session, instances } = services;
    this.#bag.add(
      session.onDidChange(() => {
        this.#opening.giveUpAll();
        this.#stopWhere(({ account }) => account !== session.current);
      }),
    );
    this.#bag.add(
      instances.collection.store.onDidChange(() => this.#stopWhere(({ tunnel }) => instances.isOver(tunnel.id))),
    );
  }

  /** Sorted by port. */
  listFor(id: InstanceId): readonly Tunnel[] {
    return this.list()
      .filter((tunnel) => tunnel.id === id)
      .sort((a, b) => a.remote - b.remote);
  }

  list(): readonly Tunnel[] {
    return [...this.#open.values()].map(({ tunnel }) => tunnel);
  }

  /**
   * Forwards a port, to the same number here if it is free. One that is forwarded already is used again.
   * @throws AppError `rejected` with what `ssh` said, or if the account was switched; the signal's reason.
   */
  async open(account: SignedIn, way: SshWay, forward: Omit<Tunnel, "local">, signal: AbortSignal): Promise<Tunnel> {
    this.#services.session.assertStill(account);
    const key = keyOf(forward);
    const known = this.#open.get(key);
    if (known) return known.tunnel;
    try {
      return await this.#opening.join(key, signal, (given) => this.#start(account, way, forward, given));
    } finally {
      this.#services.session.assertStill(account);
    }
  }

  async #start(
    account: SignedIn,
    { program, login }: SshWay,
    forward: Omit<Tunnel, "local">,
    signal: AbortSignal,
  ): Promise<Tunnel> {
    const { session, clock } = this.#services;
    const kept = readLoginOptions(await printOwnConfiguration(login));
    for (let tries = 1; ; tries += 1) {
      // A sandbox's machine is this computer, where a port that led to its own number would lead to itself.
      const wanted = account.sandbox || tries > 1 ? 0 : forward.remote;
      const tunnel = { ...forward, local: await findFreePort(wanted) };
      signal.throwIfAborted();
      session.assertStill(account);
      const ssh = startSsh(program, buildForwardArguments(login, tunnel, kept));
      const end = await waitUntilOpen(ssh, clock, signal);
      if (end === undefined) {
        try {
          signal.throwIfAborted();
          session.assertStill(account);
        } catch (thrown) {
          ssh.stop();
          throw thrown;
        }
        this.#keep({ account, tunnel, ssh });
        return tunnel;
      }
      if (tries === MOST_TRIES || !/cannot listen to port|forwarding failed/.test(end.err))
        throw toMachineError(forward, end);
    }
  }

  #keep(open: Open): void {
    const key = keyOf(open.tunnel);
    this.#open.set(key, open);
    void open.ssh.ended.then(({ err }) => {
      if (this.#open.get(key) !== open) return;
      this.#open.delete(key);
      this.#changes.fire();
      this.#breaks.fire({ account: open.account, tunnel: open.tunnel, reason: findComplaint(err) });
    });
    this.#changes.fire();
  }

  /** Nothing if it has ended already. */
  stop({ id, remote }: Pick<Tunnel, "id" | "remote">): void {
    this.#stopWhere(({ tunnel }) => tunnel.id === id && tunnel.remote === remote);
  }

  #stopWhere(isMeant: (open: Open) => boolean): void {
    const meant = [...this.#open].filter(([, open]) => isMeant(open));
    for (const [key, { ssh }] of meant) {
      this.#open.delete(key);
      ssh.stop();
    }
    if (meant.length > 0) this.#changes.fire();
  }

  dispose(): void {
    this.#opening.giveUpAll();
    this.#stopWhere(() => true);
    this.#bag.dispose();
  }
}
