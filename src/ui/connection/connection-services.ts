// What the connection commands need.

import type { InstanceId } from "../../domain/base/id.ts";
import type { Instance } from "../../domain/instance/instance.ts";
import type { Clock } from "../../lib/clock.ts";
import type { AccountKeys } from "../../services/connection/account-keys.ts";
import type { ConnectionsService } from "../../services/connection/connections.ts";
import type { EndedMachines } from "../../services/connection/ended-machines.ts";
import type { LogsService } from "../../services/connection/logs.ts";
import type { LostWindow } from "../../services/connection/lost-window.ts";
import type { RemoteWindows } from "../../services/connection/remote-windows.ts";
import type { SharedConnections } from "../../services/connection/shared-connections.ts";
import type { HostKeys } from "../../services/connection/ssh/host-keys.ts";
import type { OwnSshConfig } from "../../services/connection/ssh/own-ssh-config.ts";
import type { SshMachines } from "../../services/connection/ssh/ssh-machines.ts";
import type { Notes } from "../../services/core/notes.ts";
import type { SignedIn } from "../../services/core/session.ts";
import type { InstanceServices } from "../instance/instance-services.ts";

export interface ConnectionServices extends InstanceServices {
  readonly connections: ConnectionsService;
  readonly accountKeys: AccountKeys;
  readonly logs: LogsService;
  readonly lostWindow: LostWindow;
  readonly clock: Clock;
  readonly endedMachines: EndedMachines;
  readonly hostKeys: HostKeys;
  readonly notes: Notes;
  /** What was rented, also after it is gone. */
  readonly pastRentals: { findInstance(account: SignedIn, id: InstanceId): Instance | undefined };
  readonly remoteWindows: RemoteWindows;
  readonly sharedConnections: SharedConnections;
  readonly sshConfig: OwnSshConfig;
  readonly sshMachines: SshMachines;
}
