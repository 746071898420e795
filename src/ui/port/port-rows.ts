// The ports of running machines, below their rows: those that the service lists, and those that are forwarded.
import { getPhase, hasSsh, type Instance } from "../../domain/instance/instance.ts";
import type { Event } from "../../lib/event.ts";
import { buildPortRow, formatAddress, type PortFacts } from "../../present/port/ports.ts";
import { listMachinePorts } from "../../services/connection/addresses.ts";
import type { SessionService } from "../../services/core/session.ts";
import type { InstanceRow } from "../../services/instance/instances.ts";
import type { Tunnels } from "../../services/port/tunnels.ts";
import type { Node } from "../list/rows.ts";

/** What a port's row stands for. Not an instance: whatever is done to those must not be done to the port's. */
export interface PortOfMachine {
  readonly port: Pick<PortFacts, "id" | "port">;
}

interface Services {
  readonly session: SessionService;
  readonly tunnels: Tunnels;
}

export interface PortRows {
  rowsBelow(row: InstanceRow, tag: string): readonly Node<PortOfMachine>[];
  /** The public ports of an instance that runs, and where they lead. */
  listPublished(row: InstanceRow): readonly string[];
  readonly onDidChange: Event<void>;
}

export function createPortRows({ session, tunnels }: Services): PortRows {
  const list = ({ value, gone }: InstanceRow) => {
    const account = session.current;
    // The addresses of one that is gone may be those of someone else's.
    if (account.kind !== "signed-in" || gone || getPhase(value) !== "running") return [];
    return listPorts(account, value, tunnels);
  };
  return {
    onDidChange: tunnels.onDidChange,
    rowsBelow: (row, tag) =>
      list(row).map((facts) => ({
        view: buildPortRow({ ...facts, tag }),
        of: { port: { id: facts.id, port: facts.port } },
        children: [],
      })),
    listPublished: (row) =>
      list(row).flatMap(({ port, publicAt }) => (publicAt ? [`${port} → ${formatAddress(publicAt)}`] : [])),
  };
}

/** Sorted by number. Without an SSH server, only those that the service published lead anywhere. */
export function listPorts(
  account: Parameters<typeof listMachinePorts>[0],
  instance: Instance,
  tunnels: Tunnels,
): readonly Omit<PortFacts, "tag">[] {
  const { id } = instance;
  const hasJupyter = instance.image_runtype?.includes("jupyter") ?? false;
  const listed = listMachinePorts(account, instance);
  const open = tunnels.listFor(id);
  const others = open
    .filter(({ remote }) => !listed.some(({ port }) => port === remote))
    .map(({ remote }) => ({ port: remote, publicAt: undefined }));
  const canForward = hasSsh(instance);
  return [...listed, ...others]
    .filter(({ publicAt }) => canForward || publicAt !== undefined)
    .sort((a, b) => a.port - b.port)
    .map((one) => ({
      ...one,
      id,
      hasJupyter,
      canForward,
      local: open.find(({ remote }) => remote === one.port)?.local,
    }));
}
