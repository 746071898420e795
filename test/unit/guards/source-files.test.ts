// How files look: each says what it is for, and how large files and functions may be. What is longer holds an idea that wants a name.
import assert from "node:assert/strict";
import { dirname } from "node:path";
import { describe, test } from "node:test";
import type { Node, SourceFile } from "typescript/unstable/ast";
import {
  isArrowFunction,
  isConstructorDeclaration,
  isFunctionDeclaration,
  isFunctionExpression,
  isGetAccessorDeclaration,
  isMethodDeclaration,
  isSetAccessorDeclaration,
} from "typescript/unstable/ast/is";
import { lineOf, parseText, readSources, walk } from "./syntax.ts";

/** Lines. */
const [MOST_OF_FILE, MOST_OF_FUNCTION] = [300, 60];
/** Files that lie in a folder itself. With more, some of them are about one thing and want a room of their own. */
const MOST_OF_FOLDER = 22;
const sources = readSources();

const isFunction = (node: Node) =>
  isArrowFunction(node) ||
  isConstructorDeclaration(node) ||
  isFunctionDeclaration(node) ||
  isFunctionExpression(node) ||
  isGetAccessorDeclaration(node) ||
  isMethodDeclaration(node) ||
  isSetAccessorDeclaration(node);

/** From the first line of its head to its last brace, with all that is in it. */
function longFunctions(file: SourceFile): string[] {
  const found: string[] = [];
  walk(file, (node) => {
    if (!isFunction(node)) return;
    const lines = node.getText(file).split("\n").length;
    if (lines > MOST_OF_FUNCTION) found.push(`line ${lineOf(node)}: ${lines} lines`);
  });
  return found;
}

describe("the guard itself finds", () => {
  const body = "\n  work();".repeat(MOST_OF_FUNCTION);
  const planted = {
    "a function": `function run() {${body}\n}`,
    "a method": `class A {\n  run() {${body}\n  }\n}`,
    "a getter": `class A {\n  get run() {${body}\n  }\n}`,
    "a constructor": `class A {\n  constructor() {${body}\n  }\n}`,
    "an arrow function": `const run = () => {${body}\n};`,
  };
  for (const [name, text] of Object.entries(planted))
    test(name, () => assert.equal(longFunctions(parseText(text)).length, 1));
  test("none that is short enough", () =>
    assert.deepEqual(longFunctions(parseText(`function run() {${"\n  work();".repeat(MOST_OF_FUNCTION - 2)}\n}`)), []));
});

test("no function has more than 60 lines", () => {
  const problems = sources.flatMap(({ path, file }) => longFunctions(file).map((problem) => `${path} ${problem}`));
  assert.deepEqual(problems, []);
});

test("no file has more than 300 lines", () => {
  const long = sources.filter(({ file }) => file.text.trimEnd().split("\n").length > MOST_OF_FILE);
  assert.deepEqual(
    long.map(({ path }) => path),
    [],
  );
});

test("no folder has more than 22 files", () => {
  const folders = Map.groupBy(sources, ({ path }) => dirname(path));
  const full = [...folders].filter(([, files]) => files.length > MOST_OF_FOLDER);
  assert.deepEqual(
    full.map(([folder, files]) => `${folder}: ${files.length}`),
    [],
  );
});

test("every file opens with what it is for", () => {
  const silent = sources.filter(({ file }) => !/^\/[/*]/.test(file.text));
  assert.deepEqual(
    silent.map(({ path }) => path),
    [],
  );
});
