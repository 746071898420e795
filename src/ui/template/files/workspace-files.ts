// Template files in the workspace: shows their actions above the text and their problems where they occur.
import * as vscode from "vscode";
import type { TemplateId } from "../../../domain/base/id.ts";
import { FILE_SUFFIX, readTemplateFile, type Sync } from "../../../domain/template/template-file.ts";
import { readAskedGpus } from "../../../domain/template/template-file-lint.ts";
import type { FileProblem } from "../../../domain/template/template-file-problem.ts";
import type { Severity } from "../../../domain/template/template-lint.ts";
import { commands } from "../../../ids.ts";
import { Bag } from "../../../lib/disposable.ts";
import { t, toPlainText } from "../../../lib/text.ts";
import { formatAccountName } from "../../../services/core/profiles.ts";
import type { SessionService } from "../../../services/core/session.ts";
import type { OffersService } from "../../../services/offer/offers.ts";
import { findDrift, isOfOtherAccount } from "../../../services/template/template-file-sync.ts";
import type { TemplatesService } from "../../../services/template/templates.ts";

const SELECTOR: vscode.DocumentSelector = { pattern: `**/*${FILE_SUFFIX}` };
const DRIFT = "drift";
const OTHER_ACCOUNT = "other-account";
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

interface Services {
  readonly session: SessionService;
  readonly templates: TemplatesService;
  readonly offers: OffersService;
}

export function watchTemplateFiles(services: Services): Bag {
  const { session, templates } = services;
  const bag = new Bag();
  const changed = bag.add(new vscode.EventEmitter<void>());
  const problems = bag.add(vscode.languages.createDiagnosticCollection("cloudGpu.file"));
  const look = (document: vscode.TextDocument) => {
    if (isTemplateFile(document.uri)) problems.set(document.uri, diagnostics(document, services));
  };
  const lookAtAll = () => {
    for (const document of vscode.workspace.textDocuments) look(document);
    changed.fire();
  };
  bag.add(vscode.workspace.onDidOpenTextDocument(look));
  bag.add(
    vscode.workspace.onDidChangeTextDocument(async ({ document }) => {
      look(document);
      const mayAsk = services.offers.gpuNames === undefined && isTemplateFile(document.uri);
      if (mayAsk && (await askForGpus(services))) lookAtAll();
    }),
  );
  bag.add(vscode.workspace.onDidCloseTextDocument(({ uri }) => problems.delete(uri)));
  bag.add(templates.collection.store.onDidChange(lookAtAll));
  bag.add(session.profiles.onDidChange(lookAtAll));
  // The lists are read only while they are visible, and contain few templates of other people.
  const askForThoseInSight = async () => {
    void askForGpus(services).then((isRead) => isRead && lookAtAll());
    if (await templates.look(listIdsInSight(session))) lookAtAll();
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
      provideCodeLenses: (document) => (isTemplateFile(document.uri) ? lenses(document, session, templates) : []),
    }),
  );
  bag.add(
    vscode.languages.registerCodeActionsProvider(
      SELECTOR,
      { provideCodeActions: (document, _range, { diagnostics: at }) => fixes(document, services.offers, at) },
      { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] },
    ),
  );
  lookAtAll();
  void askForThoseInSight();
  return bag;
}

const listInSight = (): vscode.TextDocument[] =>
  vscode.window.visibleTextEditors.map(({ document }) => document).filter(({ uri }) => isTemplateFile(uri));

function listIdsInSight(session: SessionService): TemplateId[] {
  return listInSight().flatMap((document) => {
    const { sync } = readTemplateFile(document.getText());
    return sync?.id === undefined || isOfOther(session, sync) ? [] : [sync.id];
  });
}

/** Reads which GPUs there are if a file in sight names one. @returns whether anything was read. */
async function askForGpus({ session, offers }: Services): Promise<boolean> {
  if (session.current.kind === "signed-out") return false;
  if (!listInSight().some((document) => readAskedGpus(document.getText()).length > 0)) return false;
  const before = offers.gpuNames;
  await offers.readGpuNames();
  return offers.gpuNames !== before;
}

function isOfOther({ current }: SessionService, sync: Sync | undefined): boolean {
  return sync !== undefined && current.kind === "signed-in" && isOfOtherAccount(sync, current);
}

