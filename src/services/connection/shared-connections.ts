// Connections to machines that the commands of this window share: the second command on a machine need not log in again.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { InstanceId } from "../../domain/base/id.ts";
import { shareArguments } from "../../domain/connection/ssh-command.ts";
import type { Clock } from "../../lib/clock.ts";
import { Bag, type Disposable } from "../../lib/disposable.ts";
import { lazily, Sharing } from "../../lib/task.ts";
import type { SessionService, SignedIn } from "../core/session.ts";
import type { InstancesService } from "../instance/instances.ts";
import { type MachineLogin, waitUntilOpen } from "./run-there.ts";
import { machineError } from "./ssh-failure.ts";
import { type RunningSsh, startSsh } from "./ssh-program.ts";

interface Services {
  readonly session: SessionService;
  readonly instances: InstancesService;
  readonly clock: Clock;
}

interface Shared {
  readonly account: SignedIn;
  readonly machine: MachineLogin;
  readonly ssh: RunningSsh;
  /** Ends the wait for the next use. */
  unused: AbortController;
}

/** Milliseconds after the last use. What runs by then goes on to its end. */
const IDLE = 60_000;
/** Bytes of a socket's path: some systems allow 104, and `ssh` adds 17 while it makes one. */
const LONGEST_PATH = 86;

export class SharedConnections implements Disposable {
  readonly #services: Services;
  readonly #bag = new Bag();
  readonly #open = new Map<InstanceId, Shared>();
  /** Those being opened: who asks twice waits for the same one. */
  readonly #opening = new Sharing<MachineLogin>();
  /** Nobody else may enter it. */
  readonly #folder = lazily(() => mkdtemp(join(tmpdir(), "cg-")));
  #made = 0;

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
      instances.collection.store.onDidChange(() => this.#stopWhere(({ machine }) => instances.isOver(machine.id))),
    );
  }

  /** The machine by the connection that is open to it, if there is one. It is kept for another minute. */
  find(account: SignedIn, id: InstanceId): MachineLogin | undefined {
    const found = this.#open.get(id);
    if (found?.account !== account) return undefined;
    this.#keepFor(found);
    return found.machine;
  }

  /**
   * The machine by a connection that its commands share. Where the platform has none, each command logs in for itself.
   * @throws AppError `rejected` with what `ssh` said, or if the account was switched; the signal's reason.
   */
  async open(account: SignedIn, machine: MachineLogin, signal: AbortSignal): Promise<MachineLogin> {
    const { session } = this.#services;
    session.assertStill(account);
    const known = this.find(account, machine.id);
    if (known) return known;
    const socket = await this.#newSocket();
    session.assertStill(account);
    if (socket === undefined) return machine;
    try {
      const key = `${account.tag} ${machine.id}`;
      return await this.#opening.join(key, signal, (given) => this.#start(account, machine, socket, given));
    } finally {
      session.assertStill(account);
    }
  }

  async #start(
    account: SignedIn,
    { id, program, login }: MachineLogin,
    socket: string,
    signal: AbortSignal,
  ): Promise<MachineLogin> {
    const ssh = startSsh(program, shareArguments(login, socket));
    const end = await waitUntilOpen(ssh, this.#services.clock, signal);
    if (end !== undefined) throw machineError({ id }, end);
    if (this.#services.session.current !== account) ssh.stop();
    this.#services.session.assertStill(account);
    const machine = { id, program, login: { ...login, shared: socket } };
    const shared: Shared = { account, machine, ssh, unused: new AbortController() };
    this.#open.set(id, shared);
    void ssh.ended.then(() => {
      this.#forget(shared);
      // One that was stopped leaves its socket behind.
      return rm(socket, { force: true }).catch(() => undefined);
    });
    this.#keepFor(shared);
    return machine;
  }

  #keepFor(shared: Shared): void {
    shared.unused.abort();
    shared.unused = new AbortController();
    const leave = () => {
      this.#forget(shared);
      // It ends once nothing uses it any more.
      shared.ssh.stdin.end();
    };
    this.#services.clock.sleep(IDLE, shared.unused.signal).then(leave, () => undefined);
  }

  #forget(shared: Shared): void {
    shared.unused.abort();
    if (this.#open.get(shared.machine.id) === shared) this.#open.delete(shared.machine.id);
  }

  #stopWhere(isMeant: (shared: Shared) => boolean): void {
    for (const shared of [...this.#open.values()].filter(isMeant)) {
      this.#forget(shared);
      shared.ssh.stop();
    }
  }

  /** @returns undefined where connections can't be shared. */
  async #newSocket(): Promise<string | undefined> {
    if (process.platform === "win32") return undefined;
    const folder = await this.#folder().catch(() => undefined);
    if (folder === undefined) return undefined;
    this.#made += 1;
    const socket = join(folder, String(this.#made));
    return Buffer.byteLength(socket) > LONGEST_PATH ? undefined : socket;
  }

  dispose(): void {
    this.#opening.giveUpAll();
    this.#stopWhere(() => true);
    this.#bag.dispose();
    if (this.#made > 0)
      void this.#folder()
        .then((folder) => rm(folder, { recursive: true, force: true }))
        .catch(() => undefined);
  }
}
