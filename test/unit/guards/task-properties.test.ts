// docs/runs.md names the properties of tasks as package.json declares them: the editor ignores any other without a word.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { TemplateRun } from "../../../src/domain/template/template-proposals.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const PAGE = read("docs/runs.md");
const { contributes } = JSON.parse(read("package.json"));
const PROPERTIES: ReadonlySet<string> = new Set(Object.keys(contributes.taskDefinitions[0].properties));
/** What every task of the editor may have. */
const OF_THE_EDITOR = new Set(["label", "type", "problemMatcher"]);

const sectionOf = (page: string, title: string): string =>
  page.split(/^## /m).find((one) => one.startsWith(title)) ?? "";

/** `results`, and `"results": ["out/**"]`. */
const namesIn = (text: string): string[] =>
  [...text.matchAll(/`(?:([a-z]\w*)|"(\w+)": [^`]*)`/gi)].flatMap(([, name, key]) => name ?? key ?? []);

/** The names in the first column of the first table. */
const listTabled = (section: string): string[] =>
  section
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .flatMap((line) => namesIn(line.split(" | ", 1)[0] ?? ""));

/** The names in sentences that lead to the section about tasks, and above columns. */
function listTold(page: string): string[] {
  const prose = page.replaceAll(/```.*?```/gs, "");
  const sentences = prose.replaceAll(/([^\n])\n(?=[^\n|])/g, "$1 ").split(/(?<=\.) (?=[A-Z*`])|\n/);
  const heads = [...prose.matchAll(/^(\|.*\|)\n\| ---/gm)].map(([, head = ""]) => head);
  return [...sentences.filter((one) => one.includes("[task](#as-a-task)")), ...heads].flatMap(namesIn);
}

/** The tasks and template files that are shown whole. */
const listExamples = (page: string): { readonly tasks?: readonly object[]; readonly run?: object }[] =>
  [...page.matchAll(/```json\n(.*?)```/gs)].map(([, text = ""]) => JSON.parse(text));

const listUnknown = (names: readonly string[]): string[] => names.filter((name) => !PROPERTIES.has(name));

test("the table of the page about runs has every property of a task once, and no other", () => {
  assert.deepEqual(listTabled(sectionOf(PAGE, "As a task")).sort(), [...PROPERTIES].sort());
});

test("what the page says of tasks elsewhere names properties that tasks have", () => {
  const told = listTold(PAGE);
  for (const name of ["results", "dataFolders", "whenDone"]) assert.ok(told.includes(name), `${name}: ${told}`);
  assert.deepEqual(listUnknown(told), []);
});

test("the examples have properties that tasks have", () => {
  const examples = listExamples(PAGE);
  const tasks = examples.flatMap(({ tasks = [] }) => tasks.flatMap((task) => Object.keys(task)));
  const runs = examples.flatMap(({ run = {} }) => Object.keys(run));
  assert.ok(tasks.includes("command") && runs.includes("command"));
  assert.deepEqual(listUnknown([...tasks.filter((name) => !OF_THE_EDITOR.has(name)), ...runs]), []);
});

test("a template file's run has the properties that the page lists, which are those of a task", () => {
  const [, list = ""] = /The properties are (.+), as in a task/.exec(sectionOf(PAGE, "From a template file")) ?? [];
  assert.deepEqual(namesIn(list).sort(), Object.keys(TemplateRun.shape).sort());
  assert.deepEqual(listUnknown(namesIn(list)), []);
});

test("the check notices a wrong name, in words, as a value and above a column", () => {
  const told = (text: string) => listUnknown(listTold(text));
  assert.deepEqual(told('Name it in `data` of a\n[task](#as-a-task): `"data": []`.'), ["data", "data"]);
  assert.deepEqual(told("A [task](#as-a-task) can say `whenDone`. `Other` is no property."), []);
  assert.deepEqual(told("| choice | `afterward` |\n| --- | --- |"), ["afterward"]);
  assert.deepEqual(listTabled("| `a`, `b` | for `c` |\n| d | `e` |"), ["a", "b"]);
});
