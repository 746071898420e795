// Every surface of the editor that reads text as markup has one place that makes it harmless, and no other place writes to it.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { describe, test } from "node:test";
import { type Token, tokens } from "./tokens.ts";

const SRC = resolve(import.meta.dirname, "../../../src");

/** What shows text, however it is reached: called, bound, taken out of `vscode.window` or named as a text. */
const SHOWS = new Set([
  "showInformationMessage",
  "showWarningMessage",
  "showErrorMessage",
  "withProgress",
  "setStatusBarMessage",
  "showInputBox",
  "showQuickPick",
  "createInputBox",
  "createQuickPick",
  "createLanguageStatusItem",
  "MarkdownString",
  "markdown",
]);
/** What shows text once it is set. */
const SET = new Set(["validationMessage", "prompt", "tooltip", "message"]);
const ASSIGNS = new Set(["=", "??=", "||=", "&&=", "+="]);

/** Exceptions, each with its reason. */
const MAY: Readonly<Record<string, readonly string[]>> = {
  // The one place.
  "ui/kit/messages.ts": [...SHOWS, ...SET, "report", "FileSystemError"],
  // Makes lists and boxes, and hands their texts to `defuseItem` and to messages.ts.
  "ui/kit/ask/find.ts": ["createQuickPick"],
  "ui/kit/ask/pick.ts": ["createQuickPick"],
  "ui/kit/ask/tick-list.ts": ["createQuickPick"],
  "ui/kit/ask/steps.ts": ["createInputBox"],
  // Escapes every character Markdown knows; see rows.host.ts.
  "ui/list/rows.ts": ["MarkdownString", "markdown", "tooltip"],
};

interface Finding {
  readonly what: string;
  readonly line: number;
}

/** Every use of a surface in a source text. */
function surfaces(source: string): Finding[] {
  const all = tokens(source);
  const text = (at: number) => all[at]?.text ?? "";
  return all.flatMap((token, at): Finding[] => {
    const found = (what: string) => [{ what, line: token.line }];
    if (token.kind !== "name" && token.kind !== "text") return [];
    if (SHOWS.has(token.text) && isNamed(all, at)) return found(token.text);
    const isMember = [".", "?."].includes(text(at - 1)) || text(at + 1) === "]";
    const next = text(at + 1) === "]" ? text(at + 2) : text(at + 1);
    if (SET.has(token.text) && isMember && ASSIGNS.has(next)) return found(token.text);
    if (SET.has(token.text) && token.kind === "text" && sets(all, at)) return found(token.text);
    if (token.text === "report" && isMember) return found("report");
    if (token.text === "FileSystemError" && !isAboutUri(all, at)) return found("FileSystemError");
    return [];
  });
}

/** A word of ours may be spelled the same: the editor's is a member, is taken out of an object, or is made with `new`. */
function isNamed(all: readonly Token[], at: number): boolean {
  if (all[at]?.text !== "markdown") return true;
  return all[at]?.kind === "name" && all[at + 1]?.text === "(";
}

/** `Reflect.set(item, "tooltip", …)` and its like. */
function sets(all: readonly Token[], at: number): boolean {
  const before = all.slice(Math.max(0, at - 12), at).map(({ text }) => text);
  return ["set", "defineProperty"].some((word) => before.includes(word)) && all[at - 1]?.text === ",";
}

/** An error made of an address alone shows the address, percent-encoded. `instanceof` and types make none. */
function isAboutUri(all: readonly Token[], at: number): boolean {
  const after = all.slice(at + 1, at + 6).map(({ text }) => text);
  if (after[0] === ".") return after.slice(2).join(" ") === "( uri )";
  return after[0] !== "(";
}

function sources(): string[] {
  return readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter(
    // imports.test.ts sees to it that the others don't know the editor.
    (name) => name.endsWith(".ts") && /^(ui[\\/]|extension)/.test(name),
  );
}

function unguarded(file: string, source: string): string[] {
  const allowed = new Set(MAY[file]);
  return surfaces(source)
    .filter(({ what }) => !allowed.has(what))
    .map(({ what, line }) => `${file}:${line} ${what}`);
}

describe("the guard", () => {
  const BAD: readonly (readonly [string, string])[] = [
    ["showErrorMessage", "void vscode.window.showErrorMessage(error.message);"],
    ["showInformationMessage", "const { showInformationMessage: tell } = vscode.window;"],
    ["showWarningMessage", 'vscode.window["showWarningMessage"](text);'],
    ["showQuickPick", `\`a \${vscode.window.showQuickPick(names)} b\`;`],
    ["withProgress", "const run = vscode.window.withProgress.bind(vscode.window);"],
    ["MarkdownString", "item.detail = new vscode.MarkdownString(row.readme);"],
    ["validationMessage", "input.validationMessage = error.message;"],
    ["validationMessage", 'input["validationMessage"] = error.message;'],
    ["tooltip", "item.tooltip ??= name;"],
    ["message", 'Reflect.set(view, "message", text);'],
    ["report", "progress.report({ message: status });"],
    ["report", "const say = progress?.report;"],
    ["FileSystemError", "throw vscode.FileSystemError.Unavailable(error.message);"],
    ["FileSystemError", "throw new vscode.FileSystemError(error.message);"],
    ["createLanguageStatusItem", "const shape = /a`/; vscode.languages.createLanguageStatusItem(id, all);"],
  ];
  for (const [what, source] of BAD)
    test(`finds ${source}`, () => assert.deepEqual(surfaces(source), [{ what, line: 1 }]));

  const GOOD: readonly string[] = [
    "// vscode.window.showErrorMessage(text)",
    "/* input.prompt = text */ const half = total / 2; const other = total / 4;",
    "throw vscode.FileSystemError.NoPermissions(uri);",
    "if (thrown instanceof vscode.FileSystemError) throw thrown;",
    "if (error.message === text || error.message.length > 5) return error.message;",
    "const { message, tooltip } = view; tellInfo({ message, prompt: t(message) });",
    "const report: Report = (stage) => say(stage); report(stage);",
  ];
  for (const source of GOOD) test(`lets pass ${source}`, () => assert.deepEqual(surfaces(source), []));

  test("reads the source as it is", () => {
    const names = sources().flatMap((file) => tokens(readFileSync(join(SRC, file), "utf8")));
    assert.ok(names.length > 30_000, `${names.length} tokens`);
    // A text that swallowed code would hold line breaks; only templates may.
    assert.ok(surfaces(readFileSync(join(SRC, "ui/kit/messages.ts"), "utf8")).length > 12);
  });
});

test("nobody but ui/kit/messages.ts shows text", () => {
  const found = sources().flatMap((file) =>
    unguarded(relative(SRC, join(SRC, file)), readFileSync(join(SRC, file), "utf8")),
  );
  assert.deepEqual(found, []);
});
