// A login that asks the person nothing, or doesn't come about.
import { AppError } from "../../domain/base/error.ts";
import type { InstanceId } from "../../domain/base/id.ts";
import { t } from "../../lib/text.ts";
import type { SessionService, SignedIn } from "../core/session.ts";
import type { ConnectionsService } from "./connections.ts";
import { findOpen, prepareLogin } from "./prepare-login.ts";
import type { MachineLogin } from "./run-there.ts";
import type { SharedConnections } from "./shared-connections.ts";
import type { HostKeys } from "./ssh/host-keys.ts";
import type { SshMachines } from "./ssh/ssh-machines.ts";

export interface QuietLoginServices {
  readonly session: SessionService;
  readonly connections: ConnectionsService;
  readonly hostKeys: HostKeys;
  readonly sshMachines: SshMachines;
  readonly sharedConnections: SharedConnections;
}

/** In capitals: codes of a service are lowercase, so none can be mistaken for it. */
const CONNECT_FIRST = "CONNECT_FIRST";

/** Whether the person can log in themselves, and then this can, too. */
export const needsConnecting = ({ facts }: AppError): boolean => facts.code === CONNECT_FIRST;

const createConnectFirst = (message: string): AppError => new AppError("rejected", message, { code: CONNECT_FIRST });

/** Keys on a device that waits for a touch. */
const TOUCHED = /^(?:sk-|webauthn-)/;

/**
 * By the connection that is open, else by a new one for which no one is asked: `ssh` runs without questions, and keys that want a touch
 * aren't used.
 * @throws AppError that says why it can't be; the signal's reason.
 */
export async function loginQuietly(
  services: QuietLoginServices,
  account: SignedIn,
  id: InstanceId,
  signal: AbortSignal,
): Promise<MachineLogin> {
  const { session, connections, sshMachines, sharedConnections } = services;
  session.assertStill(account);
  const open = await findOpen(services, account, id);
  session.assertStill(account);
  if (open) return open;
  const { program, login, hostKey, admitted } = await prepareLogin(services, account, id, signal);
  session.assertStill(account);
  if (hostKey === "changed")
    throw createConnectFirst(t("The SSH host key of the instance has changed. Connect to it once to check the key."));
  if (admitted === "none")
    throw createConnectFirst(
      t("The instance accepts none of the SSH keys on this computer. Connect to it once to add one."),
    );
  const key = admitted === "unknown" ? undefined : admitted;
  if (key && TOUCHED.test(key.type))
    throw createConnectFirst(t("Your security key needs a touch. Connect to the instance once, then try again."));
  const known = { ...login, identity: await connections.findKeyFile(key) };
  // Before the first login: whatever that stores goes when the machine ends.
  await sshMachines.note(account, id, known);
  session.assertStill(account);
  return await sharedConnections.open(account, { id, program, login: known }, signal);
}
