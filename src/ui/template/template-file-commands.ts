// Commands on template files in the workspace: begin one, save a template as one, push, pull, compare, re-pin, launch.

import * as vscode from "vscode";
import { AppError } from "../../domain/base/error.ts";
import type { TemplateHash } from "../../domain/base/id.ts";
import type { Row } from "../../domain/base/wire.ts";
import { toFileEnv } from "../../domain/template/environment/env-secrets.ts";
import type { Template } from "../../domain/template/template.ts";
import {
  createTemplateFile,
  FILE_SUFFIX,
  readTemplateFile,
  toFileName,
  withProposalsOf,
} from "../../domain/template/template-file.ts";
import { FIRST_TEMPLATE } from "../../domain/template/template-form.ts";
import type { TemplateLaunch } from "../../domain/template/template-proposals.ts";
import { commands } from "../../ids.ts";
import { t, toPlainText } from "../../lib/text.ts";
import type { SignedIn } from "../../services/core/session.ts";
import type { OpenTemplateFile } from "../../services/template/template-file-actions.ts";
import { getSyncOwner, toTemplateFile } from "../../services/template/template-file-sync.ts";
import { toStored } from "../../services/template/template-saves.ts";
import { confirm } from "../kit/ask/confirm.ts";
import { replaceText } from "../kit/open-documents.ts";
import { runCommand, runEditorCommand } from "../kit/run-command.ts";
import { isTemplateFile } from "./files/workspace-files.ts";
import type { TemplateServices } from "./template-services.ts";

/** The file for a command: the given one, otherwise the active one. Arguments aren't trusted. */
export async function openTemplateFile(
  { session, documents }: Pick<TemplateServices, "session" | "documents">,
  given: unknown,
): Promise<OpenTemplateFile> {
  session.requireSignedIn();
  const uri = given instanceof vscode.Uri ? given : vscode.window.activeTextEditor?.document.uri;
  if (!uri || !isTemplateFile(uri))
    throw new AppError("rejected", t("Open a template file first. Its name ends with {0}.", FILE_SUFFIX));
  const document = await vscode.workspace.openTextDocument(uri);
  const name = uri.path.split("/").at(-1) ?? "";
  return {
    readText: () => document.getText(),
    replaceText: (text) => replaceText(document, text),
    save: async () => void (await document.save()),
    showDifference: async (stored, text) => {
      const left = documents.put(`${t("Service")}/${stored.id ?? stored.hash}/${name}`, text);
      await runEditorCommand("vscode.diff", left, uri, t("{0}: Service ↔ File", name));
    },
  };
}

export async function saveTemplateToFile(
  { saves, templates, person }: TemplateServices,
  account: SignedIn,
  row: Row<Template> | undefined,
): Promise<void> {
  if (!row) return;
  const stored = await saves.read(account, toStored(row));
  if (!stored) throw new AppError("gone", t("This template no longer exists."));
  const uri = await chooseFile(t("Save Template to File"), toFileName(stored.draft));
  if (!uri) return;
  // What to run and how to launch is in the file alone.
  const before = await vscode.workspace.openTextDocument(uri).then(
    (document) => document.getText(),
    () => "",
  );
  const content = toTemplateFile(stored, getSyncOwner(templates, account, stored));
  await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(withProposalsOf(before, content)));
  await vscode.window.showTextDocument(uri);
  const { names, mayHoldSecret } = toFileEnv(stored.draft.env);
  if (mayHoldSecret) void person.tell({ kind: "may-hold-secrets", name: stored.draft.name }, []);
  else if (names.length > 0) void person.tell({ kind: "saved-without", variables: names }, []);
}

/** Begins a template in a file that is called what the file is, with the cursor where its image goes. Nothing is sent. */
export async function beginTemplateFile(): Promise<void> {
  const uri = await chooseFile(t("New Template File"), `template${FILE_SUFFIX}`);
  if (!uri) return;
  const name = uri.path.split("/").at(-1)?.slice(0, -FILE_SUFFIX.length) ?? "";
  const text = createTemplateFile({ ...FIRST_TEMPLATE, name });
  await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(text));
  const document = await vscode.workspace.openTextDocument(uri);
  const image = document.positionAt(text.indexOf('"image": "') + '"image": "'.length);
  await vscode.window.showTextDocument(document, { selection: new vscode.Range(image, image) });
}

/** Where to write a template, asked for. Undefined if nothing is to be written. */
async function chooseFile(title: string, name: string): Promise<vscode.Uri | undefined> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const chosen = await vscode.window.showSaveDialog({
    title,
    ...(folder ? { defaultUri: vscode.Uri.joinPath(folder, name) } : {}),
    filters: { [t("Cloud GPU template")]: ["json"] },
  });
  if (!chosen || isTemplateFile(chosen)) return chosen;
  const uri = chosen.with({ path: `${chosen.path.replace(/\.json$/, "")}${FILE_SUFFIX}` });
  // The dialog only asks about the name it knows.
  return (await exists(uri)) && !(await confirm(REPLACE(uri))) ? undefined : uri;
}

const exists = (uri: vscode.Uri): Promise<boolean> =>
  Promise.resolve(vscode.workspace.fs.stat(uri)).then(
    () => true,
    () => false,
  );

const REPLACE = (uri: vscode.Uri) => ({
  message: t("Replace {0}?", toPlainText(uri.path.split("/").at(-1) ?? "", 80)),
  detail: t("A file with this name already exists. Its contents will be overwritten."),
  go: t("Replace"),
  keep: t("Keep"),
});

export async function pushFile(around: TemplateServices, [given]: readonly unknown[]): Promise<void> {
  const file = await openTemplateFile(around, given);
  // What is checked is what is proposed, whatever becomes of the text in the meantime.
  const { launch } = readTemplateFile(file.readText());
  await launchVersion(await around.fileActions.push(around.person, file), launch);
}

export async function pullFile(around: TemplateServices, [given]: readonly unknown[]): Promise<void> {
  await around.fileActions.pull(around.person, await openTemplateFile(around, given));
}

export async function diffFile(around: TemplateServices, [given]: readonly unknown[]): Promise<void> {
  await around.fileActions.compare(around.person, await openTemplateFile(around, given));
}

export async function repinFile(around: TemplateServices, [given]: readonly unknown[]): Promise<void> {
  await around.fileActions.repin(around.person, await openTemplateFile(around, given));
}

/** Launches the service's version, which must match the file. */
export async function launchFile(around: TemplateServices, [given]: readonly unknown[]): Promise<void> {
  const file = await openTemplateFile(around, given);
  const { launch } = readTemplateFile(file.readText());
  await launchVersion(await around.fileActions.findLaunchable(around.person, file), launch);
}

async function launchVersion(hash: TemplateHash | undefined, launch: TemplateLaunch | undefined): Promise<void> {
  if (hash !== undefined) await runCommand(commands.launchFromTemplate, hash, launch);
}
