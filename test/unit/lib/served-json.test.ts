// JSON as servers write it: what Python's json writes is read, and nothing else is taken for JSON.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, test } from "node:test";
import { parseServedJson } from "../../../src/lib/served-json.ts";

const CASES: readonly [text: string, value: unknown][] = [
  ['{"a": NaN}', { a: null }],
  ["[Infinity, -Infinity, NaN, 1]", [null, null, null, 1]],
  ['{"NaN": "NaN", "b": "-Infinity \\" NaN", "c": NaN}', { NaN: "NaN", b: '-Infinity " NaN', c: null }],
  ['"NaN"', "NaN"],
  ["NaN", null],
];
const NOT = ["", "{", "NaNa", "[NaN", "{NaN: 1}", "nan", "Infinity2", '{"a": NaN, "b": "open}', "--Infinity", "1 NaN"];

describe("JSON with numbers that only Python writes", () => {
  for (const [text, value] of CASES) test(text, () => assert.deepEqual(parseServedJson(text), value));
  for (const text of NOT) test(`${text} is none`, () => assert.throws(() => parseServedJson(text), SyntaxError));

  test("takes a time that grows with the text alone", () => {
    const read = (count: number) => {
      const started = process.cpuUsage().user;
      assert.throws(() => parseServedJson(`[NaN, "${'\\"'.repeat(count)}`), SyntaxError);
      return process.cpuUsage().user - started;
    };
    read(1000);
    assert.ok(read(400_000) < 2_000_000, "a million signs are read at once");
  });

  const isThere = spawnSync("python3", ["-c", ""]).status === 0;
  test("is read as Python reads it", { skip: !isThere && "python3 isn't installed" }, () => {
    const script =
      "import json,sys; print(json.dumps([json.loads(t) == json.loads(t) or 'nan' for t in json.load(sys.stdin)]))";
    const texts = CASES.map(([text]) => text);
    const { status } = spawnSync("python3", ["-c", script], { input: JSON.stringify(texts) });
    assert.equal(status, 0, "Python takes each of them");
  });
});
