// Read-only documents: what is known of a thing, in a tab that has nothing to save.
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

  /** Makes a document or brings the one of this name up to date; for comparing it with another. */
  put(name: string, content: string): vscode.Uri {
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${name}` });
    this.#contents.set(uri.path, content);
    this.#changed.fire(uri);
    return uri;
  }

  /** Opens a document or brings the one of this name up to date. */
  async show(name: string, content: string): Promise<void> {
    const uri = this.put(name, content);
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
  }

  /** Two texts beside each other in the editor's own diff; their names are of the same kind of file. */
  async compare(
    title: string,
    left: readonly [name: string, content: string],
    right: readonly [string, string],
  ): Promise<void> {
    await runEditorCommand("vscode.diff", this.put(...left), this.put(...right), title);
  }

  /** Forgets what was shown: it belonged to an account that left. */
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
