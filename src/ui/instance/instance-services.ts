// What the instance commands need.
import type { SessionService } from "../../services/core/session.ts";
import type { InstanceActions } from "../../services/instance/instance-actions.ts";
import type { InstanceAlerts } from "../../services/instance/instance-alerts.ts";
import type { InstanceOrders } from "../../services/instance/instance-orders.ts";
import type { InstancesService } from "../../services/instance/instances.ts";
import type { LeasesService } from "../../services/instance/leases.ts";
import type { Kit } from "../kit/module.ts";

export interface InstanceServices extends Kit {
  readonly session: SessionService;
  readonly instances: InstancesService;
  readonly actions: InstanceActions;
  readonly orders: InstanceOrders;
  readonly leases: LeasesService;
  readonly alerts: InstanceAlerts;
}
