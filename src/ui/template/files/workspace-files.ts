// Template files in the workspace: shows their actions above the text and their problems where they occur.
import * as vscode from "vscode";
import type { TemplateId } from "../../../domain/base/id.ts";
import { FILE_SUFFIX, readTemplateFile } from "../../../domain/template/template-file.ts";
import type { FileProblem } from "../../../domain/template/template-file-problem.ts";
import type { Severity } from "../../../domain/template/template-lint.ts";
import { commands } from "../../../ids.ts";
import { Bag } from "../../../lib/disposable.ts";
import { t } from "../../../lib/text.ts";
import type { SessionService } from "../../../services/core/session.ts";
import { findDrift } from "../../../services/template/template-file-sync.ts";
import type { TemplatesService } from "../../../services/template/templates.ts";

const SELECTOR: vscode.DocumentSelector = { pattern: `**/*${FILE_SUFFIX}` };
const DRIFT = "drift";
/** The editor's JSON support already shows a file's first problems. More would only be noise. */
const MOST_PROBLEMS = 100;

const LEVELS: Readonly<Record<Severity, vscode.DiagnosticSeverity>> = {
  error: vscode.DiagnosticSeverity.Error,
  warning: vscode.DiagnosticSeverity.Warning,
  note: vscode.DiagnosticSeverity.Information,
};

/** A writable file, not one that is only displayed, such as the other side of a diff. */
export const isTemplateFile = (uri: vscode.Uri): boolean =>
  uri.path.endsWith(FILE_SUFFIX) && vscode.workspace.fs.isWritableFileSystem(uri.scheme) === true;

export function watchTemplateFiles(session: SessionService, templates: TemplatesService): Bag {
  const bag = new Bag();
  const changed = bag.add(new vscode.EventEmitter<void>());
  const problems = bag.add(vscode.languages.createDiagnosticCollection("cloudGpu.file"));
  const look = (document: vscode.TextDocument) => {
    if (isTemplateFile(document.uri)) problems.set(document.uri, diagnostics(document, templates));
  };
  const lookAtAll = () => {
    for (const document of vscode.workspace.textDocuments) look(document);
    changed.fire();
  };
  bag.add(vscode.workspace.onDidOpenTextDocument(look));
  bag.add(vscode.workspace.onDidChangeTextDocument(({ document }) => look(document)));
  bag.add(vscode.workspace.onDidCloseTextDocument(({ uri }) => problems.delete(uri)));
  bag.add(templates.collection.store.onDidChange(lookAtAll));
  // The lists are read only while they are visible, and contain few templates of other people.
  const askForThoseInSight = async () => {
    if (await templates.look(idsInSight())) lookAtAll();
  };
  bag.add(
    session.onDidChange(() => {
      lookAtAll();
      void askForThoseInSight();
    }),
  );
  bag.add(vscode.window.onDidChangeVisibleTextEditors(askForThoseInSight));
  bag.add(vscode.window.onDidChangeWindowState(({ focused }) => focused && askForThoseInSight()));
  bag.add(
    vscode.languages.registerCodeLensProvider(SELECTOR, {
      onDidChangeCodeLenses: changed.event,
      provideCodeLenses: (document) => (isTemplateFile(document.uri) ? lenses(document, templates) : []),
    }),
  );
  bag.add(
    vscode.languages.registerCodeActionsProvider(
      SELECTOR,
      { provideCodeActions: (document, _range, { diagnostics: at }) => fixes(document, at) },
      { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] },
    ),
  );
  lookAtAll();
  void askForThoseInSight();
  return bag;
}

function idsInSight(): TemplateId[] {
  const files = vscode.window.visibleTextEditors
    .map(({ document }) => document)
    .filter(({ uri }) => isTemplateFile(uri));
  return files.flatMap((document) => readTemplateFile(document.getText()).sync?.id ?? []);
}

function lenses(document: vscode.TextDocument, templates: TemplatesService): vscode.CodeLens[] {
  const file = readTemplateFile(document.getText());
  const drift = findDrift(templates, file);
  const repin = drift?.in === "lock" ? t("Same as on the Service: Re-pin") : t("Changed on the Service: Re-pin");
  const top = new vscode.Range(0, 0, 0, 0);
  const lens = (title: string, command: string) =>
    new vscode.CodeLens(top, { title, command, arguments: [document.uri] });
  return [
    lens(`$(rocket) ${t("Launch")}`, commands.templateLaunchFile),
    lens(`$(cloud-upload) ${t("Push")}`, commands.templatePushFile),
    ...(file.sync
      ? [
          lens(`$(cloud-download) ${t("Pull")}`, commands.templatePullFile),
          lens(`$(diff) ${t("Diff")}`, commands.templateDiffFile),
        ]
      : []),
    ...(drift ? [lens(`$(${drift.in === "lock" ? "lock" : "warning"}) ${repin}`, commands.templateRepinFile)] : []),
  ];
}

function diagnostics(document: vscode.TextDocument, templates: TemplatesService): vscode.Diagnostic[] {
  const file = readTemplateFile(document.getText());
  const { problems, syncAt } = file;
  const found = problems.filter(({ by }) => by === "own").slice(0, MOST_PROBLEMS);
  const shown = found.map((problem) => diagnostic(document, problem));
  const drift = findDrift(templates, file);
  if (drift?.in === "content" && syncAt) {
    const message = t(
      "The template on the service has changed since the last push or pull. Its hash is now {0}. Check Diff, then pull, or re-pin to overwrite it with the next push.",
      drift.now.hash.slice(0, 8),
    );
    shown.push(diagnostic(document, { severity: "warning", message, ...syncAt, by: "own" }, DRIFT));
  }
  return shown;
}

function diagnostic(document: vscode.TextDocument, problem: FileProblem, code?: string): vscode.Diagnostic {
  const { offset, length, message, severity } = problem;
  const range = new vscode.Range(document.positionAt(offset), document.positionAt(offset + length));
  const shown = new vscode.Diagnostic(range, message, LEVELS[severity]);
  shown.source = "Cloud GPU";
  if (code !== undefined) shown.code = code;
  return shown;
}

function fixes(document: vscode.TextDocument, at: readonly vscode.Diagnostic[]): vscode.CodeAction[] {
  const drift = at.filter(({ source, code }) => source === "Cloud GPU" && code === DRIFT);
  if (drift.length === 0) return [];
  const fix = (title: string, command: string) => {
    const action = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
    action.command = { command, title, arguments: [document.uri] };
    action.diagnostics = [...drift];
    return action;
  };
  return [
    fix(t("Pull the Service's Version"), commands.templatePullFile),
    fix(t("Re-pin to the Service's Version"), commands.templateRepinFile),
    fix(t("Show Differences"), commands.templateDiffFile),
  ];
}
