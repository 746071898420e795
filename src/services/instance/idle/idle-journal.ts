// The orders to end an idle instance, in write-once files that all windows share.
import { createHash, randomBytes } from "node:crypto";
import type { InstanceId } from "../../../domain/base/id.ts";
import { createUnreadProof, IdleKeeperProof, mayKeepOrder } from "../../../domain/instance/idle-keeper.ts";
import { IdleLaunchOrder, IdleOrder, MOST_AHEAD } from "../../../domain/instance/idle-order.ts";
import type { Clock } from "../../../lib/clock.ts";
import { isOfAccount } from "../../core/account-mark.ts";
import { Book, type BookTable, findHighest, findHighestCount, listInstanceIds } from "../../core/book/book.ts";
import type { Disk } from "../../core/book/disk.ts";
import { findLatest, readCounted } from "../../core/book/latest.ts";
import { findTidyLimit } from "../../core/book/tidy-limit.ts";
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
  /** What the instance showed of it, when it was asked last. */
  readonly proof: IdleKeeperProof | undefined;
}

/** The order of a launch as its files say it. */
export interface IdleLaunchEntry {
  readonly name: string;
  readonly order: IdleLaunchOrder;
  /** The instances that it has been given to: more than one if the network repeated the launch. */
  readonly ids: ReadonlySet<InstanceId>;
}

type Kind = "launch" | "of" | "idle" | "over" | "warned" | "proof";

/** An order says its instance and count by its name, too: one that can't be read holds. */
const ORDERS: BookTable<Kind> = {
  entry: /idl-[0-9a-f]{20}/,
  kinds: { launch: [], of: [15], idle: [15, 6], over: [], warned: [6], proof: [6] },
  unnumbered: ["idle"],
  unread: "waits",
};
/** Milliseconds that an order which is over, or not the last one of its instance, is kept. */
const KEPT = 7 * 86_400_000;
/** The same for the order of a launch. */
const LAUNCH_KEPT = 30 * 86_400_000;

/** Whether an order to end an instance is for one that is idle, by the name that it carries. */
export const isIdleName = (name: string): boolean => name.startsWith("idl-");

export class IdleJournal {
  readonly #book: Book<Kind>;
  readonly #clock: Pick<Clock, "now">;

  constructor(folder: string, clock: Pick<Clock, "now">, disk?: Disk) {
    this.#clock = clock;
    this.#book = new Book(ORDERS, folder, disk);
  }

