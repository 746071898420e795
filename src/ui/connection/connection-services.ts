// What the connection commands need.
import type { Clock } from "../../lib/clock.ts";
import type { ConnectionsService } from "../../services/connection/connections.ts";
import type { LogsService } from "../../services/connection/logs.ts";
import type { InstanceServices } from "../instance/instance-services.ts";

export interface ConnectionServices extends InstanceServices {
  readonly connections: ConnectionsService;
  readonly logs: LogsService;
  readonly clock: Clock;
}
