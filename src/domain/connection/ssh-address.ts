// Where an instance's SSH server can be reached (interface 2.2 and what public services send besides).
import { hasSsh, type Instance } from "../instance/instance.ts";
import { findPublicPort, SSH_PORT } from "./published-port.ts";

export interface SshAddress {
  /** An IP address or a host name: letters, digits, dots, hyphens and colons, never a hyphen first. */
  readonly host: string;
  /** 1 to 65535. */
  readonly port: number;
}

/** Whether both lead to the same place, as they are written. */
export function isSameAddress(one: SshAddress, other: SshAddress): boolean {
  return one.host === other.host && one.port === other.port;
}

const HOST = /^[A-Za-z0-9:][A-Za-z0-9.:-]{0,252}$/;
/** Reserved for examples (RFC 2606 and 5737): no machine is there. */
const NOBODYS = /(?:\.invalid|^192\.0\.2\.\d+|^198\.51\.100\.\d+|^203\.0\.113\.\d+)$/i;
const THIS_COMPUTER =
  /^(?:127(?:\.\d+){3}|0(?:\.0){3}|(?:.+\.)?localhost|\[::1?\]|\[::ffff:(?:7f[\da-f]{2}:[\da-f]+|0:0)\])$/;

/** A host as the web's own rules write it: `0x7f.1` becomes `127.0.0.1`. Undefined for what names no host. */
export function toCanonicalHost(host: string): string | undefined {
  const url = `http://${host.includes(":") ? `[${host}]` : host}`;
  return URL.canParse(url) ? new URL(url).hostname.replace(/(?<!\.)\.+$/, "") : undefined;
}

/** Whether a host is the computer that connects to it: a loopback address however it is written, or a name of one. */
export function namesThisComputer(host: string): boolean {
  const canonical = toCanonicalHost(host.replace(/^\[|\]$/g, ""));
  return canonical === undefined || THIS_COMPUTER.test(canonical);
}

/** Whether a name or an address means nothing but a host, wherever it is written. */
export const isPlainHost = (host: string): boolean => HOST.test(host);

/** Nothing else of what a service says gets near a command line or a configuration file. */
export function parseSshAddress(host: unknown, port: unknown): SshAddress | undefined {
  const name = typeof host === "string" ? host.trim() : "";
  const number = typeof port === "string" && /^\d{1,5}$/.test(port) ? Number(port) : port;
  if (!isPlainHost(name) || NOBODYS.test(name) || typeof number !== "number") return undefined;
  return Number.isInteger(number) && number >= 1 && number <= 65_535 ? { host: name, port: number } : undefined;
}

/**
 * The addresses to try, in order: the machine's own public port, then the service's proxy. The proxy's port is one higher
 * if the image is started with Jupyter.
 */
export function readSshAddresses(
  instance: Pick<Instance, "image_runtype" | "ports" | "public_ipaddr" | "ssh_host" | "ssh_port">,
): readonly SshAddress[] {
  if (!hasSsh(instance)) return [];
  const { image_runtype: runtype = "", ports, public_ipaddr, ssh_host, ssh_port } = instance;
  const shift = runtype.includes("jupyter") ? 1 : 0;
  const found = [
    parseSshAddress(public_ipaddr, findPublicPort(ports, `${SSH_PORT}/tcp`)),
    parseSshAddress(ssh_host, ssh_port === undefined ? undefined : ssh_port + shift),
  ];
  return found.filter((address) => address !== undefined);
}
