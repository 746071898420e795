// Read-only documents that show what is known about something. There is nothing to save.
import * as vscode from "vscode";
import { contexts } from "../../ids.ts";
import { runEditorCommand, setContext } from "./run-command.ts";

const SCHEME = "cloud-gpu";

export class Documents implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.#changed.event;
  readonly #contents = new Map<string, string>();
  #endReading: ((goesOn: boolean) => void) | undefined;
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

  /**
   * Shows something in the middle of a question and waits until the person comes back to it: by Escape, by the button in
   * the editor's title, or by closing the tab.
   * @param open shows it; the names of its documents begin with the folder, which tells its tab from all others.
   * @returns false if something else was opened to be read, or the account was left: the question is over.
   */
  async read(open: (folder: string) => Promise<void>): Promise<boolean> {
    this.#endReading?.(false);
    const folder = `read ${crypto.randomUUID()}`;
    let wasOpen = false;
    let end: (goesOn: boolean) => void = () => undefined;
    const ended = new Promise<boolean>((resolve) => {
      end = resolve;
    });
    this.#endReading = end;
    const closing = vscode.window.tabGroups.onDidChangeTabs(() => {
      if (findTab(folder)) wasOpen = true;
      else if (wasOpen) end(true);
    });
    setContext(contexts.reading, true);
    try {
      await open(folder);
      wasOpen ||= findTab(folder) !== undefined;
      const goesOn = await ended;
      const tab = findTab(folder);
      if (goesOn && tab) await vscode.window.tabGroups.close(tab);
      return goesOn;
    } finally {
      closing.dispose();
      for (const path of [...this.#contents.keys()]) if (path.startsWith(`/${folder}/`)) this.#contents.delete(path);
      if (this.#endReading === end) {
        this.#endReading = undefined;
        setContext(contexts.reading, false);
      }
    }
  }

  /** Back from what is being read to the question it belongs to. */
  endReading(): void {
    this.#endReading?.(true);
  }

  /** Forgets what was shown: it belonged to an account that signed out. */
  clear(): void {
    this.#endReading?.(false);
    const shown = [...this.#contents.keys()];
    this.#contents.clear();
    for (const path of shown) this.#changed.fire(vscode.Uri.from({ scheme: SCHEME, path }));
  }

  dispose(): void {
    this.#endReading?.(false);
    this.#registration.dispose();
    this.#changed.dispose();
  }
}

/** The addresses of a tab's texts; the second one if it compares two. */
function addressesOf({ input }: vscode.Tab): readonly vscode.Uri[] {
  if (input instanceof vscode.TabInputText) return [input.uri];
  return input instanceof vscode.TabInputTextDiff ? [input.original, input.modified] : [];
}

/** The tab that shows a document of this folder. */
function findTab(folder: string): vscode.Tab | undefined {
  const all = vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs);
  return all.find((tab) =>
    addressesOf(tab).some(({ scheme, path }) => scheme === SCHEME && path.startsWith(`/${folder}/`)),
  );
}
