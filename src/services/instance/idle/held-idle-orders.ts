// The idle orders of an account that hold, as they were read last, and what is known of instances that keep theirs themselves.
import type { InstanceId } from "../../../domain/base/id.ts";
import { type IdleKeeperGuard, mayKeepOrder } from "../../../domain/instance/idle-keeper.ts";
import type { IdleOrdered } from "../../../domain/instance/idle-order.ts";
import { findLatestOrder, type IdleEntry } from "./idle-journal.ts";

export class HeldIdleOrders {
  /** Those that hold. */
  entries: ReadonlyMap<InstanceId, IdleEntry> = new Map();
  /** The last one of each instance, also if it takes back the one before. */
  #latest: ReadonlyMap<InstanceId, IdleEntry> = new Map();
  #findGuard: (entry: IdleEntry) => IdleKeeperGuard = () => ({ kind: "unverified" });

  read(all: readonly IdleEntry[]): void {
    const ids = new Set(all.map(({ order }) => order.id));
    const latest = [...ids].flatMap((id) => findLatestOrder(all, id) ?? []);
    this.#latest = new Map(latest.map((entry) => [entry.order.id, entry]));
    const holding = latest.filter(({ order, isOver }) => order.wish && !isOver);
    this.entries = new Map(holding.map((entry) => [entry.order.id, entry]));
  }

  /** How an instance is known to keep an order itself. */
  guardBy(findGuard: (entry: IdleEntry) => IdleKeeperGuard): void {
    this.#findGuard = findGuard;
  }

  getWish(id: InstanceId): IdleOrdered | undefined {
    const entry = this.entries.get(id);
    if (!entry?.order.wish) return undefined;
    return { ...entry.order.wish, isDoubted: entry.isDoubted, guard: this.#findGuard(entry) };
  }

  /** The last order of an instance, also one that takes back the one before. */
  findEntry(id: InstanceId): IdleEntry | undefined {
    return this.#latest.get(id);
  }

  /** Whether the instance was told of an order and hasn't shown which one it keeps. */
  mayKeepOther(id: InstanceId): boolean {
    const { proof } = this.#latest.get(id) ?? {};
    return mayKeepOrder(proof) && proof?.doubt === "unread";
  }
}
