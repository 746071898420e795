// Each promise of docs/promises.md names tests that exist, and the page explains every property the model checks.
import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { test } from "node:test";

const ROOT = resolve(import.meta.dirname, "../../..");
const read = (path: string): string => readFileSync(resolve(ROOT, path), "utf8");

interface Promised {
  readonly number: number;
  readonly tests: readonly { readonly file: string; readonly title: string }[];
}

/** A promise begins with its number; the lines below it name its tests. Fails on a list item it can't read. */
function promisesIn(page: string): Promised[] {
  const found: { number: number; tests: { file: string; title: string }[] }[] = [];
  for (const line of page.split("\n")) {
    const number = /^(\d+)\. \S/.exec(line)?.[1];
    if (number !== undefined) found.push({ number: Number(number), tests: [] });
    if (!/^\s*[-*] /.test(line)) continue;
    const [, file, title] = /^ +- `(test\/[\w./-]+\.ts)`: "(.+)"$/.exec(line) ?? [];
    assert.ok(file !== undefined && title !== undefined, `This line doesn't name a test: ${line}`);
    found.at(-1)?.tests.push({ file, title });
  }
  return found;
}

const quotes = ['"', "'", "`"];
const hasTitle = (source: string, title: string): boolean =>
  quotes.some((quote) => source.includes(`${quote}${title}${quote}`));

/** What is wrong with a page of promises. */
function problems(page: string): string[] {
  const sources = new Map<string, string>();
  const source = (file: string): string => {
    const known = sources.get(file) ?? read(file);
    sources.set(file, known);
    return known;
  };
  return promisesIn(page).flatMap(({ number, tests }, at) => {
    const found = number === at + 1 ? [] : [`promise ${number} comes in place ${at + 1}`];
    if (tests.length === 0) found.push(`promise ${number} names no test`);
    for (const { file, title } of tests) {
      if (!existsSync(resolve(ROOT, file))) found.push(`promise ${number}: ${file} doesn't exist`);
      else if (!hasTitle(source(file), title)) found.push(`promise ${number}: ${file} has no test “${title}”`);
    }
    return found;
  });
}

const page = read("docs/promises.md");

test("every promise names tests that exist", () => {
  assert.deepEqual(problems(page), []);
  assert.ok(promisesIn(page).length >= 25, "the promises were found");
});

test("the check notices a wrong title, a missing file and a promise without a test", () => {
  const own = "test/unit/guards/promises.test.ts";
  assert.deepEqual(problems(`1. Good.\n   - \`${own}\`: "every promise names tests that exist"\n`), []);
  assert.equal(problems(`1. Bad.\n   - \`${own}\`: "every promise names tests that ${"exists"}"\n`).length, 1);
  assert.equal(problems('1. Bad.\n   - `test/unit/none.test.ts`: "a title"\n').length, 1);
  assert.deepEqual(problems("1. Bad.\n"), ["promise 1 names no test"]);
  assert.equal(problems("2. Bad.\n").length, 2);
  assert.throws(() => problems("1. Bad.\n   - a test\n"), /doesn't name a test/);
});

/** The short names that a model's file calls a property by. */
const propertiesIn = (source: string): string[] =>
  [...source.matchAll(/["`]([A-Z]\d[a-z]?)(?:["`]|: )/g)].map(([, name]) => name as string);

test("the page explains every property the model checks, and no other", () => {
  const files = globSync("test/model/**/*.ts", { cwd: ROOT });
  const checked = new Set(files.flatMap((file) => propertiesIn(read(file))));
  assert.ok(checked.size > 30, [...checked].join(" "));
  const explained = [...page.matchAll(/^\| ([A-Z]\d[a-z]?) \|/gm)].map(([, name]) => name);
  assert.deepEqual(explained.sort(), [...checked].sort());
});

test("a property is found however it is called", () => {
  assert.deepEqual(propertiesIn('check(x, "R7", "no"); list.push(`P2b: it`); fail("no property")'), ["R7", "P2b"]);
});
