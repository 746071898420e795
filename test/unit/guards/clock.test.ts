// Time comes from lib/clock.ts: no other part of the extension reads a clock or sets a timer of its own.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { SourceFile } from "typescript/unstable/ast";
import {
  isIdentifier,
  isNewExpression,
  isPropertyAccessExpression,
  isVariableDeclaration,
} from "typescript/unstable/ast/is";
import { lineOf, nameOf, parseText, readSources, walk } from "./syntax.ts";

/**
 * The pages run in a browser, and the sandbox is a service with a clock of its own. A request has as long as the network takes, whatever
 * the time is for those who ask.
 */
const isHeld = ({ path }: { readonly path: string }) =>
  !["lib/clock.ts", "api/transport.ts"].includes(path) && !/^(webview|sandbox)\//.test(path);

const TIMERS = new Set(["setTimeout", "setInterval"]);

function problemsIn(file: SourceFile): string[] {
  const found: string[] = [];
  walk(file, (node) => {
    const reads =
      isPropertyAccessExpression(node) &&
      (nameOf(node) === "now" || nameOf(node) === "timeOrigin") &&
      ["Date", "performance"].includes(nameOf(node.expression));
    const isTimeout = isPropertyAccessExpression(node) && node.getText(file) === "AbortSignal.timeout";
    const sets = isTimeout || (isIdentifier(node) && TIMERS.has(node.text));
    const hands =
      isVariableDeclaration(node) && ["Date", "performance"].includes(node.initializer?.getText(file) ?? "");
    const isToday = isNewExpression(node) && nameOf(node.expression) === "Date" && (node.arguments?.length ?? 0) === 0;
    if (reads || sets || hands || isToday) found.push(`line ${lineOf(node)}: ${node.getText(file).slice(0, 40)}`);
  });
  return found;
}

describe("the guard itself finds", () => {
  const planted = {
    "const at = Date.now();": 1,
    "const at = performance.now();": 1,
    "setTimeout(() => {}, 5);": 1,
    "globalThis.setInterval(work, 5);": 1,
    "const at = new Date();": 1,
    "const { now } = Date;": 1,
    "const start = setTimeout;": 1,
    "const signal = AbortSignal.timeout(5);": 1,
    "const { now } = { now: Date.now };": 1,
    "const at = new Date(5); clock.now(); clock.elapsed(); text.setTimeoutText;": 0,
  };
  for (const [text, count] of Object.entries(planted))
    test(text, () => assert.equal(problemsIn(parseText(text)).length, count));
});

test("only the clock reads the time or sets a timer", () => {
  const problems = readSources()
    .filter(isHeld)
    .flatMap(({ path, file }) => problemsIn(file).map((problem) => `${path} ${problem}`));
  assert.deepEqual(problems, []);
});
