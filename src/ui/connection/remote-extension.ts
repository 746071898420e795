// The extension that opens windows on other computers: the one that is there, or an offer to install the one for this editor.
import * as vscode from "vscode";
import { AppError } from "../../domain/base/error.ts";
import {
  findRemoteExtension,
  type RemoteExtension,
  remoteExtensionFor,
} from "../../domain/connection/remote-extension.ts";
import { t } from "../../lib/text.ts";
import { tellWarning, withNotification } from "../kit/messages.ts";
import { runEditorCommand } from "../kit/run-command.ts";

const isInstalled = (id: string): boolean => vscode.extensions.getExtension(id) !== undefined;

/**
 * Makes sure that such an extension is there. `instead` is what the person may do without one.
 * @returns false if there is none. @throws AppError `rejected` if it can't be installed.
 */
export async function ensureRemoteExtension(instead: () => Promise<void>): Promise<boolean> {
  if (findRemoteExtension(isInstalled)) return true;
  const wanted = remoteExtensionFor(vscode.env.appName);
  const [install, terminal] = [t("Install"), t("Open Terminal")];
  const chosen = await tellWarning(
    t("To open a window on a machine, the editor needs the extension {0} ({1}).", wanted.name, wanted.id),
    install,
    terminal,
  );
  if (chosen === terminal) await instead();
  if (chosen !== install) return false;
  await installExtension(wanted);
  if (isInstalled(wanted.id)) return true;
  throw new AppError("rejected", t("{0} is installed. Reload this window, then try again.", wanted.name));
}

async function installExtension({ id, name }: RemoteExtension): Promise<void> {
  try {
    await withNotification(t("Installing {0}", name), false, () =>
      runEditorCommand("workbench.extensions.installExtension", id),
    );
  } catch (cause) {
    throw new AppError("rejected", t("{0} couldn't be installed. Look for {1} in the Extensions view.", name, id), {
      cause,
    });
  }
}
