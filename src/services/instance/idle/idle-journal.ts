// The orders to end an idle instance, in write-once files that all windows share.
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { InstanceId } from "../../../domain/base/id.ts";
import { IdleOrder } from "../../../domain/instance/idle-order.ts";
import { isOfAccount } from "../../core/account-mark.ts";
import { findTidyLimit } from "../../core/book/tidy-limit.ts";
import { createObject, type Disk, readObject, realDisk } from "../../core/disk.ts";
import type { SignedIn } from "../../core/session.ts";

/** One order as its files say it. */
export interface IdleEntry {
  /** Of its files. */
  readonly name: string;
  readonly order: IdleOrder;
  /** Nothing is left to do. */
  readonly isOver: boolean;
  /** An order that was given later can't be read: it may hold instead. */
  readonly isDoubted: boolean;
  /** How often the person was warned. */
  readonly warnings: number;
}

interface Files {
  /** The name of the file that says what is ordered. */
  written: string | undefined;
  /** The instance and the number of its order, as far as that name says them. */
  rank: { readonly id: number; readonly count: number } | undefined;
  isOver: boolean;
  warnings: number;
}

const NAME = /^(idl-[0-9a-f]{20})\.(?:(idle)(?:-(\d{1,15})-(\d{1,6}))?|(over)|warned-(\d{1,6}))$/;
/** Milliseconds that an order which is over, or not the last one of its instance, is kept. */
const KEPT = 7 * 86_400_000;

/** Whether an order to end an instance is for one that is idle, by the name that it carries. */
export const isIdleName = (name: string): boolean => name.startsWith("idl-");

export class IdleJournal {
  readonly #folder: string;
  readonly #disk: Disk;

  constructor(folder: string, disk: Disk = realDisk) {
    this.#folder = folder;
    this.#disk = disk;
  }

  /** @returns the name of its files. @throws the disk's error: nobody may believe in an order that wasn't written down. */
  async write(order: IdleOrder): Promise<string> {
    await this.#disk.names(this.#folder);
    const name = `idl-${randomBytes(10).toString("hex")}`;
    await createObject(this.#disk, this.#path(idleFile(name, order)), order);
    return name;
  }

  /** The highest number of an order for an instance, whether or not that order can be read; 0 without one. @throws the disk's error. */
  async findHighestCount(id: InstanceId): Promise<number> {
    const ranks = [...(await this.#collect()).values()].map(({ rank }) => rank);
    return Math.max(0, ...ranks.map((rank) => (rank?.id === id ? rank.count : 0)));
  }

  async noteOver(name: string): Promise<void> {
    await this.#disk.create(this.#path(`${name}.over`), "");
  }

  /** Whoever creates the file warns the person. @returns false if another window was faster. */
  async claimWarning(name: string, count: number): Promise<boolean> {
    return await this.#disk.create(this.#path(`${name}.warned-${count}`), "");
  }

  /** Every order of an account that can be read, in no order. @throws the disk's error. */
  async all(account: SignedIn): Promise<readonly IdleEntry[]> {
    return (await this.#readAll()).filter(({ order }) => isOfAccount(order, account));
  }

  async #collect(): Promise<ReadonlyMap<string, Files>> {
    const found = new Map<string, Files>();
    for (const file of await this.#disk.names(this.#folder)) {
      const [, name, kind, ranked, rank, over, warning] = NAME.exec(file) ?? [];
      if (name === undefined) continue;
      const files = found.get(name) ?? { written: undefined, rank: undefined, isOver: false, warnings: 0 };
      found.set(name, files);
      if (kind !== undefined) files.written = file;
      if (ranked !== undefined) files.rank = { id: Number(ranked), count: Number(rank) };
      files.isOver ||= over !== undefined;
      files.warnings = Math.max(files.warnings, Number(warning ?? 0));
    }
    return found;
  }

  /** One that can't be read puts those before it in doubt. */
  async #readAll(): Promise<readonly IdleEntry[]> {
    const entries: Omit<IdleEntry, "isDoubted">[] = [];
    const unread: { readonly id: number; readonly count: number }[] = [];
    for (const [name, { written, rank, isOver, warnings }] of await this.#collect()) {
      const order = written === undefined ? undefined : await readObject(this.#disk, this.#path(written), IdleOrder);
      if (order) entries.push({ name, order, isOver, warnings });
      else if (written !== undefined && rank) unread.push(rank);
    }
    const isDoubted = ({ id, count }: IdleOrder) => unread.some((later) => later.id === id && later.count >= count);
    return entries.map((entry) => ({ ...entry, isDoubted: isDoubted(entry.order) }));
  }

  /** Removes what no longer matters. The last order of an instance goes last: an earlier one would hold again. `now` in epoch milliseconds. */
  async tidy(now: number): Promise<void> {
    const all = await this.#readAll();
    const limit = findTidyLimit(all.map(({ order }) => order.at));
    for (const entry of all) {
      const { name, order, isOver } = entry;
      const own = all.filter((one) => one.order.id === order.id && one.order.origin === order.origin);
      const isLast = findLatestOrder(own, order.id) === entry;
      const isNeeded = isLast ? own.length > 1 || (order.wish !== null && !isOver) : false;
      if (isNeeded || order.at > limit || now - order.at < KEPT) continue;
      await this.#disk.remove(this.#path(idleFile(name, order)));
      for (const file of await this.#disk.names(this.#folder))
        if (file.startsWith(`${name}.`)) await this.#disk.remove(this.#path(file));
    }
  }

  #path(file: string): string {
    return join(this.#folder, file);
  }
}

/** Says which instance it is for and which of its orders it is: what can't be read must not leave an earlier one in force. */
const idleFile = (name: string, { id, count }: Pick<IdleOrder, "id" | "count">): string =>
  `${name}.idle-${id}-${count}`;

/** The order that holds for an instance, or that took the one before back. */
export function findLatestOrder(entries: readonly IdleEntry[], id: InstanceId): IdleEntry | undefined {
  const own = entries.filter(({ order }) => order.id === id);
  return own.length === 0 ? undefined : own.reduce((one, other) => (comesAfter(other, one) ? other : one));
}

function comesAfter(one: IdleEntry, other: IdleEntry): boolean {
  const [first, second] = [one.order, other.order];
  if (first.count !== second.count) return first.count > second.count;
  return first.at === second.at ? one.name > other.name : first.at > second.at;
}
