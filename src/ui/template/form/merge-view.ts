// Three versions of a text side by side in the editor's own merge view. One command returns the merged text.
import * as vscode from "vscode";
import { AppError } from "../../../domain/base/error.ts";
import { isUndecided } from "../../../domain/template/template-text.ts";
import { realClock } from "../../../lib/clock.ts";
import { t } from "../../../lib/text.ts";
import { buildTemplateQuestion } from "../../../present/template/template-messages.ts";
import type { Merge } from "../../../services/template/template-person.ts";
import { confirm } from "../../kit/ask/confirm.ts";
import { createFileNotFoundError } from "../../kit/messages.ts";
import { openDocument } from "../../kit/open-documents.ts";
import { runEditorCommand } from "../../kit/run-command.ts";

const SCHEME = "cloud-gpu-merge";

interface File {
  readonly bytes: Uint8Array;
  readonly mtime: number;
  readonly writable: boolean;
}

/** Files in memory. Each exists as long as its template's conflict. */
export class MergeView implements vscode.FileSystemProvider, vscode.Disposable {
  readonly #files = new Map<string, File>();
  /** Merges in progress by key, latest last. */
  readonly #open = new Map<string, Merge>();
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.#changed.event;
  readonly #registration = vscode.workspace.registerFileSystemProvider(SCHEME, this, { isCaseSensitive: true });

  /**
   * Opens the merge view. If this editor has none, opens both versions side by side, with mine editable. A merge that
   * is already open is brought to the front unchanged: it contains decisions. `merged`: decisions that were made before.
   */
  async show(versions: Merge, merged?: string): Promise<void> {
    const { key, name, base, mine, theirs } = versions;
    const isUnderWay = this.#open.has(key) && this.#tabs(key).length > 0;
    const at = (part: string, text: string) => {
      const uri = vscode.Uri.from({ scheme: SCHEME, path: pathOf(key, part, name) });
      if (!isUnderWay) this.#put(uri, text, part === "merged");
      return uri;
    };
    if (!isUnderWay) {
      this.#open.delete(key);
      this.#open.set(key, versions);
    }
    const [before, there, here] = [at("base", base), at("theirs", theirs), at("mine", mine)];
    // With conflict markers, the merge view starts from the base and automatically applies what only one side changed.
    const marked = `<<<<<<< mine\n${mine}\n=======\n${theirs}\n>>>>>>> theirs\n`;
    try {
      await runEditorCommand("_open.mergeEditor", {
        base: before,
        input1: { uri: there, title: t("Theirs"), description: t("current version on the service") },
        input2: { uri: here, title: t("Mine"), description: t("your unsaved version") },
        output: at("merged", merged ?? marked),
      });
    } catch {
      await runEditorCommand("vscode.diff", there, at("merged", merged ?? mine), t("Theirs ↔ Mine"));
    }
  }

