// Texts open in the editor: finds them by address and replaces their whole text.
import * as vscode from "vscode";

export function openDocument(uri: vscode.Uri | undefined): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri?.toString());
}

/** Replaces the document's text; this can be undone. False if the editor didn't apply it. */
export async function replaceText(document: vscode.TextDocument, text: string): Promise<boolean> {
  const edit = new vscode.WorkspaceEdit();
  edit.replace(document.uri, document.validateRange(new vscode.Range(0, 0, document.lineCount, 0)), text);
  return await vscode.workspace.applyEdit(edit);
}
