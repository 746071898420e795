// Names of functions: what a module exports begins with a verb, a question that is answered with yes or no with its own kind of
// verb, and no name is exported twice.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Node, SourceFile } from "typescript/unstable/ast";
import {
  isArrowFunction,
  isAsExpression,
  isFunctionDeclaration,
  isFunctionExpression,
  isIdentifier,
  isParenthesizedExpression,
  isSatisfiesExpression,
  isVariableStatement,
} from "typescript/unstable/ast/is";
import { parseText, readSources } from "./syntax.ts";

/** What begins the name of a function that does or makes something. `t` translates, as everywhere. */
const VERBS =
  `activate add agree answer arm as ask assemble assert attach begin block build calculate carry change check choose
  clean clip compare compile complete compress confirm connect continue copy count create cut decide define defuse
  delete describe destroy diff download drag draw duplicate edit end ensure enter fetch fill filter find flash
  focus fold follow forget format forward get group guard hand hash hide include index join judge keep launch lint
  list listen login look mask measure merge mount move name normalize note on open pack parse pick plan prepare print probe
  propose publish pull push quote rank rate reach read reattach reboot rebuild recheck redact register remember remove
  rename render renew rent repin replace require reread reset resize retry review round run sample save search seed
  send serve set settle show sign signal skip sleep sort split stand start stop store suggest sum summarize switch
  sync t take tell thin tidy to toggle trace track truncate unguard unlist unpack update upload use verify wait walk
  warn watch with without write`.split(/\s+/);

/** What begins the name of a question. */
const PREDICATES =
  `accepts acts awaits belongs bills can comes ends fits has holds is keeps looks matches may meets names needs
  overlaps runs says shares starts takes was`.split(/\s+/);

const sources = readSources();

function isFunction(node: Node | undefined): boolean {
  if (node && (isParenthesizedExpression(node) || isAsExpression(node) || isSatisfiesExpression(node)))
    return isFunction(node.expression);
  return node !== undefined && (isArrowFunction(node) || isFunctionExpression(node));
}

/** The names of the functions that a file exports. */
function findExported(file: SourceFile): string[] {
  return file.statements.flatMap((one) => {
    if (!/^export\b/.test(one.getText(file))) return [];
    if (isFunctionDeclaration(one)) return one.name ? [one.name.text] : [];
    if (!isVariableStatement(one)) return [];
    return one.declarationList.declarations.flatMap(({ name, initializer }) =>
      isIdentifier(name) && isFunction(initializer) ? [name.text] : [],
    );
  });
}

const firstWord = (name: string): string => /^[a-z0-9]+/.exec(name)?.[0] ?? "";
const isWellNamed = (name: string): boolean => [...VERBS, ...PREDICATES].includes(firstWord(name));
const exported = sources.flatMap(({ path, file }) => findExported(file).map((name) => ({ path, name })));

describe("the guard itself finds", () => {
  for (const text of [
    "export function banner() {}",
    "export async function banner() {}",
    "export const banner = () => 1;",
    "export const banner = function () {};",
    "export const banner = (() => 1) as () => number;",
  ])
    test(text, () => {
      assert.deepEqual(findExported(parseText(text)), ["banner"]);
      assert.ok(!isWellNamed("banner"));
    });
  test("none that begins with a verb, is no function or is no other file's", () => {
    const text = "export function describeList() {}\nexport const BANNER = 1;\nfunction banner() {}";
    assert.deepEqual(findExported(parseText(text)), ["describeList"]);
  });
});

test("every exported function begins with a verb", () => {
  assert.ok(exported.length > 1000, "the functions were found");
  const problems = exported.filter(({ name }) => !isWellNamed(name)).map(({ path, name }) => `${path}: ${name}`);
  assert.deepEqual(problems, []);
});

test("every verb is used, and stands in its place", () => {
  const used = new Set(exported.map(({ name }) => firstWord(name)));
  for (const words of [VERBS, PREDICATES]) {
    assert.deepEqual(words, [...words].sort());
    assert.deepEqual(
      words.filter((word) => !used.has(word)),
      [],
    );
  }
});

test("no function's name is exported twice", () => {
  const twice = exported.filter(({ path, name }) => exported.some((one) => one.name === name && one.path !== path));
  assert.deepEqual(
    twice.map(({ path, name }) => `${path}: ${name}`),
    [],
  );
});
