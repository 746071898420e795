// Errors are told apart by kind and code: outside `api` nothing matches the text of an error, which is written for people.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Node, SourceFile } from "typescript/unstable/ast";
import { isCallExpression, isPropertyAccessExpression, isRegularExpressionLiteral } from "typescript/unstable/ast/is";
import { lineOf, nameOf, parseText, readSources, walk } from "./syntax.ts";

/** Here the service's own words are mapped to kinds and codes. */
const isHeld = ({ path }: { readonly path: string }) => !/^(api|sandbox)\//.test(path);

const MATCHERS = new Set(["match", "matchAll", "search", "startsWith", "endsWith"]);

function problemsIn(file: SourceFile): string[] {
  const found: string[] = [];
  const isMessage = (node: Node | undefined) => node !== undefined && nameOf(node) === "message";
  walk(file, (node) => {
    if (!isCallExpression(node) || !isPropertyAccessExpression(node.expression)) return;
    const { expression: called } = node;
    const byPattern = isRegularExpressionLiteral(called.expression) && isMessage(node.arguments[0]);
    const byText = MATCHERS.has(nameOf(called) ?? "") && isMessage(called.expression);
    if (byPattern || byText) found.push(`line ${lineOf(node)}: ${node.getText(file).slice(0, 60)}`);
  });
  return found;
}

describe("the guard itself finds", () => {
  const planted = {
    "if (/none found/i.test(error.message)) retry();": 1,
    "const id = /instance (\\d+)/.exec(message)?.[1];": 1,
    'if (error.message.startsWith("no such")) retry();': 1,
    "const found = message.match(/credit/);": 1,
    'if (error.facts.code === "none_found" && /a/.test(text)) tell(error.message);': 0,
  };
  for (const [text, count] of Object.entries(planted))
    test(text, () => assert.equal(problemsIn(parseText(text)).length, count));
});

describe("no error is told apart by its text in", () => {
  for (const { path, file } of readSources().filter(isHeld)) test(path, () => assert.deepEqual(problemsIn(file), []));
});
