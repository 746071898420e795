// What listens on a port of a machine. Programs of every machine, and this computer's own, share one loopback; only the
// system knows whose a port is.
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { canFindProcesses, findProcesses } from "./processes.ts";

const LISTENING = "0A";

interface Listening {
  /** The address that reaches it. */
  readonly host: "127.0.0.1" | "::1";
  /** As the system names it among the open files of its program. */
  readonly socket: string;
}

/** As the system writes addresses: every one, and loopback in each family. */
const HOSTS: Readonly<Record<string, Listening["host"]>> = {
  "00000000": "127.0.0.1",
  "0100007F": "127.0.0.1",
  "0000000000000000FFFF00000100007F": "127.0.0.1",
  "00000000000000000000000000000000": "::1",
  "00000000000000000000000001000000": "::1",
};

function listTable(table: "tcp" | "tcp6", port: number): Listening[] {
  const end = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const rows = readFileSync(`/proc/net/${table}`, "utf8").trim().split("\n").slice(1);
  return rows.flatMap((row) => {
    const [, local = "", , state, , , , , , inode] = row.trim().split(/\s+/);
    const host = local.endsWith(end) ? HOSTS[local.slice(0, -end.length)] : undefined;
    return host !== undefined && state === LISTENING ? [{ host, socket: `socket:[${inode}]` }] : [];
  });
}

/** An empty list if it fails: the program has ended, or just closed the file. */
function unlessGone<T>(read: () => T[]): T[] {
  try {
    return read();
  } catch {
    return [];
  }
}

function listOpenFiles(id: number): string[] {
  const folder = `/proc/${id}/fd`;
  const names = unlessGone(() => readdirSync(folder));
  return names.flatMap((name) => unlessGone(() => [readlinkSync(`${folder}/${name}`)]));
}

/**
 * Where a program that belongs to this folder listens on this port, if one does. Nowhere on systems that don't tell whose
 * a port is.
 */
export function findListener(folder: string, port: number): Listening["host"] | undefined {
  if (!canFindProcesses) return undefined;
  const listening = (["tcp", "tcp6"] as const).flatMap((table) => listTable(table, port));
  if (listening.length === 0) return undefined;
  const open = new Set(findProcesses(folder).flatMap(listOpenFiles));
  return listening.find(({ socket }) => open.has(socket))?.host;
}
