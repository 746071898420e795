// Where a name leads that a service gave: looked up before anything connects, and what was judged is what is connected to.
import { lookup } from "node:dns/promises";
import { networkInterfaces } from "node:os";
import { AppError } from "../../domain/base/error.ts";
import { findFarthest, mayLeadTo, measureReach, type Reach, type ServiceReach } from "../../domain/connection/reach.ts";
import { namesThisComputer, type SshAddress } from "../../domain/connection/ssh-address.ts";
import type { Clock } from "../../lib/clock.ts";
import { t, toPlainText } from "../../lib/text.ts";
import type { SignedIn } from "../core/session.ts";
import { hasSshServer } from "./ssh/ssh-banner.ts";

type Service = Pick<SignedIn, "sandbox" | "address">;

/** The IP addresses of a host; none if it isn't known. */
export type LookUp = (host: string) => Promise<readonly string[]>;

const lookUpHere: LookUp = async (host) =>
  (await lookup(host, { all: true }).catch(() => [])).map(({ address }) => address);

/** Each time again: a network that is joined gives this computer another address. */
export const listOwnAddresses = (): readonly string[] =>
  Object.values(networkInterfaces()).flatMap((all) => all?.map(({ address }) => address) ?? []);

/** Whether a service may send anyone to an IP address. */
export function isAllowed(service: ServiceReach, ip: string): boolean {
  return mayLeadTo(service, measureReach(ip, listOwnAddresses()) ?? "here");
}

/**
 * Undefined for what can't be looked up. Whoever has a name may let it lead to this computer while their service is elsewhere: only who is
 * addressed as this computer is here.
 */
async function findReach(host: string, lookUp: LookUp): Promise<Reach | undefined> {
  const own = listOwnAddresses();
  const literal = namesThisComputer(host) ? "here" : measureReach(host, own);
  const measure = (ip: string) => (measureReach(ip, own) === "private" ? "private" : "public");
  return literal ?? findFarthest((await lookUp(host)).map(measure));
}

/** Whoever runs a service may change where its name leads, and would be nearer at will. */
const farthest = new WeakMap<Service["address"], Reach>();

/** How far the service of an account is: as far as it ever was while the account was signed in. */
export async function findServiceReach(
  { sandbox, address }: Service,
  lookUp: LookUp = lookUpHere,
): Promise<ServiceReach> {
  const found = await findReach(new URL(address.origin).hostname, lookUp);
  const known = farthest.get(address);
  const reach = findFarthest([found, known].filter((one) => one !== undefined));
  if (reach) farthest.set(address, reach);
  // What can't be looked up is reached through something that can, out there.
  return { sandbox, reach: found === undefined ? "public" : (reach ?? "public") };
}

/** The IP addresses of a host that the service may send anyone to; `forbidden` if it has others only. */
export async function findReachable(
  service: Service,
  host: string,
  lookUp: LookUp = lookUpHere,
): Promise<readonly string[] | "forbidden"> {
  const reach = await findServiceReach(service, lookUp);
  const found = measureReach(host, []) === undefined ? await lookUp(host) : [host];
  const allowed = found.filter((ip) => isAllowed(reach, ip));
  return allowed.length === 0 && found.length > 0 ? "forbidden" : allowed;
}

/** The IP address at which an SSH server answers; undefined if none does, `forbidden` if none may be asked. */
export async function findSshServer(
  service: Service,
  { host, port }: SshAddress,
  { clock, lookUp }: { readonly clock: Clock; readonly lookUp?: LookUp | undefined },
  signal?: AbortSignal,
): Promise<string | undefined> {
  const found = await findReachable(service, host, lookUp);
  if (found === "forbidden") return found;
  for (const ip of found) if (await hasSshServer({ host: ip, port }, clock, signal)) return ip;
  return undefined;
}

export function createForbiddenError(host: string): AppError {
  return new AppError(
    "rejected",
    t(
      "The service named {0}, which leads to this computer or its network. Cloud GPU doesn't connect there.",
      toPlainText(host, 100),
    ),
  );
}
