// Every surface of the editor that reads text as markup has one place that makes it harmless, and no other place writes to it.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { describe, test } from "node:test";
import fc from "fast-check";
import { defuse, defuseIcons, defuseLinks, harmless } from "../../src/lib/markup.ts";
import { label } from "../../src/lib/text.ts";
import { type Token, tokens } from "./tokens.ts";

const SRC = resolve(import.meta.dirname, "../../src");

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
  // Makes lists and boxes, and hands their texts to `harmless` and to messages.ts.
  "ui/kit/steps.ts": ["createQuickPick", "createInputBox"],
  // Escapes every character Markdown knows; see rows.host.ts.
  "ui/kit/rows.ts": ["MarkdownString", "markdown", "tooltip"],
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
    // imports.test.ts sees to it that the others do not know the editor.
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

/** The editor's own: `parseLinkedText`. */
const LINK = /\[([^\]]+)\]\(((?:https?:\/\/|command:|file:)[^)\s]+)(?: (["'])(.+?)(\3))?\)/gi;
/** The editor's own: `renderLabelWithIcons`. */
const ICON = /(\\)?\$\((?:[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*(?:~[A-Za-z]+)?)\)/g;
/** As the editor reads a notification: cut, and on one line. */
const asNotification = (text: string) =>
  text
    .slice(0, 1000)
    .replace(/(\r\n|\n|\r)/g, " ")
    .trim();
const links = (text: string) => text.match(LINK) ?? [];
const icons = (text: string) => (text.match(ICON) ?? []).filter((icon) => !icon.startsWith("\\"));

/** Pieces that make links and icons, in any order, and anything between them. */
const markup = fc
  .array(
    fc.oneof(
      fc.constantFrom("[", "]", "(", ")", "](", "[x](command:a)", "[x](file:///etc/passwd)", "[x](https://a.b 't')"),
      fc.constantFrom("$", "$(", "$(trash)", "$(sync~spin)", "\\", " ", "\n", "\r\n", "\u200a", "\ud800", "command:a"),
      fc.string({ unit: "binary", maxLength: 4 }),
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(""));

describe("no text is read as markup", () => {
  test("the parsers find what they must", () => {
    assert.equal(links("a [x](command:a) b [y](file:///b) [z](http://c)").length, 3);
    assert.equal(icons("$(trash) $(sync~spin) \\$(no)").length, 2);
  });

  test("no link", () =>
    fc.assert(
      fc.property(markup, (text) => {
        for (const shown of [defuseLinks(text), defuse(text)])
          assert.deepEqual([...links(shown), ...links(asNotification(shown))], []);
      }),
      { numRuns: 20_000 },
    ));

  test("no link across title and message of a progress", () =>
    fc.assert(
      fc.property(markup, markup, (title, message) => {
        const [one, other] = [defuseLinks(title), defuseLinks(message)];
        assert.deepEqual([...links(`${one}: ${other}`), ...links(asNotification(`${one}: ${other}`))], []);
      }),
      { numRuns: 20_000 },
    ));

  test("no icon", () =>
    fc.assert(
      fc.property(markup, (text) => {
        for (const shown of [defuseIcons(text), defuse(text), label(text)]) assert.deepEqual(icons(shown), []);
      }),
      { numRuns: 20_000 },
    ));

  test("a list's item has the icon at its head and no other, and is short", () =>
    fc.assert(
      fc.property(markup, markup, markup, (text, description, detail) => {
        const shown = harmless({ label: `$(add) ${text}`, description, detail });
        assert.deepEqual(icons(`${shown.label} ${shown.description} ${shown.detail}`), ["$(add)"]);
        for (const part of Object.values(harmless({ label: text.repeat(99), description: description.repeat(99) })))
          assert.ok(part.length < 900 && !/[\r\n\u202e]/.test(part));
      }),
      { numRuns: 5000 },
    ));

  test("nothing else is changed", () => {
    const text = "Bid $0.20/h [1] (2) for “a”.";
    assert.equal(defuse(text), text);
    assert.deepEqual(harmless({ label: "$(add) Add  a" }), { label: "$(add) Add  a" });
  });
});
