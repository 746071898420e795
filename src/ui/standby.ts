// A window that is signed out and shows none of our views: one small check, and placeholders that load the rest on
// demand.
import { mkdirSync, watch } from "node:fs";
import * as vscode from "vscode";
import { BASE_URL, contexts, environment, stored, templateFileSuffix, views } from "../ids.ts";
import { type ContextKey, setContext } from "./kit/run-command.ts";
import { readChosenAddress } from "./kit/settings.ts";

/**
 * Whether someone is signed in, a template file is open, or an account had something rented when it was last read. In that case,
 * everything is loaded at once.
 */
export async function isNeededNow({ secrets, globalState }: vscode.ExtensionContext): Promise<boolean> {
  if (process.env[environment.sandboxUrl] !== undefined) return true;
  if (vscode.workspace.textDocuments.some(isTemplateFile)) return true;
  if (globalState.keys().some((key) => key.startsWith(stored.reading("")))) return true;
  const address = readChosenAddress();
  if (!URL.canParse(address)) return false;
  const { origin } = new URL(address);
  const profile = globalState.get(stored.activeProfile(origin), origin);
  return (await secrets.get(stored.apiKey(profile))) !== undefined;
}

/**
 * Placeholders for the views, tabs and listeners until `wake` is called for the first time. Disposing this removes
 * them.
 */
export function standBy(context: vscode.ExtensionContext, wake: () => Promise<unknown>): vscode.Disposable {
  const rouse = () => void wake().catch(() => undefined);
  const tell = (key: ContextKey) => setContext(key, "signedOut");
  for (const key of [contexts.session, ...Object.keys(views).map((name) => contexts[name as keyof typeof views])])
    tell(key);
  return vscode.Disposable.from(
    ...Object.values(views).map((id) => vscode.window.registerTreeDataProvider(id, emptyTree(rouse))),
    vscode.workspace.onDidOpenTextDocument((document) => isTemplateFile(document) && rouse()),
    vscode.workspace.onDidChangeConfiguration((event) => event.affectsConfiguration(BASE_URL) && rouse()),
    context.secrets.onDidChange(({ key }) => key.startsWith(stored.apiKey("")) && rouse()),
    watchBroadcast(context.globalStorageUri.fsPath, rouse),
  );
}

/** The editor requests children when the view becomes visible. */
function emptyTree(onLook: () => void): vscode.TreeDataProvider<never> {
  return {
    getTreeItem: (element) => element,
    getChildren: () => {
      onLook();
      return [];
    },
  };
}

/** Not every editor reports changes of secrets to its other windows. */
function watchBroadcast(folder: string, onBroadcast: () => void): vscode.Disposable {
  try {
    mkdirSync(folder, { recursive: true });
    const watcher = watch(folder, (_, name) => name === stored.broadcast && onBroadcast());
    watcher.on("error", () => watcher.close());
    return { dispose: () => watcher.close() };
  } catch {
    return { dispose: () => {} };
  }
}

function isTemplateFile({ uri }: vscode.TextDocument): boolean {
  return uri.path.endsWith(templateFileSuffix);
}
