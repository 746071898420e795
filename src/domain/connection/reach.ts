// How far an IP address leads: to this computer, into a network that it is in, or out into the Internet.
import { toCanonicalHost } from "./ssh-address.ts";

/** From near to far. */
export type Reach = "here" | "private" | "public";

const ORDER: readonly Reach[] = ["here", "private", "public"];

/** The service of an account, as far as it matters for where it may send anyone. */
export interface ServiceReach {
  readonly reach: Reach;
  /** Whether it is the sandbox, which has nothing outside this computer. */
  readonly sandbox: boolean;
}

/** Names for such addresses are looked up like any other. */
const PRIVATE_IPV4 =
  /^(?:10|192\.168|169\.254|172\.(?:1[6-9]|2\d|3[01])|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])|192\.0\.0|198\.1[89]|2(?:2[4-9]|[345]\d))\./;

function measureIpv4(ip: string, own: ReadonlySet<string | undefined>): Reach {
  if (own.has(ip) || /^(?:127|0)\./.test(ip)) return "here";
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

/**
 * The IPv4 addresses that stand in one of IPv6, in another form: mapped, compatible, translated, or through a relay or a tunnel. Several
 * where only the network knows which form it uses.
 */
function listEmbedded(parts: readonly number[]): readonly string[] {
  const [first = 0, second = 0, third = 0, fourth = 0, fifth = 0, sixth = 0, high = 0, low = 0] = parts;
  const isZeroUntil = (end: number) => parts.slice(0, end).every((part) => part === 0);
  const last = toIpv4(high, low);
  if (isZeroUntil(5) && sixth === 0xffff) return [last];
  // Mapped once more by a translator (RFC 2765).
  if (isZeroUntil(4) && fifth === 0xffff && sixth === 0) return [last];
  if (isZeroUntil(6)) return [last];
  if (first === 0x64 && second === 0xff9b) return third === 1 ? listTranslated(parts) : [last];
  if (first === 0x2002) return [toIpv4(second, third)];
  // Teredo: the relay's, and who is behind it with every bit turned.
  if (first === 0x2001 && second === 0) return [toIpv4(third, fourth), toIpv4(high ^ 0xffff, low ^ 0xffff)];
  // ISATAP, in any network.
  if ((fifth & 0xfcff) === 0 && sixth === 0x5efe) return [last];
  return [];
}

/**
 * In 64:ff9b:1::/48, by each length that a prefix may have (RFC 6052): from there on, without the byte that stays empty. No one has an
 * address that begins with zero: by that length, it isn't one.
 */
function listTranslated(parts: readonly number[]): readonly string[] {
  const bytes = parts.flatMap((part) => [part >> 8, part & 255]);
  const read = (from: number) => bytes.flatMap((byte, at) => (at >= from && (at !== 8 || from > 8) ? [byte] : []));
  const all = [6, 7, 8, 12].map((from) => read(from).slice(0, 4).join("."));
  const found = all.filter((ip) => !ip.startsWith("0."));
  return found.length > 0 ? found : all;
}

function measureIpv6(ip: string, own: ReadonlySet<string | undefined>): Reach {
  const parts = toParts(ip);
  const [first = 0] = parts;
  if (parts.slice(0, 7).every((part) => part === 0)) return (parts[7] ?? 0) <= 1 ? "here" : "private";
  // Unique local, link-local, site-local and multicast addresses.
  const isNear = (first & 0xfe00) === 0xfc00 || (first & 0xff80) === 0xfe80 || first >= 0xff00;
  const found = [isNear ? "private" : "public", ...listEmbedded(parts).map((one) => measureIpv4(one, own))];
  return ORDER.find((reach) => found.includes(reach)) ?? "public";
}

/** The same host in one spelling, without brackets and what says by which network it is reached. */
function normalize(host: string): string | undefined {
  return toCanonicalHost(host.replace(/^\[|\]$/g, "").replace(/%.*$/, ""))?.replace(/^\[|\]$/g, "");
}

/** `own` are the addresses of this computer. @returns undefined for a name: where it leads is found out only by looking it up. */
export function measureReach(host: string, own: readonly string[]): Reach | undefined {
  const ip = normalize(host);
  if (ip === undefined || !/^[\d.]+$|:/.test(ip)) return undefined;
  const mine = new Set(own.map(normalize));
  if (mine.has(ip)) return "here";
  return ip.includes(":") ? measureIpv6(ip, mine) : measureIpv4(ip, mine);
}

/** Who is reached by several addresses may be at each of them. Undefined for none. */
export function findFarthest(all: readonly Reach[]): Reach | undefined {
  return ORDER.findLast((reach) => all.includes(reach));
}

/**
 * Whether a service may send anyone there: a service knows nothing nearer to this computer than itself. What listens there is none of
 * its business.
 */
export function mayLeadTo(service: ServiceReach, found: Reach): boolean {
  if (service.sandbox) return found === "here";
  return ORDER.indexOf(found) >= ORDER.indexOf(service.reach);
}
