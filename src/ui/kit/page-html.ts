// The HTML of a page. Only our own script and style sheet may be loaded.
import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import type { PageName } from "../../protocol/messages.ts";

/** The folder of the pages' bundles. A page can read nothing else on the disk. */
export function getPageFolder(extension: vscode.Uri): vscode.Uri {
  return vscode.Uri.joinPath(extension, "dist", "webview");
}

/** @param page which of the pages in the bundle it is. */
export function renderPageHtml(webview: vscode.Webview, extension: vscode.Uri, page: PageName): string {
  const nonce = randomBytes(16).toString("base64url");
  const file = (suffix: string) =>
    webview.asWebviewUri(vscode.Uri.joinPath(getPageFolder(extension), `pages.${suffix}`));
  // The component library's style sheets contain images as data URLs. No other image can be loaded.
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
<div id="root" data-page="${page}"></div>
<script nonce="${nonce}" type="module" src="${file("js")}"></script>
</body>
</html>`;
}

/** A page that shows one sentence of ours and runs nothing. */
export function renderSentence(sentence: string): string {
  const text = sentence.replace(/[&<]/g, (sign) => (sign === "&" ? "&amp;" : "&lt;"));
  return `<!DOCTYPE html><meta http-equiv="Content-Security-Policy" content="default-src 'none'"><p role="status">${text}</p>`;
}
