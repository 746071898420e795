// References in comments lead somewhere: sections and rules of docs/interface.md, pages and files.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { listComments, readTypeScript } from "./comments.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

/** The sections of docs/interface.md, each with the numbers of its rules. */
function sectionsOf(page: string): ReadonlyMap<string, ReadonlySet<number>> {
  const found = new Map<string, Set<number>>();
  let rules = new Set<number>();
  for (const line of page.split("\n")) {
    const [, section] = /^###? (\d+(?:\.\d+)?)[. ]/.exec(line) ?? [];
    if (section !== undefined) {
      rules = new Set();
      found.set(section, rules);
    }
    const [, rule] = /^(\d+)\. /.exec(line) ?? [];
    if (rule !== undefined) rules.add(Number(rule));
  }
  return found;
}

const INTERFACE = sectionsOf(read("docs/interface.md"));

const NUMBERS = String.raw`\d+(?:(?:, | to | and )\d+\b(?!\.\d))*`;
const RULES = `,? (?:rule|convention)s? (?<rules>${NUMBERS})`;
/** `interface 4.3, rule 6`, `Interface 2.3, 4.6 to 4.8`, `the interface document's sections 3 and 4.4`. */
const REFERENCE = new RegExp(
  String.raw`\binterface(?:'s)?(?: document(?:'s)?)?(?: sections?)? (?<sections>\d(?:\.\d+)?(?:(?:, (?:and )?| and | to )\d(?:\.\d+)?(?![\d,]))*)(?:${RULES})?`,
  "giu",
);
/** A title in test/contract begins with its section: `4.3 rule 6: null in the request overrides nothing`. */
const TITLE = new RegExp(
  String.raw`\b(?:test|describe)\(\s*["'\x60](?<sections>\d(?:\.\d+)?)(?=[ ])(?:${RULES})?`,
  "gu",
);

/** `1 to 3, 5` as 1, 2, 3 and 5. */
function numbers(list: string): number[] {
  return [...list.matchAll(/(\d+)(?: to (\d+))?/g)].flatMap(([, from, to]) =>
    Array.from({ length: Number(to ?? from) - Number(from) + 1 }, (_, at) => Number(from) + at),
  );
}

function problemsIn(text: string, shape: RegExp): string[] {
  return [...text.matchAll(shape)].flatMap(({ 0: whole, groups }) => {
    const named = (groups?.sections ?? "").split(/,? and |, | to /);
    const unknown = named.filter((section) => !INTERFACE.has(section));
    const rules = INTERFACE.get(named.at(-1) ?? "");
    const missing = numbers(groups?.rules ?? "").filter((rule) => !rules?.has(rule));
    return unknown.length + missing.length === 0 ? [] : [whole];
  });
}

const SOURCES = readTypeScript();
const COMMENTS = listComments(SOURCES);

test("every section and rule of the interface that a comment names is in docs/interface.md", () => {
  const wrong = COMMENTS.flatMap(({ file, text }) => problemsIn(text, REFERENCE).map((what) => `${file}: ${what}`));
  assert.deepEqual(wrong, []);
  assert.ok(COMMENTS.filter(({ text }) => text.search(REFERENCE) >= 0).length > 80, "the references were found");
});

test("so is every section and rule that a contract test's title or a row of the endpoint table names", () => {
  const titles = SOURCES.filter(({ file }) => file.startsWith("test/contract/"));
  const rows = [...read("src/api/table/documented.ts").matchAll(/\bsection: "([^"]*)"/g)].map(([, section]) => section);
  assert.deepEqual(
    titles.flatMap(({ file, text }) => problemsIn(text, TITLE).map((what) => `${file}: ${what}`)),
    [],
  );
  assert.deepEqual(
    rows.filter((section) => !INTERFACE.has(section ?? "")),
    [],
  );
  assert.equal(rows.length, 13);
});

test("a section or rule that isn't there is noticed", () => {
  const wrong = (text: string) => problemsIn(text, REFERENCE).length;
  for (const good of [
    "interface 4.3, rules 6 to 8",
    "Interface 4.13.",
    "interface 1, convention 2",
    "interface 4.3, 8",
  ])
    assert.equal(wrong(good), 0, good);
  for (const bad of ["interface 4.14", "interface 4.3, rule 9", "interface 4.2, 4.99", "interface 2.1, rule 1"])
    assert.equal(wrong(bad), 1, bad);
});

test("a page that a comment names is there", () => {
  const wrong = COMMENTS.flatMap(({ file, text }) => {
    const pages = [...text.matchAll(/\b[\w./-]+\.md\b/g)].filter(([page]) => !existsSync(join(ROOT, page)));
    return pages.map(([what]) => `${file}: ${what}`);
  });
  assert.deepEqual(wrong, []);
});
