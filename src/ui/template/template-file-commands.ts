// Commands on template files in the workspace: save a template as a file, push, pull, compare, re-pin, launch.
import * as vscode from "vscode";
import { AppError } from "../../domain/base/error.ts";
import type { Row } from "../../domain/base/wire.ts";
import type { Template } from "../../domain/template/template.ts";
import { FILE_SUFFIX, fileNameOf } from "../../domain/template/template-file.ts";
import { commands } from "../../ids.ts";
import { plain, t } from "../../lib/text.ts";
import type { OpenTemplateFile } from "../../services/template/template-file-actions.ts";
import { fileOf } from "../../services/template/template-file-sync.ts";
import { storedOf } from "../../services/template/template-saves.ts";
import { confirm } from "../kit/confirm.ts";
import { replaceText } from "../kit/open-documents.ts";
import { runCommand, runEditorCommand } from "../kit/run-command.ts";
import { isTemplateFile } from "./files/workspace-files.ts";
import type { TemplateServices } from "./template-services.ts";

/** The file for a command: the given one, otherwise the active one. Arguments aren't trusted. */
async function fileFor({ session, documents }: TemplateServices, given: unknown): Promise<OpenTemplateFile> {
  session.signedIn();
  const uri = given instanceof vscode.Uri ? given : vscode.window.activeTextEditor?.document.uri;
  if (!uri || !isTemplateFile(uri))
    throw new AppError("rejected", t("Open a template file first, one whose name ends with {0}.", FILE_SUFFIX));
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
  { saves, session }: TemplateServices,
  row: Row<Template> | undefined,
): Promise<void> {
  if (!row) return;
  const stored = await saves.read(session.signedIn(), storedOf(row));
  if (!stored) throw new AppError("gone", t("This template is not there any more."));
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const chosen = await vscode.window.showSaveDialog({
    title: t("Save Template to File"),
    ...(folder ? { defaultUri: vscode.Uri.joinPath(folder, fileNameOf(stored.draft)) } : {}),
    filters: { [t("Cloud GPU template")]: ["json"] },
  });
  if (!chosen) return;
  const uri = isTemplateFile(chosen)
    ? chosen
    : chosen.with({ path: `${chosen.path.replace(/\.json$/, "")}${FILE_SUFFIX}` });
  // The dialog only asks about the name it knows.
  if (uri !== chosen && (await exists(uri)) && !(await confirm(REPLACE(uri)))) return;
  await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(fileOf(stored)));
  await vscode.window.showTextDocument(uri);
}

const exists = (uri: vscode.Uri): Promise<boolean> =>
  Promise.resolve(vscode.workspace.fs.stat(uri)).then(
    () => true,
    () => false,
  );

const REPLACE = (uri: vscode.Uri) => ({
  message: t("Replace {0}?", plain(uri.path.split("/").at(-1) ?? "", 80)),
  detail: t("A file of this name exists already; what is in it would be lost."),
  go: t("Replace"),
  keep: t("Keep It"),
});

export async function pushFile(around: TemplateServices, [given]: readonly unknown[]): Promise<void> {
  await around.fileActions.push(around.person, await fileFor(around, given));
}

export async function pullFile(around: TemplateServices, [given]: readonly unknown[]): Promise<void> {
  await around.fileActions.pull(around.person, await fileFor(around, given));
}

export async function diffFile(around: TemplateServices, [given]: readonly unknown[]): Promise<void> {
  await around.fileActions.compare(await fileFor(around, given));
}

export async function repinFile(around: TemplateServices, [given]: readonly unknown[]): Promise<void> {
  await around.fileActions.repin(await fileFor(around, given));
}

/** Launches the service's version, which must match the file. */
export async function launchFile(around: TemplateServices, [given]: readonly unknown[]): Promise<void> {
  const hash = await around.fileActions.findLaunchable(around.person, await fileFor(around, given));
  if (hash !== undefined) await runCommand(commands.launchFromTemplate, hash);
}
