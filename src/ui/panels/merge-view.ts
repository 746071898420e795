// Three versions of a template side by side in the editor's own merge view, as text; the merged text comes back when it is saved.
import * as vscode from "vscode";
import { asAppError } from "../../domain/error.ts";
import type { WholeDraft } from "../../domain/template-form.ts";
import { readTemplateText, templateText } from "../../domain/template-text.ts";
import { t } from "../../lib/text.ts";

const SCHEME = "cloud-gpu-merge";

export interface Versions {
  /** Names the files; letters, digits and dashes. */
  readonly key: string;
  readonly base: WholeDraft;
  readonly mine: WholeDraft;
  readonly theirs: WholeDraft;
  readonly merged: (draft: WholeDraft) => void;
}

interface File {
  readonly bytes: Uint8Array;
  readonly mtime: number;
  readonly merged?: ((draft: WholeDraft) => void) | undefined;
}

/** Files in memory, each as long as its template's conflict. */
export class MergeView implements vscode.FileSystemProvider, vscode.Disposable {
  readonly #files = new Map<string, File>();
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.#changed.event;
  readonly #registration = vscode.workspace.registerFileSystemProvider(SCHEME, this, { isCaseSensitive: true });

  /** Opens the merge view; where this editor has none, the two versions beside each other with mine open to change. */
  async show({ key, base, mine, theirs, merged }: Versions): Promise<void> {
    const at = (name: string, text: string, done?: Versions["merged"]) => this.#put(`/${key}/${name}.json`, text, done);
    const versions = { base: at("base", templateText(base)), theirs: at("theirs", templateText(theirs)) };
    const own = at("mine", templateText(mine));
    // Conflict markers make the merge view start from the base and take over by itself what only one side changed.
    const marked = `<<<<<<< mine\n${templateText(mine)}=======\n${templateText(theirs)}>>>>>>> theirs\n`;
    try {
      await vscode.commands.executeCommand("_open.mergeEditor", {
        base: versions.base,
        input1: { uri: versions.theirs, title: t("Theirs"), description: t("as the service has it now") },
        input2: { uri: own, title: t("Mine"), description: t("as you typed it") },
        output: at("merged", marked, merged),
      });
    } catch {
      const output = at("merged", templateText(mine), merged);
      await vscode.commands.executeCommand(
        "vscode.diff",
        versions.theirs,
        output,
        t("Theirs ↔ Mine: save to take over"),
      );
    }
  }

  /** Closes and forgets the versions of a template. */
  async forget(key: string): Promise<void> {
    const mine = [...this.#files.keys()].filter((path) => path.startsWith(`/${key}/`));
    const tabs = vscode.window.tabGroups.all
      .flatMap(({ tabs }) => tabs)
      .filter(
        ({ input, label }) =>
          mine.some((path) => holds(input, path)) || (mine.length > 0 && /merged\.json/.test(label)),
      );
    await vscode.window.tabGroups.close(tabs);
    for (const path of mine) this.#files.delete(path);
  }

  #put(path: string, text: string, merged?: Versions["merged"]): vscode.Uri {
    const uri = vscode.Uri.from({ scheme: SCHEME, path });
    this.#files.set(path, { bytes: new TextEncoder().encode(text), mtime: Date.now(), merged });
    this.#changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
    return uri;
  }

  readFile(uri: vscode.Uri): Uint8Array {
    return this.#file(uri).bytes;
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    const { bytes, mtime, merged } = this.#file(uri);
    const permissions = merged ? {} : { permissions: vscode.FilePermission.Readonly };
    return { type: vscode.FileType.File, ctime: 0, mtime, size: bytes.length, ...permissions };
  }

  /** A text that is no template is not taken: the view then says why and keeps it. */
  writeFile(uri: vscode.Uri, bytes: Uint8Array): void {
    const file = this.#file(uri);
    if (!file.merged) throw vscode.FileSystemError.NoPermissions(uri);
    let draft: WholeDraft;
    try {
      draft = readTemplateText(new TextDecoder().decode(bytes));
    } catch (thrown) {
      throw vscode.FileSystemError.Unavailable(asAppError(thrown).message);
    }
    this.#files.set(uri.path, { ...file, bytes, mtime: Date.now() });
    file.merged(draft);
  }

  #file(uri: vscode.Uri): File {
    const file = this.#files.get(uri.path);
    if (!file) throw vscode.FileSystemError.FileNotFound(uri);
    return file;
  }

  watch(): vscode.Disposable {
    return { dispose: () => {} };
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  createDirectory(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  delete(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  dispose(): void {
    this.#registration.dispose();
    this.#changed.dispose();
  }
}

function holds(input: unknown, path: string): boolean {
  const is = (uri: vscode.Uri) => uri.scheme === SCHEME && uri.path === path;
  if (input instanceof vscode.TabInputText) return is(input.uri);
  return input instanceof vscode.TabInputTextDiff && (is(input.original) || is(input.modified));
}
