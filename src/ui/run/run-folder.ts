// Which folder of the workspace a run is about.
import { relative } from "node:path";
import * as vscode from "vscode";
import { AppError } from "../../domain/base/error.ts";
import type { RunRecord } from "../../domain/run/run-record.ts";
import { t } from "../../lib/text.ts";

/** A task may have uploaded a folder below the workspace's. */
export const isOfThisWindow = ({ plan }: Pick<RunRecord, "plan">): boolean =>
  vscode.workspace.getWorkspaceFolder(vscode.Uri.file(plan.folder)) !== undefined;

interface RunFile {
  /** The folder of the workspace, on this computer. */
  readonly folder: string;
  /** The file's path in it, with slashes. */
  readonly path: string;
}

/** @throws AppError `rejected` where nothing may be run from. */
export function assertTrusted(): void {
  if (!vscode.workspace.isTrusted)
    throw new AppError("rejected", t("Files in an untrusted workspace can't run. Trust the workspace first."));
}

/** The given file, or the one in front. */
export const findRunUri = (given: unknown): vscode.Uri | undefined =>
  given instanceof vscode.Uri ? given : vscode.window.activeTextEditor?.document.uri;

/** The given file, or the one in front, saved. @throws AppError `rejected` if it can't be run from here. */
export async function findRunFile(given: unknown): Promise<RunFile> {
  const uri = findRunUri(given);
  if (!uri) throw new AppError("rejected", t("Open the file to run, or choose it in the Explorer."));
  if (uri.scheme !== "file") throw new AppError("rejected", t("Only files on this computer can be run."));
  const folder = vscode.workspace.getWorkspaceFolder(uri);
  if (!folder) throw new AppError("rejected", t("This file isn't in an open folder. Open its project folder."));
  await vscode.workspace.saveAll(false);
  return { folder: folder.uri.fsPath, path: relative(folder.uri.fsPath, uri.fsPath).replaceAll("\\", "/") };
}
