// Which addresses of an instance are tried from this computer.
import { namesThisComputer, readSshAddresses, type SshAddress } from "../../domain/connection/ssh-address.ts";
import type { Instance } from "../../domain/instance/instance.ts";
import type { SignedIn } from "../core/session.ts";

/**
 * The machines of a sandbox are on this computer, and what it says of other places is made up. A service somewhere else
 * has none on this computer: whatever listens here is none of its business.
 */
export function sshAddressesFor(
  { sandbox, address }: Pick<SignedIn, "sandbox" | "address">,
  instance: Instance,
): readonly SshAddress[] {
  const isHere = sandbox || namesThisComputer(new URL(address.origin).hostname);
  return readSshAddresses(instance).filter(({ host }) => (namesThisComputer(host) ? isHere : !sandbox));
}
