// What the commands of ports and notebooks need.
import type { JupyterServers } from "../../services/port/jupyter-servers.ts";
import type { Tunnels } from "../../services/port/tunnels.ts";
import type { WebFronts } from "../../services/port/web-fronts.ts";
import type { ConnectionServices } from "../connection/connection-services.ts";

export interface PortServices extends ConnectionServices {
  readonly fronts: WebFronts;
  readonly jupyterServers: JupyterServers;
  readonly tunnels: Tunnels;
}
