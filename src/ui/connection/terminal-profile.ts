// The terminal on an instance among the editor's own, under the + of its terminals.
import * as vscode from "vscode";
import { t } from "../../lib/text.ts";

/** `prepare` shows its errors itself, and returns undefined if there is no terminal to open. */
export async function createTerminalProfile(
  prepare: () => Promise<vscode.TerminalOptions | undefined>,
): Promise<vscode.TerminalProfile> {
  const options = await prepare();
  if (options) showOnceOpen(options);
  return new vscode.TerminalProfile(options ?? closedTerminal());
}

/** From the Command Palette, the editor opens a terminal of a profile and leaves the panel it is in hidden. */
function showOnceOpen({ name }: vscode.TerminalOptions): void {
  const opening = vscode.window.onDidOpenTerminal((terminal) => {
    if (terminal.name !== name) return;
    opening.dispose();
    terminal.show();
  });
}

/** The editor shows an error if a profile has no terminal. One that closes at once is what Escape means. */
function closedTerminal(): vscode.ExtensionTerminalOptions {
  const closing = new vscode.EventEmitter<void>();
  const pty: vscode.Pseudoterminal = {
    onDidWrite: new vscode.EventEmitter<string>().event,
    onDidClose: closing.event,
    open: () => closing.fire(),
    close: () => closing.dispose(),
  };
  return { name: t("SSH"), pty, isTransient: true };
}
