// Entry point: registers the commands, and loads the rest once someone is signed in or opens one of the extension's
// views.
import * as vscode from "vscode";
import { type CommandId, fileSystem, panels, TASK_TYPE, terminals } from "./ids.ts";
import { isOnForeignMachine } from "./lib/remote.ts";
import { createLazy } from "./lib/task.ts";
import { type Api, LateApi } from "./ui/agent/late-api.ts";
import { tellError, tellWarning } from "./ui/kit/messages.ts";
import type { Extension } from "./ui/main.ts";
import { createLateTasks } from "./ui/run/late-tasks.ts";
import { isNeededNow, standBy } from "./ui/standby.ts";
import { registerLateFiles } from "./ui/template/files/late-files.ts";

export function activate(context: vscode.ExtensionContext): Api | undefined {
  if (onRentedMachine(context)) {
    void tellWarning(
      vscode.l10n.t(
        "Cloud GPU runs on your own computer, where your API key is stored. Install the extension there, not on a remote machine.",
      ),
    );
    return undefined;
  }
  let waiting: vscode.Disposable | undefined;
  const extension = createLazy<Extension>(async () => {
    const { openExtension } = await import("./ui/main.ts");
    const opened = await openExtension(context, () => waiting?.dispose());
    late.follow(opened.exported);
    return opened;
  });
  const late = new LateApi(extension);
  context.subscriptions.push(late);
  for (const id of listCommands(context)) {
    context.subscriptions.push(
      vscode.commands.registerCommand(id, async (...args: unknown[]) => {
        await (await extension()).run(id, args);
      }),
    );
  }
  context.subscriptions.push(registerLateFiles(fileSystem, async () => (await extension()).files));
  const provideTerminalProfile = async () => await (await extension()).createTerminalProfile();
  context.subscriptions.push(
    vscode.window.registerTerminalProfileProvider(terminals.instance, { provideTerminalProfile }),
  );
  const createTaskTerminal: Parameters<typeof createLateTasks>[0] = async (...task) =>
    (await extension()).createTaskTerminal(...task);
  context.subscriptions.push(vscode.tasks.registerTaskProvider(TASK_TYPE, createLateTasks(createTaskTerminal)));
  // Registered once: the editor asks this serializer, and only this one, for a restored tab as soon as this line has
  // run.
  const restoring: vscode.WebviewPanelSerializer = {
    deserializeWebviewPanel: async (panel, state) => await (await extension()).restorePanel(panel, state),
  };
  context.subscriptions.push(vscode.window.registerWebviewPanelSerializer(panels.template, restoring));
  const handleUri = async ({ path, query, fragment }: vscode.Uri) =>
    await (await extension()).openLink({ path, query, fragment });
  context.subscriptions.push(vscode.window.registerUriHandler({ handleUri }));
  for (const name of listTools(context)) {
    const invoke: vscode.LanguageModelTool<unknown>["invoke"] = async ({ input }, token) =>
      await (await extension()).invokeTool(name, input, token);
    context.subscriptions.push(vscode.lm.registerTool(name, { invoke }));
  }
  waiting = standBy(context, extension);
  context.subscriptions.push(waiting);
  setImmediate(() => void start(context, extension));
  return late.api;
}

/** Every command of the manifest, which has the same ones as `ids.ts`: this file is loaded by every window, so it repeats nothing. */
function listCommands({ extension }: vscode.ExtensionContext): readonly CommandId[] {
  const { commands }: { commands: readonly { command: CommandId }[] } = extension.packageJSON.contributes;
  return commands.map(({ command }) => command);
}

/** Every tool of the manifest, which has the same ones as `domain/agent/tools.ts`. Nothing is loaded before one is called. */
function listTools({ extension }: vscode.ExtensionContext): readonly string[] {
  const { languageModelTools }: { languageModelTools: readonly { name: string }[] } = extension.packageJSON.contributes;
  return languageModelTools.map(({ name }) => name);
}

/** A signed-in user pays for what is rented, so every window tracks it. If no one is signed in, nothing is loaded. */
async function start(context: vscode.ExtensionContext, extension: () => Promise<Extension>): Promise<void> {
  try {
    if (await isNeededNow(context)) await extension();
  } catch (error) {
    tell(error);
  }
}

/** Nothing that could show the error better is loaded yet. The next command tries again. */
function tell(error: unknown): void {
  const reason = error instanceof Error ? error.message : String(error);
  void tellError(vscode.l10n.t("Cloud GPU couldn't start: {0}", reason));
}

/** No API key may ever reach a machine that belongs to someone else. */
function onRentedMachine({ extension }: vscode.ExtensionContext): boolean {
  return isOnForeignMachine(vscode.env.remoteName, extension.extensionKind === vscode.ExtensionKind.Workspace);
}
