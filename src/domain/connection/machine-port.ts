// The ports of a machine that its service publishes (interface 2.2 and what public services send besides).
import type { Instance } from "../instance/instance.ts";
import { findPublicPort, SSH_PORT } from "./published-port.ts";
import { parseSshAddress, type SshAddress } from "./ssh-address.ts";

export interface MachinePort {
  /** The number inside the machine, 1 to 65535. */
  readonly port: number;
  /** Where everyone reaches it; undefined if only a login does. */
  readonly publicAt: SshAddress | undefined;
}

/** Services publish up to 64 for each machine. */
const MOST = 64;
/** Where images that are started with Jupyter serve it. */
export const JUPYTER_PORT = 8080;

/** A port that someone typed or a service lists; undefined for anything else. */
export function parsePort(text: string): number | undefined {
  const port = /^\s*\d{1,5}\s*$/.test(text) ? Number(text) : 0;
  return port >= 1 && port <= 65_535 ? port : undefined;
}

/** The TCP ports that are listed, in order, without the one of SSH. */
export function readMachinePorts({
  ports,
  public_ipaddr,
}: Pick<Instance, "ports" | "public_ipaddr">): readonly MachinePort[] {
  if (typeof ports !== "object" || ports === null) return [];
  const found = Object.keys(ports)
    .slice(0, 4 * MOST)
    .flatMap((inside) => {
      const port = parsePort(inside.replace(/\/tcp$/, ""));
      // Also those that are written as no service does, such as 080: each number is listed once.
      if (port === undefined || inside !== `${port}/tcp` || port === SSH_PORT) return [];
      return [{ port, publicAt: parseSshAddress(public_ipaddr, findPublicPort(ports, inside)) }];
    });
  return found.sort((a, b) => a.port - b.port).slice(0, MOST);
}
