// What the connection commands need.

import type { Clock } from "../../lib/clock.ts";
import type { AccountKeys } from "../../services/connection/account-keys.ts";
import type { ConnectionsService } from "../../services/connection/connections.ts";
import type { LogsService } from "../../services/connection/logs.ts";
import type { InstanceServices } from "../instance/instance-services.ts";

export interface ConnectionServices extends InstanceServices {
  readonly connections: ConnectionsService;
  readonly accountKeys: AccountKeys;
  readonly logs: LogsService;
  readonly clock: Clock;
}
