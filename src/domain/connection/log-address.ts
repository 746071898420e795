// Where a log may be read from. The service names the address, and it is opened from this computer.
import { type Address, isLoopback } from "../base/address.ts";
import { mayLeadTo, measureReach, type ServiceReach } from "./reach.ts";
import { namesThisComputer } from "./ssh-address.ts";

interface LogOwner extends ServiceReach {
  /** The service that named the address. */
  readonly address: Address;
  /** The IP addresses of this computer. */
  readonly own: readonly string[];
}

/**
 * HTTPS anywhere but here. A service elsewhere has no reason to name an address of this computer, where other programs
 * listen; one on this computer may name its own, also by HTTP. Where another name leads is judged when it is looked up.
 */
export function isLogAddress(url: URL, { address, own, sandbox, reach }: LogOwner): boolean {
  if (url.username !== "" || url.password !== "") return false;
  if (isLoopback(url)) return /^https?:$/.test(url.protocol) && isLoopback(new URL(address.origin));
  const found = measureReach(url.hostname, own);
  const isPlausible = found === undefined || mayLeadTo({ reach, sandbox }, found);
  return url.protocol === "https:" && !sandbox && !namesThisComputer(url.hostname) && isPlausible;
}
