// The instance that the whole window is on, if it was opened there.
import * as vscode from "vscode";
import { isMachineOf, type SshMachine } from "../../domain/connection/ssh-machine.ts";
import type { Disposable } from "../../lib/disposable.ts";
import { Emitter } from "../../lib/event.ts";
import type { Log } from "../../lib/log.ts";
import type { SshMachines } from "../../services/connection/ssh/ssh-machines.ts";
import { toMarkedAccount } from "../../services/core/account-mark.ts";
import type { Session } from "../../services/core/session.ts";

const AUTHORITY = /^ssh-remote\+([a-z0-9.-]+)$/;

interface Parts {
  readonly sshMachines: Pick<SshMachines, "findByName">;
  readonly log: Log;
}

export class WindowMachine implements Disposable {
  readonly #parts: Parts;
  readonly #changes = new Emitter<void>();
  readonly onDidChange = this.#changes.event;
  readonly #listening: Disposable;
  #current: SshMachine | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    // The folders of a workspace file are known only once the editor has read it.
    this.#listening = vscode.workspace.onDidChangeWorkspaceFolders(() => void this.#find());
    void this.#find();
  }

  /** Undefined for a window on this computer, or on another one, and until it is known. */
  get current(): SshMachine | undefined {
    return this.#current;
  }

  async #find(): Promise<void> {
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    const [, host] = AUTHORITY.exec(folder?.uri.authority ?? "") ?? [];
    if (host === undefined) return;
    try {
      const found = await this.#parts.sshMachines.findByName(host);
      if (!found) return;
      this.#current = found.machine;
      this.#changes.fire();
    } catch (error) {
      this.#parts.log.debug("The machine of this window isn't known.", error);
    }
  }

  dispose(): void {
    this.#listening.dispose();
    this.#changes.dispose();
  }
}

/** Whether a machine is of the account that is signed in to now. */
export function isOwnMachine(machine: SshMachine, current: Session): boolean {
  if (current.kind !== "signed-in") return false;
  return isMachineOf(machine, toMarkedAccount(current));
}
