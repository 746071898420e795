// A template's start script and readme as files for normal editor tabs. Saving one saves the template.
import * as vscode from "vscode";
import { AppError, asAppError } from "../../../domain/base/error.ts";
import { readScript, unpackScript } from "../../../domain/template/packed-script.ts";
import { fileSystem } from "../../../ids.ts";
import { Bag } from "../../../lib/disposable.ts";
import { Emitter } from "../../../lib/event.ts";
import { plain, t } from "../../../lib/text.ts";
import type { SessionService, SignedIn } from "../../../services/core/session.ts";
import { keyOf } from "../../../services/template/draft-store.ts";
import { type Stored, storedOf, type TemplateSaves } from "../../../services/template/template-saves.ts";
import type { TemplatesService } from "../../../services/template/templates.ts";
import { fileNotFound, unavailable } from "../../kit/messages.ts";
import { openDocument, replaceText } from "../../kit/open-documents.ts";
import type { MergeView } from "../form/merge-view.ts";
import { SaveConsent } from "./save-consent.ts";
import type { TabMemory } from "./tab-memory.ts";
import { addressOf, readAddress, type TabField } from "./template-address.ts";

export interface FileServices {
  readonly session: SessionService;
  readonly templates: TemplatesService;
  readonly saves: TemplateSaves;
  readonly merges: MergeView;
  readonly memory: TabMemory;
}

interface OpenFile {
  readonly uri: vscode.Uri;
  readonly field: TabField;
  /** The template that this text is an edit of. */
  base: Stored;
  /** The text as the editor has it: unpacked. */
  text: string;
  mtime: number;
  /** Whether it may be stored packed: it already was, or the person asked for it. */
  mayPack: boolean;
  saving: boolean;
}

export class TemplateFiles implements vscode.Disposable {
  readonly #services: FileServices;
  readonly #files = new Map<string, Promise<OpenFile>>();
  readonly #bag = new Bag();
  readonly #changed = this.#bag.add(new vscode.EventEmitter<vscode.FileChangeEvent[]>());
  readonly onDidChangeFile = this.#changed.event;
  readonly #packing = this.#bag.add(new Emitter<void>());
  readonly onDidAllowPacking = this.#packing.event;
  readonly #consent: SaveConsent;

