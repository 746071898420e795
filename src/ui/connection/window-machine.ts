// The instance that the whole window is on, if it was opened there.
import * as vscode from "vscode";
import { isMachineOf, type SshMachine } from "../../domain/connection/ssh-machine.ts";
import type { SshMachines } from "../../services/connection/ssh-machines.ts";
import type { Session } from "../../services/core/session.ts";

const AUTHORITY = /^ssh-remote\+(cloud-gpu-[a-z0-9.-]+)$/;

/** Undefined for a window on this computer, or on another one. */
export async function findWindowMachine(machines: Pick<SshMachines, "find">): Promise<SshMachine | undefined> {
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  const [, alias] = AUTHORITY.exec(folder?.uri.authority ?? "") ?? [];
  return alias === undefined ? undefined : await machines.find(alias);
}

/** Whether a machine is of the account that is signed in to now. */
export function isOwnMachine(machine: SshMachine, current: Session): boolean {
  if (current.kind !== "signed-in") return false;
  return isMachineOf(machine, { base: current.address.base, tag: current.tag, user: current.user() });
}
