// The services of instances, put together.
import type { IdleRule } from "../../domain/instance/idle.ts";
import type { Bag } from "../../lib/disposable.ts";
import type { Log } from "../../lib/log.ts";
import type { Disk } from "../core/book/disk.ts";
import type { Liveness } from "../core/heartbeat.ts";
import type { Notes } from "../core/notes.ts";
import type { Scheduler } from "../core/scheduler.ts";
import type { SessionService } from "../core/session.ts";
import { AutoStopJournal } from "./auto-stops/auto-stop-journal.ts";
import { AutoStopsService } from "./auto-stops/auto-stops.ts";
import { recheckEitherStep } from "./auto-stops/second-steps.ts";
import { IdleJournal, isIdleName } from "./idle/idle-journal.ts";
import { IdleNotices } from "./idle/idle-notices.ts";
import { IdleOrders } from "./idle/idle-orders.ts";
import { IdleWatch } from "./idle/idle-watch.ts";
import { InstanceActions } from "./instance-actions.ts";
import { InstanceAlerts } from "./instance-alerts.ts";
import { InstanceOrders } from "./instance-orders.ts";
import { InstanceUses } from "./instance-uses.ts";
import { InstancesService } from "./instances.ts";
import { OrderJournal } from "./order-journal.ts";
import type { OrderReasons } from "./order-reasons.ts";

interface Parts {
  readonly session: SessionService;
  readonly scheduler: Scheduler;
  readonly liveness: Liveness;
  readonly notes: Notes;
  readonly disk: Disk | undefined;
  readonly log: Log;
  /** When an instance counts as idle. */
  readonly idleRule: () => IdleRule;
  /** Each for one of them. */
  readonly folders: Readonly<Record<"orders" | "autoStops" | "alerts" | "uses" | "idle" | "idleOrders", string>>;
}

export function assembleInstances(bag: Bag, { folders, notes, ...common }: Parts) {
  const { session, scheduler, disk } = common;
  const { clock } = scheduler;
  const instances = bag.add(new InstancesService(session, notes, clock));
  const orderJournal = new OrderJournal(folders.orders, disk);
  const autoStopJournal = new AutoStopJournal(folders.autoStops, disk);
  const reasons: OrderReasons = {
    // Only a window that knows of itself that an instance is still idle may end it for that.
    recheck: async (account, reason) =>
      isIdleName(reason.name)
        ? "late"
        : await recheckEitherStep(autoStopJournal, instances, account, { ...reason, clock }),
    isForEachTime: isIdleName,
  };
  const orders = bag.add(new InstanceOrders({ ...common, instances, journal: orderJournal, reasons }));
  const actions = new InstanceActions(session, instances, orders, clock);
  const parts = { ...common, instances, actions, orders, orderJournal };
  const alerts = bag.add(new InstanceAlerts({ ...parts, folder: folders.alerts }));
  const autoStops = bag.add(new AutoStopsService({ ...parts, journal: autoStopJournal }));

  const instanceUses = bag.add(new InstanceUses({ ...common, folder: folders.uses }));
  const idleWatch = bag.add(new IdleWatch({ ...parts, uses: instanceUses, rule: common.idleRule }));
  const idleJournal = new IdleJournal(folders.idleOrders, clock, disk);
  const idleOrders = bag.add(new IdleOrders({ ...parts, journal: idleJournal, watch: idleWatch }));
  const isOrdered = (id: Parameters<IdleOrders["isOrdered"]>[0]) => idleOrders.isOrdered(id);
  const idleNotices = bag.add(new IdleNotices({ ...common, watch: idleWatch, isOrdered, folder: folders.idle }));
  const idle = { instanceUses, idleWatch, idleJournal, idleOrders, idleNotices };
  return { instances, orders, orderJournal, actions, alerts, autoStops, autoStopJournal, ...idle };
}
