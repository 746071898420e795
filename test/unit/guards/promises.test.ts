// Each promise of docs/promises.md is held by tests that exist, and test/model/README.md explains every property the model checks.
import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { test } from "node:test";
import { SECTIONS } from "./promises/every-promise.ts";
import type { Promises } from "./promises/promises.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
const read = (path: string): string => readFileSync(resolve(ROOT, path), "utf8");

/** The promises below each heading: list items of one sentence. Fails on a line that is anything else. */
function promisesIn(page: string): [heading: string, promises: string[]][] {
  const found: [string, string[]][] = [];
  for (const line of page.split("\n").filter((line) => line !== "" && !line.startsWith("# "))) {
    const heading = /^## (.+)$/.exec(line)?.[1];
    const promise = /^- ([A-Z][^.?!]+\.)$/.exec(line)?.[1];
    assert.ok(heading !== undefined || (promise !== undefined && found.length > 0), `This is no promise: ${line}`);
    if (heading !== undefined) found.push([heading, []]);
    else if (promise !== undefined) found.at(-1)?.[1].push(promise);
  }
  return found;
}

const quotes = ['"', "'", "`"];
const hasTitle = (source: string, title: string): boolean =>
  quotes.some((quote) => source.includes(`${quote}${title}${quote}`));

/** What is wrong with the tests that are named for promises. */
function problems(promises: Promises): string[] {
  return Object.entries(promises).flatMap(([promise, tests]) => {
    const named = Object.entries(tests).flatMap(([file, titles]) => titles.map((title) => ({ file, title })));
    if (named.length === 0) return [`no test holds “${promise}”`];
    return named.flatMap(({ file, title }) => {
      if (!existsSync(resolve(ROOT, file))) return [`“${promise}”: ${file} doesn't exist`];
      return hasTitle(read(file), title) ? [] : [`“${promise}”: ${file} has no test “${title}”`];
    });
  });
}

test("the page and the lists of tests have the same promises, in the same order", () => {
  const page = promisesIn(read("docs/promises.md"));
  assert.deepEqual(
    page,
    Object.entries(SECTIONS).map(([heading, promises]) => [heading, Object.keys(promises)]),
  );
  const count = page.flatMap(([, promises]) => promises).length;
  assert.ok(count >= 24 && count <= 40, `${count} promises`);
});

test("every promise names tests that exist", () => {
  assert.deepEqual(Object.values(SECTIONS).flatMap(problems), []);
});

test("the check notices a wrong title, a missing file and a promise without a test", () => {
  const own = "test/unit/guards/promises.test.ts";
  assert.deepEqual(problems({ "Good.": { [own]: ["every promise names tests that exist"] } }), []);
  assert.equal(problems({ "Bad.": { [own]: [`every promise names tests that ${"exists"}`] } }).length, 1);
  assert.equal(problems({ "Bad.": { "test/unit/none.test.ts": ["a title"] } }).length, 1);
  assert.deepEqual(problems({ "Bad.": {} }), ["no test holds “Bad.”"]);
  assert.deepEqual(promisesIn("# A\n\n## B\n\n- One.\n- Two.\n"), [["B", ["One.", "Two."]]]);
  for (const bad of ["- One.\n", "## B\n\nOne.\n", "## B\n\n- One. Two.\n", "## B\n\n- One\n"])
    assert.throws(() => promisesIn(bad), /is no promise/, bad);
});

/** The short names that a model's file calls a property by. */
const propertiesIn = (source: string): string[] =>
  [...source.matchAll(/["`]([A-Z]\d[a-z]?)(?:["`]|: )/g)].map(([, name]) => name as string);

test("test/model/README.md explains every property the model checks, and no other", () => {
  const files = globSync("test/model/**/*.ts", { cwd: ROOT });
  const checked = new Set(files.flatMap((file) => propertiesIn(read(file))));
  assert.ok(checked.size > 30, [...checked].join(" "));
  const explained = [...read("test/model/README.md").matchAll(/^\| ([A-Z]\d[a-z]?) \|/gm)].map(([, name]) => name);
  assert.deepEqual(explained.sort(), [...checked].sort());
});

test("a property is found however it is called", () => {
  assert.deepEqual(propertiesIn('check(x, "R7", "no"); list.push(`P2b: it`); fail("no property")'), ["R7", "P2b"]);
});
