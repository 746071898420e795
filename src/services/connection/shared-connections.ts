// Connections to machines that the commands of this window share: the second command on a machine need not log in again.
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AppError } from "../../domain/base/error.ts";
import type { InstanceId } from "../../domain/base/id.ts";
import { isSameAddress } from "../../domain/connection/ssh-address.ts";
import { buildShareArguments } from "../../domain/connection/ssh-command.ts";
import { isKeptOutByTmux } from "../../domain/connection/tmux.ts";
import type { Clock } from "../../lib/clock.ts";
import { Bag, type Disposable } from "../../lib/disposable.ts";
import { Emitter } from "../../lib/event.ts";
import { Sharing } from "../../lib/task.ts";
import { t } from "../../lib/text.ts";
import type { SessionService, SignedIn } from "../core/session.ts";
import type { InstancesService } from "../instance/instances.ts";
import { keepOutTmux } from "./keep-out-tmux.ts";
import { type FailedOpening, type MachineLogin, waitUntilOpen } from "./run-there.ts";
import { toMachineError } from "./ssh/ssh-failure.ts";
import { type RunningSsh, startSsh } from "./ssh/ssh-program.ts";

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
  readonly #changes = this.#bag.add(new Emitter<void>());
  readonly #cleared = this.#bag.add(new Emitter<InstanceId>());
  /** Fires when tmux was turned off for logins to a machine, which kept commands out. */
  readonly onDidKeepOutTmux = this.#cleared.event;
  /** Fires when one was opened. */
  readonly onDidOpen = this.#changes.event;
  /** Those that the next command goes by. */
  readonly #open = new Map<InstanceId, Shared>();
  /** All that run: one that no one finds any longer may still be in use. */
  readonly #running = new Set<Shared>();
  /** Those being opened: who asks twice waits for the same one. Undefined where there can be none. */
  readonly #opening = new Sharing<MachineLogin | undefined>();

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

  /** The machines that a connection is open to right now. Whoever only looks keeps none of them open for longer. */
  listConnected(account: SignedIn): readonly MachineLogin[] {
    return [...this.#open.values()].filter((shared) => shared.account === account).map(({ machine }) => machine);
  }

  /**
   * The machine by a connection that its commands share. Where there can be none, each command logs in for itself.
   * @throws AppError `rejected` if the machine refuses the login, or if the account was switched; the signal's reason.
   */
  async open(account: SignedIn, machine: MachineLogin, signal: AbortSignal): Promise<MachineLogin> {
    const { session } = this.#services;
    session.assertStill(account);
    const known = this.find(account, machine.id);
    // A machine may get another address while a connection to it is open.
    if (known && isSameAddress(known.login.address, machine.login.address)) return known;
    if (process.platform === "win32") return machine;
    const key = `${account.tag} ${machine.id}`;
    try {
      return (await this.#opening.join(key, signal, (given) => this.#start(account, machine, given))) ?? machine;
    } finally {
      session.assertStill(account);
    }
  }

  /** @returns undefined where connections can't be shared. */
  async #start(
    account: SignedIn,
    machine: MachineLogin,
    signal: AbortSignal,
    isFirst = true,
  ): Promise<MachineLogin | undefined> {
    const folder = await newFolder();
    if (folder === undefined) return undefined;
    const socket = join(folder, "s");
    // `ssh` reads a variable in the name of a socket, however it is written.
    if (signal.aborted || Buffer.byteLength(socket) > LONGEST_PATH || socket.includes("${")) {
      await remove(folder);
      signal.throwIfAborted();
      return undefined;
    }
    const { program, login, start = startSsh } = machine;
    const ssh = start(program, buildShareArguments(login, socket));
    // It is there once the login succeeded; one that was stopped leaves it behind.
    const hasLoggedIn = ssh.ended.then(() => isThere(socket));
    void hasLoggedIn.then(() => remove(folder));
    const end = await waitUntilOpen(ssh, this.#services.clock, signal);
    if (end !== undefined) {
      if (end.code === undefined && (await hasLoggedIn)) throw createDeafError(machine.id);
      if (isFirst && (await this.#clearWay(machine, end, signal)))
        return await this.#start(account, machine, signal, false);
      return this.#assertNotRefused(machine, end);
    }
    if (signal.aborted) ssh.stop();
    signal.throwIfAborted();
    const sharing = { ...machine, login: { ...login, shared: socket } };
    this.#keep({ account, machine: sharing, ssh, unused: new AbortController() });
    return sharing;
  }

  /** @returns whether something that kept commands out no longer does. */
  async #clearWay(machine: MachineLogin, end: FailedOpening, signal: AbortSignal): Promise<boolean> {
    if (!isKeptOutByTmux(end) || !(await keepOutTmux(machine, this.#services.clock, signal))) return false;
    this.#cleared.fire(machine.id);
    return true;
  }

  /**
   * Whatever went wrong before the login may be about sharing: a command that logs in for itself works, or says what is wrong. A shell that
   * ended before its command does so each time.
   */
  #assertNotRefused(machine: MachineLogin, end: FailedOpening): undefined {
    const error = toMachineError(machine, end, end.printed);
    if (end.code !== undefined && error.kind === "rejected") throw error;
    return undefined;
  }

  #keep(shared: Shared): void {
    this.#running.add(shared);
    this.#open.set(shared.machine.id, shared);
    void shared.ssh.ended.then(() => {
      this.#running.delete(shared);
      this.#forget(shared);
    });
    this.#keepFor(shared);
    this.#changes.fire();
  }

  #keepFor(shared: Shared): void {
    shared.unused.abort();
    shared.unused = new AbortController();
    const leave = () => {
      this.#forget(shared);
      // It ends once nothing uses it any longer.
      shared.ssh.stdin.end();
    };
    this.#services.clock.sleep(IDLE, shared.unused.signal).then(leave, () => undefined);
  }

  #forget(shared: Shared): void {
    shared.unused.abort();
    if (this.#open.get(shared.machine.id) === shared) this.#open.delete(shared.machine.id);
  }

  #stopWhere(isMeant: (shared: Shared) => boolean): void {
    for (const shared of [...this.#running].filter(isMeant)) {
      this.#forget(shared);
      shared.ssh.stop();
    }
  }

  dispose(): void {
    this.#opening.giveUpAll();
    this.#stopWhere(() => true);
    this.#bag.dispose();
  }
}

/**
 * A folder that no one else may enter, for one socket. A second socket has one of its own: systems clean such places up while a
 * window is open for days, and by then someone else may have taken the name.
 * @returns undefined if there can't be one.
 */
function newFolder(): Promise<string | undefined> {
  return mkdtemp(join(tmpdir(), "cg-")).catch(() => undefined);
}

/** Never rejects. */
const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** What a command reads must not reach whatever its profile started. */
const createDeafError = (id: InstanceId): AppError =>
  new AppError(
    "rejected",
    t(
      "Cloud GPU logged in to instance {0}, but its shell ran no command. Check ~/.bashrc there: without a terminal, it must start no other program.",
      id,
    ),
  );

/** Never rejects. */
async function remove(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true }).catch(() => undefined);
}
