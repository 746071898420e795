// Entry point: registers the commands and has the rest built in the next turn, so that starting the editor costs nothing.
import * as vscode from "vscode";
import { commands, fileSystem } from "./ids.ts";
import { defuseLinks } from "./lib/markup.ts";
import { lazily } from "./lib/task.ts";
import { lateFiles } from "./ui/files/late-files.ts";
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
  const house = lazily<House>(async () => (await import("./ui/house.ts")).open(context));
  for (const id of Object.values(commands)) {
    context.subscriptions.push(
      vscode.commands.registerCommand(id, async (...args: unknown[]) => {
        await (await house()).run(id, args);
      }),
    );
  }
  context.subscriptions.push(lateFiles(fileSystem, async () => (await house()).files));
  setImmediate(() => house().catch(tell));
  return { version: 1, snapshot: async () => (await house()).snapshot() };
}

/** Nothing of ours stands yet that could show it better; the next command tries again. */
function tell(error: unknown): void {
  const reason = error instanceof Error ? error.message : String(error);
  void vscode.window.showErrorMessage(defuseLinks(vscode.l10n.t("Cloud GPU could not start: {0}", reason)));
}

/** A workspace host behind an ssh remote is somebody else's machine: no key may ever go there. */
function onRentedMachine(context: vscode.ExtensionContext): boolean {
  return vscode.env.remoteName === "ssh-remote" && context.extension.extensionKind === vscode.ExtensionKind.Workspace;
}
