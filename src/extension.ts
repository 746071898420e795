// Entry point: registers the commands and has the rest built in the next turn, so that starting the editor costs nothing.
import * as vscode from "vscode";
import { commands } from "./ids.ts";
import type { House, Snapshot } from "./ui/house.ts";

export interface Api {
  readonly version: 1;
  /** What is shown right now, as plain data. */
  snapshot(): Promise<Snapshot>;
}

export function activate(context: vscode.ExtensionContext): Api | undefined {
  if (onRentedMachine(context)) {
    void vscode.window.showWarningMessage(
      vscode.l10n.t(
        "Cloud GPU runs on your own machine, where your key belongs. Install it there, not on a remote machine.",
      ),
    );
    return undefined;
  }
  let house: Promise<House> | undefined;
  const enter = () => {
    house ??= import("./ui/house.ts").then(({ open }) => open(context));
    return house;
  };
  for (const id of Object.values(commands)) {
    context.subscriptions.push(
      vscode.commands.registerCommand(id, async (...args: unknown[]) => {
        await (await enter()).run(id, args);
      }),
    );
  }
  setImmediate(() => void enter());
  return { version: 1, snapshot: async () => (await enter()).snapshot() };
}

/** A workspace host behind an ssh remote is somebody else's machine: no key may ever go there. */
function onRentedMachine(context: vscode.ExtensionContext): boolean {
  return vscode.env.remoteName === "ssh-remote" && context.extension.extensionKind === vscode.ExtensionKind.Workspace;
}
