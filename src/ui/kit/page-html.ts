// The document a page starts from: nothing may be loaded but our own script and style sheet.
import { randomBytes } from "node:crypto";
import * as vscode from "vscode";

/** Where the pages' bundles lie; nothing else of the disk can be read by a page. */
export function pageFolder(extension: vscode.Uri): vscode.Uri {
  return vscode.Uri.joinPath(extension, "dist", "webview");
}

/** `name` is that of the bundle. */
export function pageHtml(webview: vscode.Webview, extension: vscode.Uri, name: string): string {
  const nonce = randomBytes(16).toString("base64url");
  const file = (suffix: string) =>
    webview.asWebviewUri(vscode.Uri.joinPath(pageFolder(extension), `${name}.${suffix}`));
  // Pictures in data addresses come with the component library's own style sheets; none can be fetched.
  const policy = `default-src 'none'; img-src data:; style-src ${webview.cspSource}; script-src 'nonce-${nonce}'`;
  return `<!DOCTYPE html>
<html lang="${vscode.env.language.replace(/[^\w-]/g, "")}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${file("css")}">
<title>Cloud GPU</title>
</head>
<body>
<div id="root"></div>
<script nonce="${nonce}" src="${file("js")}"></script>
</body>
</html>`;
}

/** A page that says one sentence of ours and runs nothing. */
export function sentenceHtml(sentence: string): string {
  const text = sentence.replace(/[&<]/g, (sign) => (sign === "&" ? "&amp;" : "&lt;"));
  return `<!DOCTYPE html><meta http-equiv="Content-Security-Policy" content="default-src 'none'"><p role="status">${text}</p>`;
}
