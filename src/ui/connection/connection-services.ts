// What the connection commands need.
import type { AccountKeys } from "../../services/connection/account-keys.ts";
import type { ConnectionsService } from "../../services/connection/connections.ts";
import type { InstanceServices } from "../instance/instance-services.ts";

export interface ConnectionServices extends InstanceServices {
  readonly connections: ConnectionsService;
  readonly accountKeys: AccountKeys;
}
