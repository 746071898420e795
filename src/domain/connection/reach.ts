// How far an IP address leads: to this computer, into a network that it is in, or out into the Internet.
import { toCanonicalHost } from "./ssh-address.ts";

/** From near to far. */
export type Reach = "here" | "private" | "public";

/** The service of an account, as far as it matters for where it may send anybody. */
export interface ServiceReach {
  readonly reach: Reach;
  /** Whether it is the sandbox, which has nothing outside this computer. */
  readonly sandbox: boolean;
}

/** Names for such addresses are looked up like any other. */
const PRIVATE_IPV4 =
  /^(?:10|192\.168|169\.254|172\.(?:1[6-9]|2\d|3[01])|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])|192\.0\.0|198\.1[89]|2(?:2[4-9]|[345]\d))\./;

function measureIpv4(ip: string): Reach {
  if (/^(?:127|0)\./.test(ip)) return "here";
  return PRIVATE_IPV4.test(ip) ? "private" : "public";
}

/** The eight parts of an address in the form that URLs have, without brackets. */
function toParts(ip: string): readonly number[] {
  const [head = "", tail] = ip.split("::");
  const read = (text: string) => (text === "" ? [] : text.split(":").map((part) => Number.parseInt(part, 16)));
  const [first, last] = [read(head), read(tail ?? "")];
  return [...first, ...Array<number>(8 - first.length - last.length).fill(0), ...last];
}

const toIpv4 = (high: number, low: number) => [high >> 8, high & 255, low >> 8, low & 255].join(".");

function measureIpv6(ip: string): Reach {
  const parts = toParts(ip);
  const [first = 0, second = 0, third = 0] = parts;
  const [high = 0, low = 0] = parts.slice(6);
  const isZeroUntil = (end: number) => parts.slice(0, end).every((part) => part === 0);
  if (isZeroUntil(7)) return low <= 1 ? "here" : "private";
  // An IPv4 address in another form: mapped, compatible, translated or through a relay.
  if (isZeroUntil(5) && parts[5] === 0xffff) return measureIpv4(toIpv4(high, low));
  if (isZeroUntil(6)) return measureIpv4(toIpv4(high, low));
  if (first === 0x64 && second === 0xff9b) return measureIpv4(toIpv4(high, low));
  if (first === 0x2002) return measureIpv4(toIpv4(second, third));
  // Unique local, link-local, site-local and multicast addresses.
  return (first & 0xfe00) === 0xfc00 || (first & 0xff80) === 0xfe80 || first >= 0xff00 ? "private" : "public";
}

/** The same host in one spelling, without brackets and what says by which network it is reached. */
function normalize(host: string): string | undefined {
  return toCanonicalHost(host.replace(/^\[|\]$/g, "").replace(/%.*$/, ""))?.replace(/^\[|\]$/g, "");
}

/** `own` are the addresses of this computer. @returns undefined for a name: where it leads is found out only by looking it up. */
export function measureReach(host: string, own: readonly string[]): Reach | undefined {
  const ip = normalize(host);
  if (ip === undefined || !/^[\d.]+$|:/.test(ip)) return undefined;
  if (own.some((one) => normalize(one) === ip)) return "here";
  return ip.includes(":") ? measureIpv6(ip) : measureIpv4(ip);
}

const ORDER: readonly Reach[] = ["here", "private", "public"];

/** Who is reached by several addresses may be at each of them. Undefined for none. */
export function findFarthest(all: readonly Reach[]): Reach | undefined {
  return ORDER.findLast((reach) => all.includes(reach));
}

/**
 * Whether a service may send anybody there: a service knows nothing nearer to this computer than itself. What listens there is none of
 * its business.
 */
export function mayLeadTo(service: ServiceReach, found: Reach): boolean {
  if (service.sandbox) return found === "here";
  return ORDER.indexOf(found) >= ORDER.indexOf(service.reach);
}
