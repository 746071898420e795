// A unit test lies in the place of the file that it judges, so that whoever knows one of them finds the other.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { test } from "node:test";

const SRC = resolve(import.meta.dirname, "../../../src");
const UNIT = resolve(import.meta.dirname, "..");

/** What lies beside the tests and judges nothing. */
const SHARED: Readonly<Record<string, string>> = {
  "drafts.ts": "templates for tests that try many, of several rooms",
  "launch-forms.ts": "launches and their forms for tests that try many, of several rooms",
  "support.ts": "what tests of several rooms share",
  "domain/offer/table/hostile-offers.ts": "offers for tests of the table, of its page and of what is sent to it",
};

/** Guards judge no file but all of them. */
const isGuard = (file: string) => file.startsWith("guards/");
const FILES = readdirSync(UNIT, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map(({ parentPath, name }) =>
    join(parentPath, name)
      .slice(UNIT.length + 1)
      .replaceAll("\\", "/"),
  )
  .filter((file) => !isGuard(file));

/** What is wrong with the place of a file below `test/unit`, or with what its text imports. */
function problem(file: string, text: string): string | undefined {
  if (!file.endsWith(".test.ts"))
    return file in SHARED ? undefined : `${file} is neither a test nor known to be shared`;
  const judged = join(SRC, file.replace(/\.test\.ts$/, ".ts"));
  if (!existsSync(judged)) return `${file} judges no file of src`;
  const imported = [...text.matchAll(/"(\.[^"\n]+)"/g)].map(([, path = ""]) => resolve(UNIT, dirname(file), path));
  return imported.includes(judged) ? undefined : `${file} doesn't import the file that it is named after`;
}

test("every unit test is named after the file that it imports and judges", () => {
  const problems = FILES.map((file) => problem(file, readFileSync(join(UNIT, file), "utf8")));
  assert.deepEqual(
    problems.filter((found) => found !== undefined),
    [],
  );
  assert.ok(FILES.length > 150, "the tests were found");
});

test("every file that is excepted is there", () => {
  assert.deepEqual(
    Object.keys(SHARED).filter((file) => !FILES.includes(file)),
    [],
  );
});

test("a test without a file, a test of another file and an unknown file are noticed", () => {
  const own = 'import { parseGroupName } from "../../../../src/domain/group/machine-group.ts";';
  assert.equal(problem("domain/group/machine-group.test.ts", own), undefined);
  assert.match(problem("domain/group/choose-machines.test.ts", own) ?? "", /doesn't import/);
  assert.match(problem("domain/group/machines.test.ts", own) ?? "", /judges no file/);
  assert.match(problem("domain/group/machines.ts", own) ?? "", /neither a test nor known/);
});
