// Sends the person's browser to a port of this computer, or to a public one.
import * as vscode from "vscode";

/** In an editor that runs in a browser, a port of its computer is reached by another address. */
export async function openInBrowser(address: string): Promise<void> {
  await vscode.env.openExternal(await vscode.env.asExternalUri(vscode.Uri.parse(address, true)));
}
