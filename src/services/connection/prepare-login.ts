// Everything up to a login that needs no answer from the person.
import type { InstanceId } from "../../domain/base/id.ts";
import type { HostKeyState } from "../../domain/connection/host-key.ts";
import type { SshLogin } from "../../domain/connection/ssh-command.ts";
import type { SignedIn } from "../core/session.ts";
import type { AdmittedKey, ConnectionsService } from "./connections.ts";
import type { MachineLogin } from "./run-there.ts";
import type { SharedConnections } from "./shared-connections.ts";
import type { HostKeys } from "./ssh/host-keys.ts";
import { findSsh, type SshWay } from "./ssh/ssh-program.ts";

interface OpenServices {
  readonly connections: Pick<ConnectionsService, "recheck">;
  readonly sharedConnections: SharedConnections;
}

/**
 * The machine by the connection that is open to it. It answers, with the key that it had, and admits one of ours: nothing else is to
 * be found out.
 * @returns undefined if there is none, or if the machine doesn't run where it leads to any longer, as far as the service says.
 */
export async function findOpen(
  { connections, sharedConnections }: OpenServices,
  account: SignedIn,
  id: InstanceId,
): Promise<MachineLogin | undefined> {
  const open = sharedConnections.find(account, id);
  if (!open) return undefined;
  try {
    return { ...open, login: await connections.recheck(account, id, open.login) };
  } catch {
    // The way of whoever isn't connected finds the new address, or says what is wrong.
    return undefined;
  }
}

interface Services {
  readonly connections: Pick<ConnectionsService, "reach" | "findOwnKey" | "getAlias">;
  readonly hostKeys: HostKeys;
}

interface PreparedLogin extends SshWay {
  readonly hostKey: HostKeyState;
  readonly admitted: AdmittedKey;
}

/**
 * Waits until the machine's SSH server answers, for up to 3 min. What needs no machine is done in the meantime: once it answers, there is
 * next to nothing between it and a prompt.
 * @throws AppError if the machine can't be reached, or if the account was switched; the signal's reason.
 */
export async function prepareLogin(
  { connections, hostKeys }: Services,
  account: SignedIn,
  id: InstanceId,
  signal: AbortSignal,
): Promise<PreparedLogin> {
  const program = await findSsh();
  const stored = hostKeys.findStored(connections.getAlias(account, id));
  const finding = connections.findOwnKey(account, id);
  // The machine's own failures come first.
  finding.catch(() => undefined);
  const login: SshLogin = await connections.reach(account, id, signal);
  const hostKey = await hostKeys.compare(login, await stored, signal);
  const admitted = await finding;
  // A key may have been added while the machine started.
  return {
    program,
    login,
    hostKey,
    admitted: admitted === "none" ? await connections.findOwnKey(account, id) : admitted,
  };
}
