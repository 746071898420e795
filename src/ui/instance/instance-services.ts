// What the instance commands need.
import type { SessionService } from "../../services/core/session.ts";
import type { AutoStopsService } from "../../services/instance/auto-stops/auto-stops.ts";
import type { IdleKeepers } from "../../services/instance/idle/idle-keepers.ts";
import type { IdleNotices } from "../../services/instance/idle/idle-notices.ts";
import type { IdleOrders } from "../../services/instance/idle/idle-orders.ts";
import type { IdleWatch } from "../../services/instance/idle/idle-watch.ts";
import type { InstanceActions } from "../../services/instance/instance-actions.ts";
import type { InstanceAlerts } from "../../services/instance/instance-alerts.ts";
import type { InstanceOrders } from "../../services/instance/instance-orders.ts";
import type { InstanceUses } from "../../services/instance/instance-uses.ts";
import type { InstancesService } from "../../services/instance/instances.ts";
import type { Kit } from "../kit/module.ts";

export interface InstanceServices extends Kit {
  readonly session: SessionService;
  readonly instances: InstancesService;
  readonly actions: InstanceActions;
  readonly orders: InstanceOrders;
  readonly autoStops: AutoStopsService;
  readonly alerts: InstanceAlerts;
  readonly instanceUses: InstanceUses;
  readonly idleWatch: IdleWatch;
  readonly idleOrders: IdleOrders;
  readonly idleKeepers: IdleKeepers;
  readonly idleNotices: IdleNotices;
}