function lenses(
  document: vscode.TextDocument,
  session: SessionService,
  templates: TemplatesService,
): vscode.CodeLens[] {
  const file = readTemplateFile(document.getText());
  const top = new vscode.Range(0, 0, 0, 0);
  const lens = (title: string, command: string) =>
    new vscode.CodeLens(top, { title, command, arguments: [document.uri] });
  const launch = lens(`$(rocket) ${t("Launch")}`, commands.templateLaunchFile);
  if (isOfOther(session, file.sync))
    return [
      launch,
      // The account to switch to isn't always one that is known here, so it is asked for.
      new vscode.CodeLens(top, {
        title: `$(warning) ${t("Belongs to Another Account: Switch Account…")}`,
        command: commands.switchAccount,
      }),
      lens(`$(cloud-upload) ${t("Create Here…")}`, commands.templatePushFile),
    ];
  const drift = findDrift(templates, session.current, file);
  const repin = drift?.in === "lock" ? t("Same as on the Service: Re-pin") : t("Changed on the Service: Re-pin");
  return [
    launch,
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

function diagnostics(document: vscode.TextDocument, { session, templates, offers }: Services): vscode.Diagnostic[] {
  const file = readTemplateFile(document.getText(), offers.gpuNames);
  const { problems, sync, syncAt } = file;
  const found = problems.filter(({ by }) => by === "own").slice(0, MOST_PROBLEMS);
  const shown = found.map((problem) => diagnostic(document, problem));
  const warn = (message: string, code: string) =>
    syncAt && shown.push(diagnostic(document, { severity: "warning", message, ...syncAt, by: "own" }, code));
  const drift = findDrift(templates, session.current, file);
  if (drift?.in === "content")
    warn(
      t(
        "The template on the service has changed since the last push or pull. Its hash is now {0}. Check Diff, then pull, or re-pin to overwrite it with the next push.",
        drift.now.hash.slice(0, 8),
      ),
      DRIFT,
    );
  if (isOfOther(session, sync)) warn(describeOther(session, sync), OTHER_ACCOUNT);
  return shown;
}

function describeOther({ profiles }: SessionService, { base = "", user }: Partial<Sync> = {}): string {
  const profile = profiles.list().find((one) => one.base === base && one.user === user);
  const name = profile ? formatAccountName(profile) : base.replace(/^https?:\/\//, "");
  return t(
    "This file's template belongs to another account ({0}). Push, Pull, and Diff leave it alone. Switch to that account, or create the template in this one.",
    toPlainText(name, 80),
  );
}

function diagnostic(document: vscode.TextDocument, problem: FileProblem, code?: string): vscode.Diagnostic {
  const { offset, length, message, severity } = problem;
  const range = new vscode.Range(document.positionAt(offset), document.positionAt(offset + length));
  const shown = new vscode.Diagnostic(range, message, LEVELS[severity]);
  shown.source = "Cloud GPU";
  if (code !== undefined) shown.code = code;
  return shown;
}

function fixes(
  document: vscode.TextDocument,
  offers: OffersService,
  at: readonly vscode.Diagnostic[],
): vscode.CodeAction[] {
  const own = at.filter(({ source }) => source === "Cloud GPU");
  const of = (code: string) => own.filter((one) => one.code === code);
  const run = (solved: readonly vscode.Diagnostic[], title: string, command: string): vscode.CodeAction[] => {
    if (solved.length === 0) return [];
    const action = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
    action.command = { command, title, arguments: command === commands.switchAccount ? [] : [document.uri] };
    action.diagnostics = [...solved];
    return [action];
  };
  return [
    ...own.flatMap((one) => fixText(document, offers, one)),
    ...run(of(DRIFT), t("Pull the Service's Version"), commands.templatePullFile),
    ...run(of(DRIFT), t("Re-pin to the Service's Version"), commands.templateRepinFile),
    ...run(of(DRIFT), t("Show Differences"), commands.templateDiffFile),
    ...run(of(OTHER_ACCOUNT), t("Switch Account…"), commands.switchAccount),
    ...run(of(OTHER_ACCOUNT), t("Create Here…"), commands.templatePushFile),
  ];
}

/** The other text that a problem proposes, by the text as it is now. */
function fixText(document: vscode.TextDocument, offers: OffersService, shown: vscode.Diagnostic): vscode.CodeAction[] {
  const problem = readTemplateFile(document.getText(), offers.gpuNames).problems.find(
    ({ fix, message, offset }) =>
      fix && message === shown.message && document.positionAt(offset).isEqual(shown.range.start),
  );
  if (!problem?.fix) return [];
  const { label, offset, length, text } = problem.fix;
  const action = new vscode.CodeAction(label, vscode.CodeActionKind.QuickFix);
  const range = new vscode.Range(document.positionAt(offset), document.positionAt(offset + length));
  action.edit = new vscode.WorkspaceEdit();
  action.edit.replace(document.uri, range, text);
  action.diagnostics = [shown];
  action.isPreferred = true;
  return [action];
}
