// Commands on template files in the workspace: save a template as a file, push, pull, compare, re-pin, launch.
import * as vscode from "vscode";
import { AppError } from "../../domain/base/error.ts";
import type { Row } from "../../domain/base/wire.ts";
import type { Template } from "../../domain/template/template.ts";
import { FILE_SUFFIX, readTemplateFile, sendable } from "../../domain/template/template-file.ts";
import { commands } from "../../ids.ts";
import { plain, t } from "../../lib/text.ts";
import {
  type Comparison,
  compare,
  fileOf,
  type Pushable,
  pulled,
  push,
  repinned,
} from "../../services/template/template-file-sync.ts";
import type { Stored } from "../../services/template/template-saves.ts";
import { storedOf } from "../../services/template/template-saves.ts";
import { confirm } from "../kit/confirm.ts";
import { tellInfo, tellWarning } from "../kit/messages.ts";
import { replaceText } from "../kit/open-documents.ts";
import { runCommand, runEditorCommand } from "../kit/run-command.ts";
import { isTemplateFile } from "./files/workspace-files.ts";
import type { TemplateServices } from "./template-services.ts";

/** The file for a command: the given one, otherwise the active one. Arguments aren't trusted. */
async function fileFor(given: unknown): Promise<vscode.TextDocument> {
  const uri = given instanceof vscode.Uri ? given : vscode.window.activeTextEditor?.document.uri;
  if (!uri || !isTemplateFile(uri))
    throw new AppError("rejected", t("Open a template file first, one whose name ends with {0}.", FILE_SUFFIX));
  return await vscode.workspace.openTextDocument(uri);
}

/** Replaces the document's text if it differs. */
async function put(document: vscode.TextDocument, text: string): Promise<void> {
  if (document.getText() !== text && !(await replaceText(document, text)))
    throw new AppError("rejected", t("The editor did not take the change."));
}

const nameOf = (draft: { readonly name: string }): string => plain(draft.name, 60) || t("Unnamed template");

