// The instance that the whole window is on, if it was opened there.
import * as vscode from "vscode";
import { isMachineOf, type SshMachine } from "../../domain/connection/ssh-machine.ts";
import { Bag, type Disposable } from "../../lib/disposable.ts";
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
  readonly #bag = new Bag();
  #current: SshMachine | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    // The folders of a workspace file are known only once the editor has read it. Without a folder, any file that is open there tells.
    this.#bag.add(vscode.workspace.onDidChangeWorkspaceFolders(() => void this.#find()));
    this.#bag.add(vscode.workspace.onDidOpenTextDocument(() => void this.#find()));
    void this.#find();
  }

  /** Undefined for a window on this computer, or on another one, and until it is known. */
  get current(): SshMachine | undefined {
    return this.#current;
  }

  async #find(): Promise<void> {
    const host = this.#current === undefined ? findHost() : undefined;
    if (host === undefined) return;
    try {
      const found = await this.#parts.sshMachines.findByName(host);
      if (!found || this.#current) return;
      this.#current = found.machine;
      this.#changes.fire();
    } catch (error) {
      this.#parts.log.debug("The machine of this window isn't known.", error);
    }
  }

  dispose(): void {
    this.#bag.dispose();
    this.#changes.dispose();
  }
}

function findHost(): string | undefined {
  const { workspaceFolders = [], workspaceFile, textDocuments } = vscode.workspace;
  const uris = [...workspaceFolders, { uri: workspaceFile }, ...textDocuments].map(({ uri }) => uri?.authority ?? "");
  return uris.flatMap((authority) => AUTHORITY.exec(authority)?.[1] ?? [])[0];
}

/** Whether a machine is of the account that is signed in to now. */
export function isOwnMachine(machine: SshMachine, current: Session): boolean {
  if (current.kind !== "signed-in") return false;
  return isMachineOf(machine, toMarkedAccount(current));
}
