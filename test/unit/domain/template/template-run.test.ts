// What a template file says to run: it is read, kept through every change of the template, and is no part of it.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { TemplateHash, TemplateId } from "../../../../src/domain/base/id.ts";
import {
  newTemplateFile,
  placeOf,
  readTemplateFile,
  sendable,
  withRunOf,
  withSync,
  withTemplateContent,
} from "../../../../src/domain/template/template-file.ts";
import { NEW_TEMPLATE } from "../../../../src/domain/template/template-form.ts";

const sync = { id: TemplateId.parse(7), hash: TemplateHash.parse("abc") };
const fileWith = (run: string) => `{\n  "name": "a", "image": "b",\n  // How to train.\n  "run": ${run}\n}\n`;
const WHOLE =
  '{ "command": "make", "setUp": "", "results": ["out/**"], "data": ["data/"], "afterward": "stop", "perHour": 0.8 }';
const RUN = { command: "make", setUp: "", results: ["out/**"], data: ["data"], afterward: "stop", perHour: 0.8 };

test("it is read, and isn't part of what is sent", () => {
  const { run, draft, problems } = readTemplateFile(fileWith(WHOLE));
  assert.deepEqual([run, problems], [RUN, []]);
  assert.deepEqual(draft, readTemplateFile('{ "name": "a", "image": "b" }').draft);
  assert.deepEqual(sendable(fileWith('{ "command": " make " }')).run, { command: "make" });
  assert.equal(readTemplateFile('{ "name": "a", "image": "b" }').run, undefined);
});

test("it stays in the file, whatever becomes of the template", () => {
  const draft = { ...NEW_TEMPLATE, name: "c", image: "d" };
  for (const text of [withTemplateContent(fileWith(WHOLE), draft, sync), withSync(fileWith(WHOLE), sync)]) {
    assert.deepEqual(readTemplateFile(text).run, RUN);
    assert.match(text, /How to train/);
  }
  assert.deepEqual(readTemplateFile(withRunOf(fileWith(WHOLE), newTemplateFile(draft, sync))).run, RUN);
  for (const before of ["", "{", '{ "name": "a", "image": "b" }'])
    assert.equal(withRunOf(before, newTemplateFile(draft)), newTemplateFile(draft));
});

describe("a mistake in it is named with its field and place", () => {
  for (const [run, says] of [
    ["7", /^4:10 run: /],
    ["{}", /run\.command is missing/],
    ['{ "command": " " }', /^4:23 run\.command: Enter a command/],
    ['{ "command": "a", "setUp": 7 }', /run\.setUp: /],
    ['{ "command": "a", "results": ["../a"] }', /run\.results\.0: “\.\.\/a” isn't inside/],
    ['{ "command": "a", "results": "out" }', /run\.results: Enter a list/],
    ['{ "command": "a", "data": ["a", "a/b"] }', /run\.data\.1: “a\/b” is inside “a”/],
    ['{ "command": "a", "data": ["."] }', /run\.data\.0: “\.” isn't inside/],
    ['{ "command": "a", "perHour": 0 }', /run\.perHour: /],
    ['{ "command": "a", "afterward": "end" }', /run\.afterward: /],
    ['{ "command": "a", "on": "new" }', /“on” isn't a template field/],
    ['{ "command": "a", "command": "b" }', /command is listed twice/],
    ['{ "command": "a", "__proto__": {} }', /This name can't be used/],
  ] as const)
    test(run, () => {
      const { problems, run: read } = readTemplateFile(fileWith(run));
      const [first] = problems.map(({ offset, message }) => `${placeOf(fileWith(run), offset)} ${message}`);
      assert.match(first ?? "", says);
      assert.equal(read, undefined);
    });
});