  /**
   * Returns the merged text. This is a separate command: saving wouldn't do, because an editor may autosave halfway
   * through.
   * @throws AppError `rejected` if the text can't be used; the view then stays open.
   */
  async complete(given: unknown): Promise<void> {
    const named = given instanceof vscode.Uri && given.scheme === SCHEME ? given.path.split("/")[1] : undefined;
    const key = named ?? [...this.#open.keys()].at(-1);
    const versions = key === undefined ? undefined : this.#open.get(key);
    if (key === undefined || versions === undefined) throw new AppError("rejected", t("No template merge is open."));
    const uri = vscode.Uri.from({ scheme: SCHEME, path: pathOf(key, "merged", versions.name) });
    const open = openDocument(uri);
    // The text counts once it rests: what was clicked a moment ago may still be on its way.
    // A tab may know of changes that the document here hasn't heard of.
    const isDirty = () => open?.isDirty === true || this.#tabs(key).some((tab) => tab.isDirty);
    if (open) await saveWhole(open, isDirty);
    const text = open?.getText() ?? new TextDecoder().decode(this.readFile(uri));
    if (isUndecided(versions, text) && !(await confirm(buildTemplateQuestion({ kind: "undecided-merge" })))) return;
    if (open) await saveWhole(open, isDirty);
    // The editor itself may ask whether to close what has conflicts. Whoever stays there has decided nothing yet.
    // The account may have been left in the meantime, and with it the merge.
    if (!(await this.#close(key)) || this.#open.get(key) !== versions) return;
    try {
      await versions.apply(text);
    } catch (error) {
      // No one brings back what was left with its account, or what another merge of the template has replaced.
      if (this.#open.get(key) === versions) await this.show(versions, text);
      throw error;
    }
    if (this.#open.get(key) === versions) await this.forget(key);
  }

  /** @returns false if the person keeps it open. */
  async #close(key: string): Promise<boolean> {
    const tabs = this.#tabs(key);
    if (tabs.length > 0) await vscode.window.tabGroups.close(tabs);
    return this.#tabs(key).length === 0;
  }

  /** Closes and forgets the versions of one merge. */
  async forget(key: string): Promise<void> {
    const tabs = this.#tabs(key);
    if (!this.#open.delete(key)) return;
    await vscode.window.tabGroups.close(tabs);
    for (const path of this.#paths(key)) this.#files.delete(path);
  }

  /** Called when the account signs out: the next account must not see what was to be merged. */
  async forgetAll(): Promise<void> {
    for (const key of [...this.#open.keys()]) await this.forget(key);
  }

  #paths(key: string): string[] {
    return [...this.#files.keys()].filter((path) => path.startsWith(`/${key}/`));
  }

  #tabs(key: string): vscode.Tab[] {
    const paths = this.#paths(key);
    const all = vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs);
    return all.filter(({ input }) => paths.some((path) => holds(input, path)));
  }

  #put(uri: vscode.Uri, text: string, writable: boolean): void {
    this.#files.set(uri.path, { bytes: new TextEncoder().encode(text), mtime: realClock.now(), writable });
    this.#changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
  }

  readFile(uri: vscode.Uri): Uint8Array {
    return this.#file(uri).bytes;
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    const { bytes, mtime, writable } = this.#file(uri);
    const permissions = writable ? {} : { permissions: vscode.FilePermission.Readonly };
    return { type: vscode.FileType.File, ctime: 0, mtime, size: bytes.length, ...permissions };
  }

  writeFile(uri: vscode.Uri, bytes: Uint8Array): void {
    const file = this.#file(uri);
    if (!file.writable) throw vscode.FileSystemError.NoPermissions(uri);
    this.#files.set(uri.path, { ...file, bytes, mtime: realClock.now() });
  }

  #file(uri: vscode.Uri): File {
    const file = this.#files.get(uri.path);
    if (!file) throw createFileNotFoundError(uri);
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

/** How often, and milliseconds in between. */
const TRIES = 25;
const PAUSE = 200;

/** The editor asks whether to save what isn't saved when it is closed, and a save beside one of its own may come to nothing. */
async function saveWhole(document: vscode.TextDocument, isDirty: () => boolean): Promise<void> {
  for (let turn = 0; turn < TRIES; turn += 1) {
    const { version } = document;
    if (isDirty()) await document.save();
    await realClock.sleep(PAUSE);
    if (!isDirty() && document.version === version) return;
  }
}

const pathOf = (key: string, part: string, name: string): string => `/${key}/${part}/${name}`;

/**
 * The properties that hold the file URIs of text, diff and merge tabs. Merge tabs aren't in the published types yet.
 */
const PARTS = ["uri", "original", "modified", "base", "input1", "input2", "result"];

function holds(input: unknown, path: string): boolean {
  if (typeof input !== "object" || input === null) return false;
  return PARTS.map((part): unknown => Reflect.get(input, part)).some(
    (uri) => uri instanceof vscode.Uri && uri.scheme === SCHEME && uri.path === path,
  );
}
