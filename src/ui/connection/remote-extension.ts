// The extension that opens windows on other computers: the one that is there, or an offer to install the one for this editor.
import * as vscode from "vscode";
import { AppError } from "../../domain/base/error.ts";
import {
  findRemoteExtension,
  getRemoteExtension,
  type RemoteExtension,
} from "../../domain/connection/remote-extension.ts";
import { environment } from "../../ids.ts";
import { t } from "../../lib/text.ts";
import { tellInfo, tellWarning, withNotification } from "../kit/messages.ts";
import { runEditorCommand } from "../kit/run-command.ts";

const isInstalled = (id: string): boolean => vscode.extensions.getExtension(id) !== undefined;

/** A browser would open the folder of the editor's own server under that name. */
const canOpenWindows = (): boolean =>
  vscode.env.uiKind === vscode.UIKind.Desktop || process.env[environment.remoteWindows] !== undefined;

/**
 * Makes sure that this editor can open windows on machines. `instead` is what the person may do if it can't.
 * @returns false if it can't. @throws AppError `rejected` if the extension for it can't be installed.
 */
export async function ensureRemoteExtension(instead: () => Promise<void>): Promise<boolean> {
  const terminal = t("Open Terminal");
  if (!canOpenWindows()) {
    const said = t("Remote windows aren't available in a browser. Use desktop VS Code.");
    if ((await tellInfo(said, terminal)) === terminal) await instead();
    return false;
  }
  if (findRemoteExtension(isInstalled)) return true;
  const wanted = getRemoteExtension(vscode.env.appName);
  const install = t("Install");
  const chosen = await tellWarning(
    t("To open a remote window, install the extension {0} ({1}).", wanted.name, wanted.id),
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
