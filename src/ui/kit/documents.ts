// Read-only documents that show what is known about something. There is nothing to save.
import * as vscode from "vscode";
import { runEditorCommand } from "./run-command.ts";

const SCHEME = "cloud-gpu";

export class Documents implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.#changed.event;
  readonly #contents = new Map<string, string>();
  readonly #registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#contents.get(uri.path) ?? "";
  }

  /** Creates a document or updates the one with this name, for comparison with another. */
  put(name: string, content: string): vscode.Uri {
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${name}` });
    this.#contents.set(uri.path, content);
    this.#changed.fire(uri);
    return uri;
  }

  /** Opens a document, or updates the one with this name. */
  async show(name: string, content: string): Promise<void> {
    const uri = this.put(name, content);
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
  }

  /** Two texts side by side in the editor's own diff view. Their names must have the same file type. */
  async compare(
    title: string,
    left: readonly [name: string, content: string],
    right: readonly [string, string],
  ): Promise<void> {
    await runEditorCommand("vscode.diff", this.put(...left), this.put(...right), title);
  }

  /** Forgets what was shown: it belonged to an account that signed out. */
  clear(): void {
    const shown = [...this.#contents.keys()];
    this.#contents.clear();
    for (const path of shown) this.#changed.fire(vscode.Uri.from({ scheme: SCHEME, path }));
  }

  dispose(): void {
    this.#registration.dispose();
    this.#changed.dispose();
  }
}