export async function saveToFile({ saves }: TemplateServices, row: Row<Template> | undefined): Promise<void> {
  if (!row) return;
  const stored = await saves.read(storedOf(row));
  if (!stored) throw new AppError("gone", t("This template is not there any more."));
  const slug =
    nameOf(stored.draft)
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-|-$/g, "") || "template";
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const chosen = await vscode.window.showSaveDialog({
    title: t("Save Template to File"),
    ...(folder ? { defaultUri: vscode.Uri.joinPath(folder, `${slug}${FILE_SUFFIX}`) } : {}),
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

/** Shows what will be sent, sends it, and records the new synchronized version in the file. */
export async function pushFile(around: TemplateServices, [given]: readonly unknown[]): Promise<void> {
  const account = around.session.signedIn();
  const document = await fileFor(given);
  const text = document.getText();
  const seen = await ownOr(around, await compare(around.saves, text));
  if (seen.kind === "drifted") return await tellDrift(document, seen.stored);
  if (seen.kind === "in-step" && seen.fields.length === 0) {
    await takePushed(document, text, seen.stored);
    return void tellInfo(t("“{0}” on the service is what the file says.", nameOf(seen.draft)));
  }
  if (!(await confirm(pushQuestion(seen)))) return;
  const outcome = await push(around.saves, account, seen);
  if (outcome.kind === "deleted")
    throw new AppError("gone", t("It was deleted meanwhile; nothing was sent. Push again to create it anew."));
  if (outcome.kind === "changed") return await tellDrift(document, outcome.theirs);
  await takePushed(document, text, outcome.stored);
  const said = outcome.existing
    ? t("A template with exactly this content existed already; the file is in step with it now.")
    : t("Pushed “{0}”. Launches from it use hash {1}.", nameOf(seen.draft), outcome.stored.hash.slice(0, 8));
  void tellInfo(said);
}

/** A changed file of someone else's template is pushed as a private copy: only its creator can change the original. */
async function ownOr({ templates }: TemplateServices, seen: Comparison): Promise<Comparison> {
  if (!("stored" in seen) || seen.fields.length === 0) return seen;
  await templates.collection.known();
  const { stored, draft } = seen;
  return templates.isOwn(stored.hash, stored.id) ? seen : { kind: "foreign", draft: { ...draft, private: true } };
}

/** What was typed during the push stays unsaved. In that case, only the lock is updated. */
async function takePushed(document: vscode.TextDocument, text: string, stored: Stored): Promise<void> {
  const now = document.getText();
  if (now === text) {
    await put(document, pulled(now, stored));
    await document.save();
    return;
  }
  if (readTemplateFile(now).draft) return await put(document, repinned(now, stored));
  const hash = stored.hash.slice(0, 8);
  const said = t(
    "“{0}” was pushed, with hash {1}. The file cannot be read as it is now, so its lock stays behind: Re-pin it later.",
    nameOf(stored.draft),
    hash,
  );
  void tellWarning(said, t("OK"));
}

function pushQuestion(seen: Pushable) {
  const name = nameOf(seen.draft);
  if ("stored" in seen)
    return {
      message: t("Push the file to the template “{0}”?", nameOf(seen.stored.draft)),
      detail: t("Changes on the service: {0}. Every launch from it uses them from then on.", seen.fields.join(", ")),
      go: t("Push"),
    };
  const why = {
    new: [],
    gone: [t("The template the file came from is not there any more.")],
    foreign: [t("The template the file came from is somebody else's; only its creator can change it.")],
  }[seen.kind];
  const visibility = seen.draft.private ? t("Only you will see it.") : t("Everybody will see it.");
  const token =
    seen.draft.docker_login_user === "" ? [] : [t("A file holds no registry token: add it in the form afterwards.")];
  return {
    message: t("Create the template “{0}” from the file?", name),
    detail: [...why, visibility, ...token].join(" "),
    go: t("Create"),
  };
}

async function tellDrift(document: vscode.TextDocument, stored: Stored): Promise<void> {
  const [diff, pull, repin] = [t("Diff"), t("Pull"), t("Re-pin")];
  const said = t(
    "“{0}” was changed on the service since the last push or pull. Nothing was sent. Pull takes that version into the file; Re-pin lets the next push go over it.",
    nameOf(stored.draft),
  );
  const chosen = await tellWarning(said, diff, pull, repin);
  const command = {
    [diff]: commands.templateDiffFile,
    [pull]: commands.templatePullFile,
    [repin]: commands.templateRepinFile,
  };
  if (chosen !== undefined && command[chosen]) await runCommand(command[chosen], document.uri);
}

async function counterpart(around: TemplateServices, given: unknown) {
  around.session.signedIn();
  const document = await fileFor(given);
  const seen = await compare(around.saves, document.getText());
  if ("stored" in seen) return { document, seen };
  if (seen.kind === "new") throw new AppError("rejected", t("This file was never pushed. Push it first."));
  throw new AppError("gone", t("The template the file came from is not there any more."));
}

/**
 * Replaces the file's content with the service's version and keeps comments. The file isn't saved, so that the change
 * can be reviewed and undone.
 */
export async function pullFile(around: TemplateServices, [given]: readonly unknown[]): Promise<void> {
  const { document, seen } = await counterpart(around, given);
  await put(document, pulled(document.getText(), seen.stored));
  const said =
    seen.fields.length === 0
      ? t("The file says what the service has.")
      : t("Pulled into the file: {0}. Save it to keep that, undo it to get yours back.", seen.fields.join(", "));
  void tellInfo(said);
}

/** Shows the file next to the result of a pull, so that only the template differs. */
export async function diffFile(around: TemplateServices, [given]: readonly unknown[]): Promise<void> {
  const { document, seen } = await counterpart(around, given);
  const name = document.uri.path.split("/").at(-1) ?? "";
  const left = around.documents.put(
    `${t("Service")}/${seen.stored.id ?? seen.stored.hash}/${name}`,
    pulled(document.getText(), seen.stored),
  );
  await runEditorCommand("vscode.diff", left, document.uri, t("{0}: Service ↔ File", name));
}

/** From now on, the file is an edit of the service's version. */
export async function repinFile(around: TemplateServices, [given]: readonly unknown[]): Promise<void> {
  const { document, seen } = await counterpart(around, given);
  await put(document, repinned(document.getText(), seen.stored));
  await document.save();
}

/** Launches the service's version, which must match the file. */
export async function launchFile(around: TemplateServices, [given]: readonly unknown[]): Promise<void> {
  around.session.signedIn();
  const document = await fileFor(given);
  sendable(document.getText());
  const seen = await compare(around.saves, document.getText());
  if ("stored" in seen && seen.fields.length === 0)
    return await runCommand(commands.launchFromTemplate, seen.stored.hash);
  const pushFirst = t("Push…");
  const said = t("A launch uses the template on the service, and that is not what the file says. Push the file first.");
  if ((await tellWarning(said, pushFirst)) === pushFirst) await runCommand(commands.templatePushFile, document.uri);
}
