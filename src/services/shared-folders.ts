// The folders that all windows share, and what is removed from them in time.
import { join } from "node:path";
import type { Clock } from "../lib/clock.ts";
import type { Bag } from "../lib/disposable.ts";
import type { Log } from "../lib/log.ts";
import type { Ledger } from "./account/ledger.ts";
import type { LowBalance } from "./account/low-balance.ts";
import type { WhileAway } from "./account/while-away.ts";
import type { Grants } from "./agent/grants.ts";
import { watchFolder } from "./core/book/watch-folder.ts";
import type { Heartbeat } from "./core/heartbeat.ts";
import type { RowMemory } from "./core/row-memory.ts";
import type { GroupJournal } from "./group/group-journal.ts";
import type { AutoStopJournal } from "./instance/auto-stops/auto-stop-journal.ts";
import type { IdleJournal } from "./instance/idle/idle-journal.ts";
import type { IdleNotices } from "./instance/idle/idle-notices.ts";
import type { InstanceAlerts } from "./instance/instance-alerts.ts";
import type { InstanceUses } from "./instance/instance-uses.ts";
import type { OrderJournal } from "./instance/order-journal.ts";
import type { LaunchJournal } from "./launch/launch-journal.ts";
import type { MachineMemory } from "./launch/machine-memory.ts";
import type { PriceHistory } from "./offer/price-history.ts";
import type { PriceWatches } from "./offer/price-watches.ts";

/** What all editors of this user share. What became of an order is moved before the end that gave it. */
export const SHARED = {
  windows: "windows",
  orders: "orders",
  launches: "launches",
  groups: "groups",
  autoStops: "ends",
  idleOrders: "idle-orders",
  idle: "idle",
  uses: "uses",
  alerts: "alerts",
  runs: "runs",
  grants: "grants",
} as const;
/** What the windows of one editor share. */
const OWN = {
  rows: "rows",
  inventories: "inventories",
  ledger: "ledger",
  machines: "machines",
  prices: "prices",
  priceWatches: "price-watches",
} as const;
/** Each holds the files of one feature. `own` is shared by all windows of an editor, and `shared` by all editors of the user. */
export const nameFolders = (own: string, shared: string) => ({
  ...placeIn(shared, SHARED),
  ...placeIn(own, OWN),
});

const placeIn = <K extends string>(parent: string, names: Readonly<Record<K, string>>) =>
  Object.fromEntries(Object.entries<string>(names).map(([key, name]) => [key, join(parent, name)])) as Record<
    K,
    string
  >;

interface Waking {
  wake(): void;
}

/** Wakes whoever reads a folder once another window has written to it. */
export async function followFolders(
  bag: Bag,
  folders: ReturnType<typeof nameFolders>,
  services: Readonly<
    Record<"orders" | "autoStops" | "idleOrders" | "watch" | "grants" | "runList" | "groups" | "priceWatches", Waking>
  >,
  log: Log,
): Promise<void> {
  const { orders, autoStops, idleOrders, watch, grants, runList, groups, priceWatches } = services;
  const all = [
    [folders.orders, orders],
    [folders.autoStops, autoStops],
    [folders.idleOrders, idleOrders],
    [folders.launches, watch],
    [folders.grants, grants],
    [folders.groups, groups],
    [folders.runs, runList],
    [folders.priceWatches, priceWatches],
  ] as const;
  for (const [folder, service] of all) bag.add(await watchFolder(folder, () => service.wake(), log));
}

interface Tidied {
  readonly heartbeat: Heartbeat;
  readonly orderJournal: OrderJournal;
  readonly autoStopJournal: AutoStopJournal;
  readonly journal: LaunchJournal;
  readonly groupJournal: GroupJournal;
  readonly machineMemory: MachineMemory;
  readonly rowMemory: RowMemory;
  readonly alerts: InstanceAlerts;
  readonly instanceUses: InstanceUses;
  readonly idleNotices: IdleNotices;
  readonly idleJournal: IdleJournal;
  readonly grants: Grants;
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
    autoStopJournal,
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
    grants,
    ...idle
  }: Tidied,
  clock: Clock,
  log: Log,
): void {
  const work = {
    windows: heartbeat.tidy(),
    orders: orderJournal.tidy(clock.now()),
    ends: autoStopJournal.tidy(clock.now()),
    launches: journal.tidy(clock.now()),
    groups: groupJournal.tidy(clock.now()),
    machines: machineMemory.tidy(clock.now()),
    rows: rowMemory.tidy(),
    alerts: alerts.tidy(clock.now()),
    uses: idle.instanceUses.tidy(clock.now()),
    idle: idle.idleNotices.tidy(clock.now()),
    idleOrders: idle.idleJournal.tidy(clock.now()),
    grants: grants.tidy(clock.now()),
    spending: ledger.tidy(),
    absences: whileAway.tidy(),
    balances: lowBalance.tidy(),
    prices: priceHistory.tidy(clock.now()),
    priceWatches: priceWatches.tidy(),
  };
  for (const [what, tidying] of Object.entries(work))
    void tidying.catch((error) => log.warn(`Could not tidy away old ${what}.`, error));
}
