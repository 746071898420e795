// Where a log may be read from. The service names the address, and it is opened from this computer.
import { type Address, isLoopback } from "../base/address.ts";
import { namesThisComputer } from "./ssh-address.ts";

interface LogOwner {
  /** The service that named the address. */
  readonly address: Address;
  /** Whether that service is the sandbox, which has nothing outside this computer. */
  readonly sandbox: boolean;
}

/**
 * HTTPS anywhere but here. A service elsewhere has no reason to name an address of this computer, where other programs
 * listen; one on this computer may name its own, also by HTTP.
 */
export function isLogAddress(url: URL, { address, sandbox }: LogOwner): boolean {
  if (url.username !== "" || url.password !== "") return false;
  if (isLoopback(url)) return /^https?:$/.test(url.protocol) && isLoopback(new URL(address.origin));
  return url.protocol === "https:" && !sandbox && !namesThisComputer(url.hostname);
}
