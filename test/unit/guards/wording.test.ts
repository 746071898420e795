// Errors are told apart by kind and code: nothing matches the text of an error, which is written for people, but for the files that
// give the service's sentences their codes.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Node, SourceFile } from "typescript/unstable/ast";
import {
  isBinaryExpression,
  isCallExpression,
  isPropertyAccessExpression,
  isRegularExpressionLiteral,
  isStringLiteral,
} from "typescript/unstable/ast/is";
import { lineOf, nameOf, parseText, readSources, walk } from "./syntax.ts";

/** Here the service's own words are mapped to kinds and codes. The sandbox is the service. */
const isHeld = ({ path }: { readonly path: string }) =>
  !/^sandbox\//.test(path) && !["api/reply.ts", "api/worded-refusals.ts"].includes(path);

const MATCHERS = new Set(["match", "matchAll", "search", "startsWith", "endsWith", "includes", "indexOf"]);
/** What an error, or the answer of the service, calls its sentence. */
const SENTENCES = new Set(["message", "msg"]);
/** A sentence of its own isn't said twice. */
const MAY: Readonly<Record<string, RegExp>> = {
  "present/launch/launch-messages.ts": /^error\.message\.includes\(certainty\)$/,
};

function problemsIn(file: SourceFile): string[] {
  const found: string[] = [];
  const isMessage = (node: Node | undefined) => node !== undefined && SENTENCES.has(nameOf(node));
  walk(file, (node) => {
    const isEqual = isBinaryExpression(node) && /^[!=]==$/.test(node.operatorToken.getText(file));
    if (isEqual && isMessage(node.left) && isStringLiteral(node.right) && node.right.text)
      found.push(`line ${lineOf(node)}: ${node.getText(file).slice(0, 60)}`);
    if (!isCallExpression(node) || !isPropertyAccessExpression(node.expression)) return;
    const { expression: called } = node;
    const byPattern = isRegularExpressionLiteral(called.expression) && isMessage(node.arguments[0]);
    const byText = MATCHERS.has(nameOf(called)) && isMessage(called.expression);
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
    'if (error.message.includes("credit")) tell();': 1,
    'if (error.message === "No credit.") tell();': 1,
    'if (error.message === "") tell();': 0,
    "const isThere = /already/i.test(reply.msg);": 1,
    'if (error.facts.code === "none_found" && /a/.test(text)) tell(error.message);': 0,
  };
  for (const [text, count] of Object.entries(planted))
    test(text, () => assert.equal(problemsIn(parseText(text)).length, count));
});

describe("no error is told apart by its text in", () => {
  for (const { path, file } of readSources().filter(isHeld))
    test(path, () => {
      const problems = problemsIn(file).filter((problem) => !MAY[path]?.test(problem.replace(/^line \d+: /, "")));
      assert.deepEqual(problems, []);
    });
});
