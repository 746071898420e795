// Texts the editor has open: found by their address, and given another text as a whole.
import * as vscode from "vscode";

export function openDocument(uri: vscode.Uri | undefined): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri?.toString());
}

/** Puts a text in place of the document's; it can be undone. False where the editor did not take it. */
export async function replaceText(document: vscode.TextDocument, text: string): Promise<boolean> {
  const edit = new vscode.WorkspaceEdit();
  edit.replace(document.uri, document.validateRange(new vscode.Range(0, 0, document.lineCount, 0)), text);
  return await vscode.workspace.applyEdit(edit);
}
