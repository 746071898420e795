// Monitors start scripts in their tabs: how many of 4,048 characters are used, what can't be sent, and how to fix it.
import * as vscode from "vscode";
import { AppError, asAppError } from "../../../domain/base/error.ts";
import { type ReadyScript, readScript } from "../../../domain/template/packed-script.ts";
import { MOST_ONSTART } from "../../../domain/template/template-draft.ts";
import { commands, fileSystem } from "../../../ids.ts";
import { Bag } from "../../../lib/disposable.ts";
import { formatNumber, t } from "../../../lib/text.ts";
import { setStatusItem } from "../../kit/messages.ts";
import { readAddress } from "./template-address.ts";
import type { TemplateFiles } from "./template-files.ts";

const isScript = ({ uri }: vscode.TextDocument): boolean =>
  uri.scheme === fileSystem && readAddress(uri)?.field === "onstart";

export function createScriptMeter(files: TemplateFiles): Bag {
  const bag = new Bag();
  const item = bag.add(vscode.window.createStatusBarItem("cloudGpu.onstart", vscode.StatusBarAlignment.Right, 101));
  item.name = t("Cloud GPU: length of the start script");
  const problems = bag.add(vscode.languages.createDiagnosticCollection("cloudGpu.onstart"));
  const look = async (document: vscode.TextDocument | undefined) => {
    const active = vscode.window.activeTextEditor?.document;
    if (!active || !isScript(active)) item.hide();
    if (!document || !isScript(document)) return;
    const { version } = document;
    const said = await files.describeFile(document.uri).catch(() => undefined);
    if (!said) return;
    const script = await readScript(document.getText(), said.mayPack).catch(unpackable);
    // Later changes are checked separately.
    if (document.isClosed || document.version !== version) return;
    problems.set(document.uri, diagnostics(document, script));
    if (document === vscode.window.activeTextEditor?.document) draw(item, said.name, script);
  };
  const lookAgain = () => void look(vscode.window.activeTextEditor?.document);
  bag.add(vscode.window.onDidChangeActiveTextEditor(lookAgain));
  bag.add(vscode.workspace.onDidChangeTextDocument(({ document }) => void look(document)));
  bag.add(vscode.workspace.onDidOpenTextDocument((document) => void look(document)));
  bag.add(vscode.workspace.onDidSaveTextDocument((document) => void look(document)));
  bag.add(vscode.workspace.onDidCloseTextDocument(({ uri }) => problems.delete(uri)));
  bag.add(files.onDidAllowPacking(lookAgain));
  bag.add(
    vscode.languages.registerCodeActionsProvider(
      { scheme: fileSystem, pattern: "**/*onstart.sh" },
      { provideCodeActions: (document, _range, { diagnostics: at }) => fixes(document, at) },
      { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] },
    ),
  );
  lookAgain();
  return bag;
}

/** A long script for another interpreter can't be packed. The error says so. */
function unpackable(thrown: unknown): ReadyScript {
  const message = asAppError(thrown instanceof AppError ? thrown : new AppError("defect", String(thrown))).message;
  const problem = { kind: "too-long-packed", at: MOST_ONSTART, message } as const;
  return { stored: undefined, length: MOST_ONSTART + 1, packed: false, problem };
}

function draw(item: vscode.StatusBarItem, name: string, { length, packed, problem }: ReadyScript): void {
  const most = formatNumber(MOST_ONSTART);
  const said = packed
    ? t("The start script of “{0}” takes {1} of {2} characters, compressed.", name, formatNumber(length), most)
    : t("The start script of “{0}” has {1} of {2} characters.", name, formatNumber(length), most);
  const mayCompress = problem?.kind === "too-long";
  const tooltip = mayCompress ? `${said} ${t("Click to compress the script.")}` : said;
  setStatusItem(item, { icon: packed ? "file-zip" : "note", text: `${formatNumber(length)} / ${most}`, tooltip });
  // A "status" would be read aloud at every letter.
  item.accessibilityInformation = { label: tooltip, role: mayCompress ? "button" : "note" };
  item.command = mayCompress ? commands.templateCompressStartScript : undefined;
  item.backgroundColor = problem ? new vscode.ThemeColor("statusBarItem.errorBackground") : undefined;
  item.show();
}

function diagnostics(document: vscode.TextDocument, { problem }: ReadyScript): vscode.Diagnostic[] {
  if (!problem) return [];
  // The script is stored with one-character line endings, so they count as one.
  const at =
    document.eol === vscode.EndOfLine.CRLF && problem.kind !== "unsendable"
      ? withReturns(document, problem.at)
      : problem.at;
  const start = document.positionAt(at);
  const end =
    problem.kind === "unsendable" ? document.positionAt(at + 1) : document.positionAt(Number.MAX_SAFE_INTEGER);
  const diagnostic = new vscode.Diagnostic(new vscode.Range(start, end), problem.message);
  diagnostic.source = "Cloud GPU";
  diagnostic.code = problem.kind;
  return [diagnostic];
}

/** Converts the offset `at`, counted with one-character line endings, to an offset in a text with `\r\n`. */
function withReturns(document: vscode.TextDocument, at: number): number {
  const lines = document.getText().replace(/\r\n?/g, "\n").slice(0, at).split("\n").length - 1;
  return at + lines;
}

function fixes(document: vscode.TextDocument, at: readonly vscode.Diagnostic[]): vscode.CodeAction[] {
  const long = at.filter(({ source, code }) => source === "Cloud GPU" && code === "too-long");
  if (long.length === 0) return [];
  const fix = new vscode.CodeAction(
    t("Compress (gzip and base64, unpacked at startup)"),
    vscode.CodeActionKind.QuickFix,
  );
  fix.command = { command: commands.templateCompressStartScript, title: t("Compress"), arguments: [document.uri] };
  fix.diagnostics = [...long];
  fix.isPreferred = true;
  return [fix];
}
