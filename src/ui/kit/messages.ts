// Every message that the editor shows for the extension goes through here. The editor parses `[text](command:…)` in
// messages and runs the command, so no text may contain such a link, whoever wrote it.
import * as vscode from "vscode";
import { defuse, defuseIcons, defuseLinks } from "../../lib/markup.ts";
import { t, toPlainText } from "../../lib/text.ts";

/** A notification with buttons. @returns the button that was pressed, undefined if it was dismissed. */
export async function tellInfo(text: string, ...buttons: readonly string[]): Promise<string | undefined> {
  return await vscode.window.showInformationMessage(defuseLinks(text), ...buttons);
}

export async function tellWarning(text: string, ...buttons: readonly string[]): Promise<string | undefined> {
  return await vscode.window.showWarningMessage(defuseLinks(text), ...buttons);
}

export async function tellError(text: string, ...buttons: readonly string[]): Promise<string | undefined> {
  return await vscode.window.showErrorMessage(defuseLinks(text), ...buttons);
}

/** A question that blocks the window. */
interface ModalQuestion {
  readonly message: string;
  readonly detail: string;
  /** What the button that does nothing is called, if not Cancel. The editor presses it for Escape. */
  readonly close?: string | undefined;
}

/** @returns the button that was pressed, undefined for the one that does nothing. */
export async function askModally(
  { message, detail, close }: ModalQuestion,
  ...buttons: readonly string[]
): Promise<string | undefined> {
  const options = { modal: true, detail: defuseLinks(detail) };
  const items: vscode.MessageItem[] = buttons.map((title) => ({ title }));
  if (close !== undefined) items.push({ title: close, isCloseAffordance: true });
  const chosen = await vscode.window.showWarningMessage(defuseLinks(message), options, ...items);
  return chosen?.isCloseAffordance ? undefined : chosen?.title;
}

/** Shows a line in the status bar for `ms` milliseconds. */
export function flashStatus(text: string, ms: number): void {
  vscode.window.setStatusBarMessage(defuseIcons(text), ms);
}

/** Copies the text and says so in the status bar, by default with the text itself. */
export async function copyText(text: string, said: string = t("Copied {0}", toPlainText(text, 60))): Promise<void> {
  await vscode.env.clipboard.writeText(text);
  flashStatus(said, 4000);
}

/** Sets what a status bar item shows. `icon` is the name of a codicon; nothing in `text` is ever drawn as one. */
export function setStatusItem(
  item: vscode.StatusBarItem,
  { icon, text, tooltip }: { readonly icon: string; readonly text: string; readonly tooltip: string },
): void {
  item.text = `$(${icon}) ${defuseIcons(text)}`;
  item.tooltip = defuseLinks(tooltip);
}

/** The line above a list. */
export function setListMessage(view: vscode.TreeView<unknown>, text: string): void {
  view.message = defuseLinks(text);
}

/** The line under an input box, where the editor draws icons as well. An empty text removes it. */
export function setValidation(input: vscode.InputBox, text: string): void {
  input.validationMessage = defuse(text);
}

/** The prompt of an input box. */
export function setPrompt(input: vscode.InputBox, text: string): void {
  input.prompt = defuse(text);
}

/** The error that the editor shows if a tab can't be read or saved. */
export function createUnavailableError(reason: string): vscode.FileSystemError {
  return vscode.FileSystemError.Unavailable(defuseLinks(reason));
}

/** For a tab with a missing file. */
export function createFileNotFoundError(reason: string | vscode.Uri): vscode.FileSystemError {
  return vscode.FileSystemError.FileNotFound(typeof reason === "string" ? defuseLinks(reason) : reason);
}

/** Sets the current stage of a progress notification. */
export type Report = (stage: string) => void;

/** Shows progress in a notification, which can be canceled if `work` accepts the signal. */
export async function withNotification<T>(
  title: string,
  cancellable: boolean,
  work: (report: Report, cancelled: AbortSignal) => Promise<T>,
): Promise<T> {
  const location = vscode.ProgressLocation.Notification;
  return await vscode.window.withProgress(
    { location, title: defuseLinks(title), cancellable },
    async (progress, token) => {
      const abort = new AbortController();
      if (token.isCancellationRequested) abort.abort();
      const listening = token.onCancellationRequested(() => abort.abort());
      try {
        return await work((stage) => progress.report({ message: defuseLinks(stage) }), abort.signal);
      } finally {
        listening.dispose();
      }
    },
  );
}

export async function withStatusProgress<T>(title: string, work: () => Promise<T>): Promise<T> {
  const location = vscode.ProgressLocation.Window;
  return await vscode.window.withProgress({ location, title: defuseIcons(title) }, work);
}

/** Shows a progress bar above a view. */
export async function withViewProgress<T>(viewId: string, work: () => Promise<T>): Promise<T> {
  return await vscode.window.withProgress({ location: { viewId } }, work);
}
