// A template's start script and readme as files for normal editor tabs: the editor's side of them.
import * as vscode from "vscode";
import { asAppError } from "../../../domain/base/error.ts";
import type { TextField } from "../../../domain/template/template-path.ts";
import { fileSystem } from "../../../ids.ts";
import { Bag } from "../../../lib/disposable.ts";
import { toPlainText } from "../../../lib/text.ts";
import type { SessionService } from "../../../services/core/session.ts";
import type { MergingPerson } from "../../../services/template/template-person.ts";
import type { Stored } from "../../../services/template/template-saves.ts";
import type { TabText, TemplateTab, TemplateTabs } from "../../../services/template/template-tabs.ts";
import { createFileNotFoundError, createUnavailableError } from "../../kit/messages.ts";
import { openDocument, replaceText } from "../../kit/open-documents.ts";
import { readAddress, toTextAddress } from "./template-address.ts";

interface Services {
  readonly session: SessionService;
  readonly tabs: TemplateTabs;
}

export class TemplateFiles implements vscode.Disposable {
  readonly #services: Services;
  readonly #person: MergingPerson;
  readonly #bag = new Bag();
  readonly #changed = this.#bag.add(new vscode.EventEmitter<vscode.FileChangeEvent[]>());
  readonly onDidChangeFile = this.#changed.event;
  readonly onDidAllowPacking: TemplateTabs["onDidAllowPacking"];

  constructor(services: Services, person: MergingPerson) {
    this.#services = services;
    this.#person = person;
    const { session, tabs } = services;
    this.onDidAllowPacking = tabs.onDidAllowPacking;
    this.#bag.add(
      tabs.onDidChange(({ key }) =>
        this.#changed.fire([{ type: vscode.FileChangeType.Changed, uri: vscode.Uri.parse(key) }]),
      ),
    );
    this.#bag.add(session.onDidChange((now) => void closeSavedTabs(now.kind === "signed-in" ? now.tag : undefined)));
    this.#bag.add(
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        // Changing the language also closes and reopens a document. Its text stays.
        if (uri.scheme === fileSystem && !openDocument(uri)) tabs.close(uri.toString());
      }),
    );
  }

  /** Opens a tab with this part of the template. */
  async show(stored: Stored, field: TextField): Promise<void> {
    const uri = toTextAddress(this.#services.session.requireSignedIn().tag, stored, field);
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: false });
  }

  /** From now on, stores the script of a tab packed if it wouldn't fit otherwise. @throws AppError if it can't be. */
  async allowPacking({ uri }: vscode.TextDocument, script: string): Promise<void> {
    await this.#services.tabs.allowPacking(tabOf(uri), script);
  }

  /** What is known about an open file, for code that monitors its tab. */
  async describeFile(uri: vscode.Uri): Promise<{ name: string; mayPack: boolean }> {
    const { name, mayPack } = await this.#read(uri);
    return { name: toPlainText(name, 60), mayPack };
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const { text, changedAt: mtime, isOwn } = await this.#read(uri);
    const permissions = isOwn ? {} : { permissions: vscode.FilePermission.Readonly };
    return { type: vscode.FileType.File, ctime: 0, mtime, size: new TextEncoder().encode(text).length, ...permissions };
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    return new TextEncoder().encode((await this.#read(uri)).text);
  }

  async writeFile(uri: vscode.Uri, bytes: Uint8Array): Promise<void> {
    await this.#read(uri);
    try {
      await this.#services.tabs.write(this.#person, tabOf(uri), new TextDecoder().decode(bytes));
    } catch (thrown) {
      throw createUnavailableError(asAppError(thrown).message);
    }
  }

  async #read(uri: vscode.Uri): Promise<TabText> {
    const tab = tabOf(uri);
    try {
      return await this.#services.tabs.read(tab);
    } catch (thrown) {
      const { kind, message } = asAppError(thrown);
      throw kind === "gone" ? createFileNotFoundError(message) : createUnavailableError(message);
    }
  }

  dispose(): void {
    this.#bag.dispose();
  }
}

function tabOf(uri: vscode.Uri): TemplateTab {
  const address = readAddress(uri);
  if (!address) throw createFileNotFoundError(uri);
  return {
    key: uri.toString(),
    address,
    isDirty: () => openDocument(uri)?.isDirty === true,
    isAutosaved: () => vscode.workspace.getConfiguration("files", uri).get("autoSave", "off") !== "off",
    replaceText: async (text) => await replaceText(await vscode.workspace.openTextDocument(uri), text),
    reveal: async () => void (await vscode.window.showTextDocument(uri, { preview: false })),
  };
}

/**
 * Closes the tabs of an account that was left; those of the current one stay, such as a tab that is just being restored.
 * Unsaved text stays as well, so that its author can copy it.
 */
async function closeSavedTabs(current: string | undefined): Promise<void> {
  const isLeft = (uri: vscode.Uri) => uri.scheme === fileSystem && readAddress(uri)?.tag !== current;
  const isSaved = ({ input, isDirty }: vscode.Tab) =>
    !isDirty && input instanceof vscode.TabInputText && isLeft(input.uri);
  await vscode.window.tabGroups.close(vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).filter(isSaved));
}
