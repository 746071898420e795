// Names of functions and methods: what others call begins with a verb, a question that is answered with yes or no with its own kind of
// verb, and no name is exported twice.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Node, SourceFile } from "typescript/unstable/ast";
import {
  isArrowFunction,
  isAsExpression,
  isClassDeclaration,
  isFunctionDeclaration,
  isFunctionExpression,
  isIdentifier,
  isMethodDeclaration,
  isParenthesizedExpression,
  isSatisfiesExpression,
  isVariableStatement,
} from "typescript/unstable/ast/is";
import { parseText, readSources } from "./syntax.ts";

/** What begins the name of a function that does or makes something. `t` translates, as everywhere. */
const VERBS =
  `abort acknowledge activate add adopt agree allow amend answer append arm as ask assemble assert attach await
  begin block build calculate call carry change check choose claim clean clear clip close compare compile complete
  compress confirm connect continue copy count create cut decide define defuse delete describe destroy diff discard
  dismiss dispose download drag draw drop duplicate edit end ensure enter exchange exclude expect fail fetch fill
  filter find finish fire fix flash flush focus fold follow forget format forward get give group guard hand handle
  hash hide include index install interrupt join judge keep launch lead learn leave lint list listen login look
  make mark mask measure merge mount move name narrow normalize note on open outbid pack parse pause pick plan
  prepare print probe propose provide publish pull push put quote rank rate reach read rearm reattach reboot
  rebuild recall recheck redact redraw refilter refresh register relax relayout remember remove rename render renew
  rent repeat repin replace report require reread reset resign resize resolve restore retry reveal revert review
  revoke round run sample save say search seed send serve set settle share show sign signal silence skip sleep slow
  smooth snooze sort split stand start stat stop store suggest sum summarize supersede switch sync t take tell thin
  tidy to toggle trace track truncate unguard unlist unpack unsilence untrack update upload use verify wait wake
  walk warn watch with without work write`.split(/\s+/);

/** What begins the name of a question. */
const PREDICATES = `accepts acts are awaits belongs bills can comes ends excludes fits has holds includes is keeps looks
  matches may meets names needs overlaps runs says shares starts takes was`.split(/\s+/);

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

/** The names of the methods of its classes that others may call. */
function findMethods(file: SourceFile): string[] {
  return file.statements.flatMap((one) =>
    isClassDeclaration(one)
      ? one.members.flatMap((member) =>
          isMethodDeclaration(member) && isIdentifier(member.name) ? [member.name.text] : [],
        )
      : [],
  );
}

const firstWord = (name: string): string => /^[a-z0-9]+/.exec(name)?.[0] ?? "";
const isWellNamed = (name: string): boolean => [...VERBS, ...PREDICATES].includes(firstWord(name));
const exported = sources.flatMap(({ path, file }) => findExported(file).map((name) => ({ path, name })));
const methods = sources.flatMap(({ path, file }) => findMethods(file).map((name) => ({ path, name })));

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
  test("a method", () => {
    assert.deepEqual(
      findMethods(parseText("class A {\n  async banner() {}\n  #own() {}\n  get it() { return 1; }\n}")),
      ["banner"],
    );
  });
  test("none that begins with a verb, is no function or is no other file's", () => {
    const text = "export function describeList() {}\nexport const BANNER = 1;\nfunction banner() {}";
    assert.deepEqual(findExported(parseText(text)), ["describeList"]);
  });
});

test("every exported function and every method begins with a verb", () => {
  assert.ok(exported.length > 1000 && methods.length > 500, "they were found");
  const problems = [...exported, ...methods]
    .filter(({ name }) => !isWellNamed(name))
    .map(({ path, name }) => `${path}: ${name}`);
  assert.deepEqual(problems, []);
});

test("every verb is used, and stands in its place", () => {
  const used = new Set([...exported, ...methods].map(({ name }) => firstWord(name)));
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
