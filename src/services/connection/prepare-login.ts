// Everything up to a login that needs no answer from the person.
import type { InstanceId } from "../../domain/base/id.ts";
import type { HostKeyState } from "../../domain/connection/host-key.ts";
import type { SshLogin } from "../../domain/connection/ssh-command.ts";
import type { SignedIn } from "../core/session.ts";
import type { AdmittedKey, ConnectionsService } from "./connections.ts";
import type { HostKeys } from "./host-keys.ts";
import { findSsh, type SshWay } from "./ssh-program.ts";

interface Services {
  readonly connections: Pick<ConnectionsService, "reach" | "findOwnKey" | "aliasOf">;
  readonly hostKeys: HostKeys;
}

export interface PreparedLogin extends SshWay {
  readonly hostKey: HostKeyState;
  readonly admitted: AdmittedKey;
}

/**
 * Waits until the machine's SSH server answers, for up to 3 min. What needs no machine is done meanwhile: once it answers, there is
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
  const stored = hostKeys.findStored(connections.aliasOf(account, id));
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