  constructor(services: FileServices) {
    this.#services = services;
    const { session, saves, templates } = services;
    this.#consent = new SaveConsent(session);
    this.#bag.add(
      saves.onDidSave(
        ({ from, stored }) =>
          // A save may give a template a new ID if others use the previous version.
          void this.#follow(({ id, hash }) =>
            from === hash || (id !== undefined && stored.id === id) ? stored : undefined,
          ),
      ),
    );
    this.#bag.add(session.onDidChange(() => void this.#leave()));
    this.#bag.add(
      templates.collection.store.onDidChange(({ state }) => {
        if (state !== "ready") return;
        void this.#follow(({ id }) => {
          const row = id === undefined ? undefined : templates.all.find(({ value }) => value.id === id);
          return row && storedOf(row);
        });
      }),
    );
    this.#bag.add(
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        // Changing the language also closes and reopens a document. Its text stays.
        if (uri.scheme !== fileSystem || openDocument(uri)) return;
        this.#files.delete(uri.toString());
        services.memory.forget(uri);
      }),
    );
  }

  /** Opens a tab with this part of the template. */
  async show(stored: Stored, field: TabField): Promise<void> {
    const uri = addressOf(this.#services.session.signedIn().tag, stored, field);
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: false });
  }

  /** From now on, this script is stored packed if it wouldn't fit otherwise. */
  async allowPacking(uri: vscode.Uri): Promise<void> {
    (await this.#open(uri)).mayPack = true;
    this.#packing.fire();
  }

  /** What is known about an open file, for code that monitors its tab. */
  async about(uri: vscode.Uri): Promise<{ name: string; mayPack: boolean }> {
    const { base, mayPack } = await this.#open(uri);
    return { name: plain(base.draft.name, 60), mayPack };
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const { text, mtime, base } = await this.#open(uri);
    const own = this.#services.templates.isOwn(base.hash, base.id);
    const permissions = own ? {} : { permissions: vscode.FilePermission.Readonly };
    return { type: vscode.FileType.File, ctime: 0, mtime, size: new TextEncoder().encode(text).length, ...permissions };
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    return new TextEncoder().encode((await this.#open(uri)).text);
  }

  async writeFile(uri: vscode.Uri, bytes: Uint8Array): Promise<void> {
    const file = await this.#open(uri);
    try {
      await this.#write(file, new TextDecoder().decode(bytes).replace(/\r\n?/g, "\n"));
    } catch (thrown) {
      throw unavailable(asAppError(thrown).message);
    }
  }

  async #write(file: OpenFile, text: string): Promise<void> {
    // Checked on every save: the lists may be read long after the tab was opened.
    if (!this.#services.templates.isOwn(file.base.hash, file.base.id))
      throw new AppError("not-allowed", t("Only its creator can change this template."));
    const value = await storable(file, text);
    if (value === file.base.draft[file.field]) return this.#settle(file, file.base, text);
    const account = this.#services.session.signedIn();
    await this.#consent.ask(account, { uri: file.uri, field: file.field, name: file.base.draft.name });
    file.saving = true;
    try {
      await this.#save(account, file, value, text);
    } finally {
      file.saving = false;
    }
  }

  async #save(account: SignedIn, file: OpenFile, value: string, text: string): Promise<void> {
    const { base, field } = file;
    const outcome = await this.#services.saves.edit(account, base, { ...base.draft, [field]: value });
    if (outcome.kind === "saved") return this.#settle(file, outcome.stored, text);
    if (outcome.kind === "deleted")
      throw new AppError(
        "gone",
        t("This template was deleted meanwhile. Copy what you typed before you close the tab."),
      );
    const { theirs } = outcome;
    if (theirs.draft[field] === base.draft[field] || theirs.draft[field] === value) {
      // Others changed different parts, so this change is applied on top of theirs.
      this.#rebase(file, theirs);
      return await this.#save(account, file, value, text);
    }
    await this.#compare(file, theirs, text);
    throw new AppError(
      "rejected",
      t(
        "It was changed elsewhere meanwhile, and nothing was overwritten. Bring the versions together, then save again.",
      ),
    );
  }

  /** The three versions of this part in the merge view, with packed scripts unpacked. */
  async #compare(file: OpenFile, theirs: Stored, text: string): Promise<void> {
    const { field, uri } = file;
    const [before, there] = await Promise.all([shown(file.base, field), shown(theirs, field)]);
    await this.#services.merges.show({
      key: `${keyOf(theirs)}-${field}`,
      name: uri.path.slice(uri.path.lastIndexOf("/") + 1),
      base: before,
      mine: text,
      theirs: there,
      merged: (merged) => this.#takeMerged(file, theirs, merged),
    });
  }

  async #takeMerged(file: OpenFile, theirs: Stored, merged: string): Promise<void> {
    const document = await vscode.workspace.openTextDocument(file.uri);
    if (!(await replaceText(document, merged)))
      throw new AppError("rejected", t("The tab did not take the merged text. Nothing is lost: try again."));
    this.#rebase(file, theirs);
    await vscode.window.showTextDocument(document, { preview: false });
  }

  /** From now on, the text is an edit of this version. */
  #rebase(file: OpenFile, stored: Stored): void {
    file.base = stored;
    this.#services.memory.remember(file.uri, stored, file.field);
  }

  #settle(file: OpenFile, stored: Stored, text: string): void {
    this.#rebase(file, stored);
    file.text = text;
    // Always later than before: the editor uses it to tell versions apart.
    file.mtime = Math.max(Date.now(), file.mtime + 1);
  }

  /** Applies others' changes to open templates. Unsaved text stays and is compared when it is saved. */
  async #follow(now: (base: Stored) => Stored | undefined): Promise<void> {
    for (const opening of [...this.#files.values()]) {
      const file = await opening.catch(() => undefined);
      if (!file || file.saving) continue;
      const { base, field } = file;
      const stored = now(base);
      if (!stored || stored.hash === base.hash) continue;
      if (stored.draft[field] === base.draft[field]) this.#rebase(file, stored);
      else if (!isDirty(file.uri)) {
        this.#settle(file, stored, await shown(stored, field));
        this.#changed.fire([{ type: vscode.FileChangeType.Changed, uri: file.uri }]);
      }
    }
  }

  /** Closes the tabs of an account that signed out. Only unsaved text stays, so that its author can copy it. */
  async #leave(): Promise<void> {
    this.#files.clear();
    const isOurs = ({ input, isDirty: dirty }: vscode.Tab) =>
      !dirty && input instanceof vscode.TabInputText && input.uri.scheme === fileSystem;
    await vscode.window.tabGroups.close(vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).filter(isOurs));
  }

  #open(uri: vscode.Uri): Promise<OpenFile> {
    const key = uri.toString();
    const opening = this.#files.get(key) ?? this.#load(uri);
    this.#files.set(key, opening);
    opening.catch(() => this.#files.delete(key));
    return opening;
  }

  async #load(uri: vscode.Uri): Promise<OpenFile> {
    const { session, templates, saves } = this.#services;
    const address = readAddress(uri);
    if (!address) throw fileNotFound(uri);
    const now = session.current;
    if (now.kind !== "signed-in") throw unavailable(t("Sign in to see this template."));
    if (now.tag !== address.tag) throw unavailable(t("This file was opened with another account or key."));
    try {
      await templates.collection.known();
      const stored = await saves.read({ ...address, id: this.#services.memory.number(uri) ?? address.id });
      if (!stored) throw fileNotFound(t("This template is not there any more."));
      const { field } = address;
      const text = await shown(stored, field);
      const mayPack = field === "onstart" && text !== stored.draft.onstart;
      const base = isDirty(uri) ? this.#services.memory.begun(uri, stored, field) : stored;
      const file: OpenFile = { uri, field, base, text, mtime: Date.now(), mayPack, saving: false };
      this.#rebase(file, base);
      return file;
    } catch (thrown) {
      if (thrown instanceof vscode.FileSystemError) throw thrown;
      throw unavailable(asAppError(thrown).message);
    }
  }

  dispose(): void {
    this.#bag.dispose();
  }
}

const isDirty = (uri: vscode.Uri): boolean => openDocument(uri)?.isDirty === true;

/** A field as its tab shows it: a packed script is unpacked. */
async function shown({ draft }: Stored, field: TabField): Promise<string> {
  return (field === "onstart" ? await unpackScript(draft.onstart) : undefined) ?? draft[field];
}

/** What is sent for a text. @throws AppError `rejected` with the reason. */
async function storable({ field, mayPack }: OpenFile, text: string): Promise<string> {
  if (field === "onstart") {
    const { stored, problem } = await readScript(text, mayPack);
    if (stored === undefined) throw new AppError("rejected", problem?.message ?? "");
    return stored;
  }
  if (text.includes("\0")) throw new AppError("rejected", t("The text holds a NUL, which cannot be sent."));
  return text;
}
