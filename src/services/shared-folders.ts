// The folders that all windows share, and what is removed from them in time.
import { join } from "node:path";
import type { Clock } from "../lib/clock.ts";
import type { Bag } from "../lib/disposable.ts";
import type { Log } from "../lib/log.ts";
import type { Ledger } from "./account/ledger.ts";
import type { LowBalance } from "./account/low-balance.ts";
import type { WhileAway } from "./account/while-away.ts";
import type { Heartbeat } from "./core/heartbeat.ts";
import type { RowMemory } from "./core/row-memory.ts";
import { watchFolder } from "./core/watch-folder.ts";
import type { GroupJournal } from "./group/group-journal.ts";
import type { LeaseJournal } from "./instance/ends/lease-journal.ts";
import type { IdleJournal } from "./instance/idle/idle-journal.ts";
import type { IdleNotices } from "./instance/idle/idle-notices.ts";
import type { InstanceAlerts } from "./instance/instance-alerts.ts";
import type { InstanceUses } from "./instance/instance-uses.ts";
import type { OrderJournal } from "./instance/order-journal.ts";
import type { Journal } from "./launch/launch-journal.ts";
import type { MachineMemory } from "./launch/machine-memory.ts";
import type { PriceHistory } from "./offer/price-history.ts";
import type { PriceWatches } from "./offer/price-watches.ts";

/** Each holds the files of one feature, and all windows share it. */
export function nameFolders(folder: string) {
  const at = (name: string) => join(folder, name);
  return {
    launches: at("launches"),
    groups: at("groups"),
    inventories: at("inventories"),
    orders: at("orders"),
    leases: at("ends"),
    runs: at("runs"),
    ledger: at("ledger"),
    alerts: at("alerts"),
    machines: at("machines"),
    uses: at("uses"),
    idle: at("idle"),
    idleOrders: at("idle-orders"),
    prices: at("prices"),
    priceWatches: at("price-watches"),
  };
}

interface Waking {
  wake(): void;
}

/** Wakes whoever reads a folder once another window has written to it. */
export async function followFolders(
  bag: Bag,
  folders: ReturnType<typeof nameFolders>,
  services: Readonly<
    Record<"orders" | "leases" | "idleOrders" | "watch" | "runList" | "groups" | "priceWatches", Waking>
  >,
  log: Log,
): Promise<void> {
  const { orders, leases, idleOrders, watch, runList, groups, priceWatches } = services;
  const all = [
    [folders.orders, orders],
    [folders.leases, leases],
    [folders.idleOrders, idleOrders],
    [folders.launches, watch],
    [folders.groups, groups],
    [folders.runs, runList],
    [folders.priceWatches, priceWatches],
  ] as const;
  for (const [folder, service] of all) bag.add(await watchFolder(folder, () => service.wake(), log));
}

interface Tidied {
  readonly heartbeat: Heartbeat;
  readonly orderJournal: OrderJournal;
  readonly leaseJournal: LeaseJournal;
  readonly journal: Journal;
  readonly groupJournal: GroupJournal;
  readonly machineMemory: MachineMemory;
  readonly rowMemory: RowMemory;
  readonly alerts: InstanceAlerts;
  readonly instanceUses: InstanceUses;
  readonly idleNotices: IdleNotices;
  readonly idleJournal: IdleJournal;
  readonly ledger: Ledger;
  readonly whileAway: WhileAway;
  readonly lowBalance: LowBalance;
  readonly priceHistory: PriceHistory;
  readonly priceWatches: PriceWatches;
}

/** Not awaited. Anything that can't be cleaned up stays until the next start. */
export function tidyUp(
  {
    heartbeat,
    orderJournal,
    leaseJournal,
    journal,
    groupJournal,
    machineMemory,
    rowMemory,
    alerts,
    ledger,
    whileAway,
    lowBalance,
    priceHistory,
    priceWatches,
    ...idle
  }: Tidied,
  clock: Clock,
  log: Log,
): void {
  const work = {
    windows: heartbeat.tidy(),
    orders: orderJournal.tidy(clock.now()),
    ends: leaseJournal.tidy(clock.now()),
    launches: journal.tidy(clock.now()),
    groups: groupJournal.tidy(clock.now()),
    machines: machineMemory.tidy(clock.now()),
    rows: rowMemory.tidy(),
    alerts: alerts.tidy(clock.now()),
    uses: idle.instanceUses.tidy(clock.now()),
    idle: idle.idleNotices.tidy(clock.now()),
    idleOrders: idle.idleJournal.tidy(clock.now()),
    spending: ledger.tidy(),
    absences: whileAway.tidy(),
    balances: lowBalance.tidy(),
    prices: priceHistory.tidy(clock.now()),
    priceWatches: priceWatches.tidy(),
  };
  for (const [what, tidying] of Object.entries(work))
    void tidying.catch((error) => log.warn(`Could not tidy away old ${what}.`, error));
}
