// The orders to end an idle instance, in write-once files that all windows share.
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { InstanceId } from "../../../domain/base/id.ts";
import { IdleOrder } from "../../../domain/instance/idle-order.ts";
import { isOfAccount } from "../../core/account-mark.ts";
import { createObject, type Disk, readObject, realDisk } from "../../core/disk.ts";
import type { SignedIn } from "../../core/session.ts";

/** One order as its files say it. */
export interface IdleEntry {
  /** Of its files. */
  readonly name: string;
  readonly order: IdleOrder;
  /** Nothing is left to do. */
  readonly isOver: boolean;
  /** How often the person was warned. */
  readonly warnings: number;
}

interface Files {
  isWritten: boolean;
  isOver: boolean;
  warnings: number;
}

const NAME = /^(idl-[0-9a-f]{20})\.(?:(idle|over)|warned-(\d{1,6}))$/;
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
    await createObject(this.#disk, this.#path(`${name}.idle`), order);
    return name;
  }

  async noteOver(name: string): Promise<void> {
    await this.#disk.create(this.#path(`${name}.over`), "");
  }

  /** Whoever creates the file warns the person. @returns false if another window was faster. */
  async claimWarning(name: string, count: number): Promise<boolean> {
    return await this.#disk.create(this.#path(`${name}.warned-${count}`), "");
  }

  /** Every order of an account, in no order. Damaged ones are skipped. @throws the disk's error. */
  async all(account: SignedIn): Promise<readonly IdleEntry[]> {
    return (await this.#readAll()).filter(({ order }) => isOfAccount(order, account));
  }

  async #readAll(): Promise<readonly IdleEntry[]> {
    const found = new Map<string, Files>();
    for (const file of await this.#disk.names(this.#folder)) {
      const [, name, kind, warning] = NAME.exec(file) ?? [];
      if (name === undefined) continue;
      const files = found.get(name) ?? { isWritten: false, isOver: false, warnings: 0 };
      found.set(name, files);
      files.isWritten ||= kind === "idle";
      files.isOver ||= kind === "over";
      files.warnings = Math.max(files.warnings, Number(warning ?? 0));
    }
    const entries: IdleEntry[] = [];
    for (const [name, { isWritten, isOver, warnings }] of found) {
      const order = isWritten ? await readObject(this.#disk, this.#path(`${name}.idle`), IdleOrder) : undefined;
      if (order) entries.push({ name, order, isOver, warnings });
    }
    return entries;
  }

  /** Removes what no longer matters. The last order of an instance goes last: an earlier one would hold again. `now` in epoch milliseconds. */
  async tidy(now: number): Promise<void> {
    const all = await this.#readAll();
    for (const entry of all) {
      const { name, order, isOver } = entry;
      const own = all.filter((one) => one.order.id === order.id && one.order.origin === order.origin);
      const isLast = findLatestOrder(own, order.id) === entry;
      const isNeeded = isLast ? own.length > 1 || (order.wish !== null && !isOver) : false;
      if (isNeeded || now - order.at < KEPT) continue;
      await this.#disk.remove(this.#path(`${name}.idle`));
      for (const file of await this.#disk.names(this.#folder))
        if (file.startsWith(`${name}.`)) await this.#disk.remove(this.#path(file));
    }
  }

  #path(file: string): string {
    return join(this.#folder, file);
  }
}

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
