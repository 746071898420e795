// The page of a notebook server: plain text, without scripts, addresses or anything to load.
import { toPlainText } from "../../lib/text.ts";
import type { Model } from "./contents.ts";

/** Nothing but the style of the page itself. */
export const PAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'";

const SIGNS: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

function escapeHtml(text: string): string {
  return toPlainText(text, 255).replace(/[&<>"]/g, (sign) => SIGNS[sign] ?? "");
}

function listNames({ content }: Model): string {
  if (!content || content.length === 0) return "<p>This folder is empty.</p>";
  const rows = content.map(({ name, type }) => `<li>${escapeHtml(name)}${type === "directory" ? "/" : ""}</li>`);
  return `<ul>\n${rows.join("\n")}\n</ul>`;
}

export function drawPage(instanceId: number, folder: Model): string {
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Instance ${instanceId}</title>
<style>body { font: 1rem/1.5 system-ui, sans-serif; margin: 2rem; color-scheme: light dark; }</style>
</head>
<body>
<h1>Instance ${instanceId}</h1>
<p>This is the notebook server of a machine in the sandbox. It lists the machine’s files and runs no kernels.</p>
<h2>${folder.path === "" ? "Files" : escapeHtml(folder.path)}</h2>
${listNames(folder)}
</body>
</html>
`;
}
