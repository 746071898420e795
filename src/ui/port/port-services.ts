// What the commands of ports and notebooks need.
import type { JupyterServers } from "../../services/port/jupyter-servers.ts";
import type { TlsFronts } from "../../services/port/tls-front.ts";
import type { Tunnels } from "../../services/port/tunnels.ts";
import type { ConnectionServices } from "../connection/connection-services.ts";

export interface PortServices extends ConnectionServices {
  readonly fronts: TlsFronts;
  readonly jupyterServers: JupyterServers;
  readonly tunnels: Tunnels;
}
