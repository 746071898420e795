// A machine that ended takes its host key and its block in the SSH configuration with it; one that got another address has it
// changed there. Nothing is concluded from a list with gaps, nor about another account's machines.
import type { InstanceId } from "../../domain/base/id.ts";
import { isMachineOf, type SshMachine } from "../../domain/connection/ssh-machine.ts";
import type { Clock } from "../../lib/clock.ts";
import { Bag, type Disposable } from "../../lib/disposable.ts";
import { Emitter } from "../../lib/event.ts";
import type { Log } from "../../lib/log.ts";
import { createQueue } from "../../lib/task.ts";
import { toMarkedAccount } from "../core/account-mark.ts";
import { getLast } from "../core/loaded.ts";
import type { Session, SessionService, SignedIn } from "../core/session.ts";
import type { InstanceOrders } from "../instance/instance-orders.ts";
import type { InstancesService, Listing } from "../instance/instances.ts";
import { listSshAddresses } from "./addresses.ts";
import type { HostKeys } from "./ssh/host-keys.ts";
import type { OwnSshConfig } from "./ssh/own-ssh-config.ts";
import { hasSshServer } from "./ssh/ssh-banner.ts";
import type { SshMachines } from "./ssh/ssh-machines.ts";

interface Parts {
  readonly session: SessionService;
  readonly instances: InstancesService;
  readonly orders: InstanceOrders;
  readonly machines: SshMachines;
  readonly own: OwnSshConfig;
  readonly keys: HostKeys;
  readonly clock: Clock;
  readonly log: Log;
}

type Address = Pick<SshMachine, "host" | "port">;

export class EndedMachines implements Disposable {
  readonly #parts: Parts;
  readonly #bag = new Bag();
  readonly #ends = new Emitter<string>();
  /** Fires with each name of each machine whose key and block were removed. */
  readonly onDidEnd = this.#ends.event;
  #before: Session;
  /** One at a time: each reads the files that the one before wrote. */
  readonly #inTurn = createQueue();

  constructor(parts: Parts) {
    const { session, instances, orders } = parts;
    this.#parts = parts;
    this.#before = session.current;
    this.#bag.add(instances.onDidList((listing) => this.#tryInTurn(() => this.#compare(listing))));
    this.#bag.add(orders.onDidDestroy(({ account, id }) => this.#tryInTurn(() => this.#endOne(account, id))));
    this.#bag.add(instances.collection.store.onDidChange(() => this.#hearUnlisted()));
    this.#bag.add(session.onDidChange((now) => this.#switch(now)));
    this.#bag.add(this.#ends);
  }

  /** Resolves when all that was heard is done. Never rejects. */
  async waitUntilSettled(): Promise<void> {
    await this.#inTurn(async () => undefined);
  }

  /** A failure changes nothing but the log: the next list tries again. */
  #tryInTurn(work: () => Promise<unknown>): void {
    this.#inTurn(work).catch((error) => this.#parts.log.warn("The SSH files could not be brought up to date.", error));
  }

  async #compare({ session: account, rows, complete, unreadable, askedAt }: Listing): Promise<void> {
    const { clock, machines, own } = this.#parts;
    // Wall clock: other windows write the machines down, too.
    const asked = clock.now() - (clock.elapsed() - askedAt);
    const isWhole = complete && unreadable === 0;
    const ended: SshMachine[] = [];
    let isMoved = false;
    for (const machine of await this.#machinesOf(account)) {
      const row = rows.find(({ value }) => value.id === machine.id);
      if (row) {
        const moved = findMove(machine, listSshAddresses(account, row.value));
        if (moved) await machines.change(machine.alias, moved);
        isMoved ||= moved !== undefined;
        // A list that was asked for before the login says nothing about it: the next one does.
      } else if (isWhole && machine.at < asked) ended.push(machine);
    }
    if (isMoved) await own.update();
    await this.#end(await this.#confirmEnds(account, ended));
  }

  /** Lists lag: a machine has ended only if the service says so of this one machine. */
  async #confirmEnds(account: SignedIn, missing: readonly SshMachine[]): Promise<readonly SshMachine[]> {
    const ended: SshMachine[] = [];
    for (const machine of missing) {
      const found = await this.#parts.instances.whereabouts.find(account, machine.id);
      if (found.kind === "missing") ended.push(machine);
    }
    return ended;
  }

  /** Of a service without a list, which says of each instance whether it still exists. */
  #hearUnlisted(): void {
    const { session, instances } = this.#parts;
    const account = session.current;
    const value = getLast(instances.collection.store.current)?.value;
    if (account.kind !== "signed-in" || !value || value.listed) return;
    for (const row of value.rows) if (row.gone) this.#tryInTurn(() => this.#endOne(account, row.value.id));
  }

  async #endOne(account: SignedIn, id: InstanceId): Promise<void> {
    await this.#end((await this.#machinesOf(account)).filter((machine) => machine.id === id));
  }

  async #machinesOf(account: SignedIn): Promise<readonly SshMachine[]> {
    const marked = toMarkedAccount(account);
    const all = await this.#parts.machines.readAll();
    return all.filter((machine) => isMachineOf(machine, marked));
  }

  /** The machines of a sandbox go with its session. Those of one whose window closed go when the next session begins. */
  #switch(now: Session): void {
    const { machines, clock } = this.#parts;
    const before = this.#before;
    this.#before = now;
    const left = before.kind === "signed-in" && before.sandbox ? before.tag : undefined;
    this.#tryInTurn(async () => {
      const sandboxes = (await machines.readAll()).filter(({ sandbox }) => sandbox);
      const ended = await Promise.all(
        sandboxes.map(async ({ account, host, port }) => {
          if (now.kind === "signed-in" && now.tag === account) return false;
          return account === left || !(await hasSshServer({ host, port }, clock));
        }),
      );
      await this.#end(sandboxes.filter((_, at) => ended[at]));
    });
  }

  /** A machine whose host key can't be removed stays known, so that the next list tries again. */
  async #end(ended: readonly SshMachine[]): Promise<void> {
    const { machines, own, keys, log } = this.#parts;
    if (ended.length === 0) return;
    const removed: string[] = [];
    for (const { alias, name } of ended) {
      try {
        await keys.forget(alias);
        await machines.remove(alias);
        removed.push(alias, ...(name === undefined ? [] : [name]));
      } catch (error) {
        log.warn(`The host key of ${alias} could not be removed.`, error);
      }
    }
    await own.update();
    for (const name of removed) this.#ends.fire(name);
  }

  dispose(): void {
    this.#bag.dispose();
  }
}

/** Where a machine is now, if it isn't where it was logged in to. A service that names no address for now says nothing. */
function findMove(machine: SshMachine, addresses: readonly Address[]): Address | undefined {
  const [first] = addresses;
  if (!first || addresses.some(({ host, port }) => host === machine.host && port === machine.port)) return undefined;
  return { host: first.host, port: first.port };
}