  /**
   * `before`: the order that held. Its instance may keep that one, and is to be told of this one.
   * @returns the name of its files. @throws the disk's error: no one may believe in an order that wasn't written down.
   */
  async write(order: IdleOrder, before?: IdleEntry): Promise<string> {
    const name = createName();
    const unread = createUnreadProof(order.at);
    const mayKeep = mayKeepOrder(before?.proof);
    if (mayKeep) await this.#book.create(name, ["proof", 1], unread);
    await this.#book.create(name, ["idle", order.id, order.count], order);
    // It may have been told while this was written.
    if (before && !mayKeep) {
      const files = (await this.#book.list()).get(before.name);
      if (mayKeepOrder(await this.#readProof(before.name, findHighest(files, "proof"))))
        await this.noteProof(name, unread);
    }
    return name;
  }

  /** @throws the disk's error. */
  async writeLaunch(order: IdleLaunchOrder): Promise<void> {
    await this.#book.create(createName(), "launch", order);
  }

  /**
   * Gives what a launch has come to be its order, the first one of that instance: whatever a person ordered there holds instead. Windows that
   * do it at the same moment write the same one.
   * @throws the disk's error.
   */
  async giveLaunched({ name, order }: IdleLaunchEntry, id: InstanceId): Promise<void> {
    const { token: _, before: __, ...rest } = order;
    const own = `idl-${createHash("sha256").update(`${name} ${id}`).digest("hex").slice(0, 20)}`;
    await this.#book.create(own, ["idle", id, 1], { ...rest, id, count: 1 } satisfies IdleOrder);
    // Noted afterward: a window that dies between the two leaves it to the next one.
    await this.#book.create(name, ["of", id]);
  }

  /** The orders of an account's launches. @throws the disk's error. */
  async readLaunches(account: SignedIn): Promise<readonly IdleLaunchEntry[]> {
    return (await this.#readLaunches()).filter(({ order }) => isOfAccount(order, account));
  }

  async #readLaunches(): Promise<readonly IdleLaunchEntry[]> {
    const isTrusted = this.#judgeTime();
    const entries: IdleLaunchEntry[] = [];
    for (const [name, files] of await this.#book.list()) {
      if (!files.has("launch")) continue;
      const order = await this.#book.read(name, "launch", IdleLaunchOrder.refine(isTrusted));
      if (order) entries.push({ name, order, ids: new Set(listInstanceIds(files, "of")) });
    }
    return entries;
  }

  /** The highest number of an order for an instance, whether or not that order can be read; 0 without one. @throws the disk's error. */
  async findHighestCount(id: InstanceId): Promise<number> {
    return findHighestCount(await this.#book.list(), "idle", id);
  }

  async noteOver(name: string): Promise<void> {
    await this.#book.create(name, "over");
  }

  /** Whoever creates the file warns the person. @returns false if another window was faster. */
  async claimWarning(name: string, count: number): Promise<boolean> {
    return await this.#book.create(name, ["warned", count]);
  }

  /** The last one counts. */
  async noteProof(name: string, proof: IdleKeeperProof): Promise<void> {
    const before = findHighest((await this.#book.list()).get(name), "proof");
    // Another window may note one at the same moment: that is as good.
    if (!(await this.#book.create(name, ["proof", before + 1], proof))) return;
    // The one before may just be read.
    if (before > 1) await this.#book.remove(name, ["proof", before - 1]);
  }

  /** One that a window left half written says nothing, and the one before is still there. */
  async #readProof(name: string, count: number): Promise<IdleKeeperProof | undefined> {
    for (const number of [count, count - 1]) {
      const proof = number > 0 ? await this.#book.read(name, ["proof", number], IdleKeeperProof) : undefined;
      if (proof) return proof;
    }
    return undefined;
  }

  /** One that is far later than now would outrank each that is given, here and on its instance: it says nothing. */
  #judgeTime(): (order: { readonly at: number }) => boolean {
    const latest = this.#clock.now() + MOST_AHEAD;
    return ({ at }) => at <= latest;
  }

  /** Every order of an account that can be read, in no order. @throws the disk's error. */
  async readAll(account: SignedIn): Promise<readonly IdleEntry[]> {
    return (await this.#readAll()).filter(({ order }) => isOfAccount(order, account));
  }

  /** One that can't be read puts those before it in doubt. */
  async #readAll(): Promise<readonly IdleEntry[]> {
    const { all, isDoubted } = await readCounted(this.#book, "idle", IdleOrder.refine(this.#judgeTime()));
    return await Promise.all(
      all.map(async ({ name, files, value: order }) => {
        const facts = { isOver: files.has("over"), isDoubted: isDoubted(order.id, order.count) };
        const proof = await this.#readProof(name, findHighest(files, "proof"));
        return { name, order, ...facts, warnings: findHighest(files, "warned"), proof };
      }),
    );
  }

  /** Removes what no longer matters. The last order of an instance goes last: an earlier one would hold again. `now` in epoch milliseconds. */
  async tidy(now: number): Promise<void> {
    const all = await this.#readAll();
    const launches = await this.#readLaunches();
    const limit = findTidyLimit([...all, ...launches].map(({ order }) => order.at));
    for (const entry of all) {
      const { name, order, isOver } = entry;
      const own = all.filter((one) => one.order.id === order.id && one.order.origin === order.origin);
      const isLast = findLatestOrder(own, order.id) === entry;
      const isNeeded = isLast ? own.length > 1 || (order.wish !== null && !isOver) : false;
      const isRecent = order.at > limit || now - order.at < KEPT;
      if (!isNeeded && !isRecent) await this.#book.removeEntry(name);
    }
    for (const { name, order } of launches)
      if (order.at <= limit && now - order.at >= LAUNCH_KEPT) await this.#book.removeEntry(name);
  }
}

const createName = (): string => `idl-${randomBytes(10).toString("hex")}`;

/** The order that holds for an instance, or that took the one before back. */
export function findLatestOrder(entries: readonly IdleEntry[], id: InstanceId): IdleEntry | undefined {
  return findLatest(
    entries.filter(({ order }) => order.id === id),
    ({ order }) => order,
  );
}
