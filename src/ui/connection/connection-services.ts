// What the connection commands need.

import type { Clock } from "../../lib/clock.ts";
import type { AccountKeys } from "../../services/connection/account-keys.ts";
import type { ConnectionsService } from "../../services/connection/connections.ts";
import type { EndedMachines } from "../../services/connection/ended-machines.ts";
import type { LogsService } from "../../services/connection/logs.ts";
import type { RemoteWindows } from "../../services/connection/remote-windows.ts";
import type { SharedConnections } from "../../services/connection/shared-connections.ts";
import type { HostKeys } from "../../services/connection/ssh/host-keys.ts";
import type { OwnSshConfig } from "../../services/connection/ssh/own-ssh-config.ts";
import type { SshMachines } from "../../services/connection/ssh/ssh-machines.ts";
import type { Notes } from "../../services/core/notes.ts";
import type { InstanceServices } from "../instance/instance-services.ts";

export interface ConnectionServices extends InstanceServices {
  readonly connections: ConnectionsService;
  readonly accountKeys: AccountKeys;
  readonly logs: LogsService;
  readonly clock: Clock;
  readonly endedMachines: EndedMachines;
  readonly hostKeys: HostKeys;
  readonly notes: Notes;
  readonly remoteWindows: RemoteWindows;
  readonly sharedConnections: SharedConnections;
  readonly sshConfig: OwnSshConfig;
  readonly sshMachines: SshMachines;
}
