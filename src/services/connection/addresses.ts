// Which addresses of an instance are tried from this computer.
import { type MachinePort, readMachinePorts } from "../../domain/connection/machine-port.ts";
import { namesThisComputer, readSshAddresses, type SshAddress } from "../../domain/connection/ssh-address.ts";
import type { Instance } from "../../domain/instance/instance.ts";
import type { SignedIn } from "../core/session.ts";

type Service = Pick<SignedIn, "sandbox" | "address">;

export function listSshAddresses(service: Service, instance: Instance): readonly SshAddress[] {
  return readSshAddresses(instance).filter(judgeFor(service));
}

/** The ports that the service lists for an instance; one that no one can be sent to is listed as not public. */
export function listMachinePorts(service: Service, instance: Instance): readonly MachinePort[] {
  const isPlausible = judgeFor(service);
  return readMachinePorts(instance).map(({ port, publicAt }) => ({
    port,
    publicAt: publicAt && isPlausible(publicAt) ? publicAt : undefined,
  }));
}

/**
 * The machines of a sandbox are on this computer, and what it says of other places is made up. A service somewhere else
 * has none on this computer: whatever listens here is none of its business.
 */
function judgeFor({ sandbox, address }: Service): (one: SshAddress) => boolean {
  const isHere = sandbox || namesThisComputer(new URL(address.origin).hostname);
  return ({ host }) => (namesThisComputer(host) ? isHere : !sandbox);
}
