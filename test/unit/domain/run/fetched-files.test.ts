// Which results of a run that goes on are downloaded now, by what the machine says and what came before.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  chooseDue,
  formatComingFile,
  formatFetchedFile,
  formatFetchedFiles,
  readFetchedFiles,
  readThereResult,
  type ThereResult,
} from "../../../../src/domain/run/fetched-files.ts";

const [ONE, TWO] = ["1".repeat(64), "2".repeat(64)];
const file = (name: string, size: number, changed: number): ThereResult => ({ name, size, changed });
const NOW = 1000;
const LIMITS = { bytes: 100, lines: 10_000 };
const remembered = (...files: readonly (readonly [ThereResult, string])[]) =>
  readFetchedFiles(files.map(([of, digest]) => formatFetchedFile(of, digest)).join(""));

describe("what is due of a run that goes on", () => {
  const fetched = remembered([file("./a", 10, 900), ONE], [file("./big", 60, 900), TWO]);
  for (const [what, there, names] of [
    ["a new file that rests", [file("./new", 1, 995)], ["./new"]],
    ["no file that was written to a moment ago", [file("./new", 1, 996)], []],
    ["no file of the machine's future", [file("./new", 1, 90_000)], []],
    ["none that is as it was", [file("./a", 10, 900)], []],
    ["one with another size", [file("./a", 11, 900)], ["./a"]],
    ["one that was changed later, or earlier", [file("./a", 10, 901), file("./big", 60, 1)], ["./a", "./big"]],
    ["nothing that is too much with what is here", [file("./new", 31, 1), file("./small", 30, 1)], ["./small"]],
    ["one in place of what was counted before", [file("./big", 90, 1)], ["./big"]],
    ["nothing at all of nothing", [], []],
  ] as const)
    test(`is ${what}`, () => {
      const due = chooseDue({ now: NOW, files: there }, fetched, LIMITS);
      assert.deepEqual(
        due.files.map(({ name }) => name),
        names,
      );
    });

  test("is told apart from what there is no room for", () => {
    const choose = (files: readonly ThereResult[], limits = LIMITS) => chooseDue({ now: NOW, files }, fetched, limits);
    assert.equal(choose([file("./new", 31, 1)]).isMore, true);
    assert.equal(choose([file("./new", 1, 999)]).isMore, false, "it waits for another reason");
  });

  test("is no more than can be remembered, however often each of it comes", () => {
    const files = Array.from({ length: 20 }, (_, at) => file(`./é${at}`, 0, 1));
    const limits = { bytes: 100, lines: 2500 };
    const due = chooseDue({ now: NOW, files }, new Map(), limits);
    assert.ok(due.isMore && due.files.length > 5);
    const digest = (at: number) => at.toString(16).padStart(64, "0");
    let text = "";
    for (let at = 0; at < 9; at += 1)
      for (const one of due.files) {
        text += formatFetchedFile({ ...one, size: at }, digest(at)) + formatComingFile(one, digest(at + 1));
        text = formatFetchedFiles(readFetchedFiles(text));
        assert.ok(Buffer.byteLength(text) <= limits.lines);
      }
    const known = readFetchedFiles(text);
    assert.equal(chooseDue({ now: NOW, files }, known, limits).files.length, due.files.length, "the same may change");
  });

  test("is told by the machine's clock alone, which may be wrong by a day", () => {
    for (const now of [Date.now() / 1000 - 86_400, Date.now() / 1000 + 86_400])
      assert.equal(
        chooseDue({ now, files: [file("./a", 1, now - 5), file("./b", 1, now - 4)] }, new Map(), LIMITS).files.length,
        1,
      );
  });
});

describe("what was downloaded", () => {
  test("is remembered by name, with all that came under it", () => {
    const fetched = remembered([file("./a b", 1, 5), ONE], [file("./c", 2, 6), ONE], [file("./a b", 3, 7), TWO]);
    const { latest, digests } = fetched.get("./a b") ?? assert.fail();
    assert.deepEqual([latest, [...digests.keys()]], [{ ...file("./a b", 3, 7), digest: TWO }, [ONE, TWO]]);
    assert.equal(fetched.size, 2);
  });

  test("is what is in its place, until what is to come is there", () => {
    const a = file("./a", 3, 7);
    const text = formatFetchedFile(a, ONE) + formatComingFile({ ...a, size: 9 }, TWO);
    for (const known of [readFetchedFiles(text), readFetchedFiles(formatFetchedFiles(readFetchedFiles(text)))]) {
      const { latest, digests } = known.get("./a") ?? assert.fail();
      assert.deepEqual(
        [latest?.size, [...digests]],
        [
          3,
          [
            ...new Map([
              [ONE, 3],
              [TWO, 9],
            ]),
          ],
        ],
      );
      assert.equal(chooseDue({ now: NOW, files: [a] }, known, LIMITS).files.length, 0);
    }
  });

  test("is read past lines that are none, or were cut off", () => {
    const whole = formatFetchedFile(file("./a", 1, 5), ONE);
    for (const text of [
      `${whole}${whole.slice(0, 80)}`,
      `\n${whole}`,
      `nonsense\n${whole}${ONE} x 5 ./b\n`,
      `${whole}${whole.trim()}`,
    ])
      assert.deepEqual([...readFetchedFiles(text).keys()], ["./a"], JSON.stringify(text));
  });
});

test("a line of the machine is a result only with a size, a time, and a name in the folder", () => {
  assert.deepEqual(readThereResult("12 1700000000 ./out/a b.pt"), file("./out/a b.pt", 12, 1_700_000_000));
  for (const line of ["", "12 ./a", "-1 5 ./a", "1 -5 ./a", "1 5 /etc/passwd", "1 5 ../a", "1e3 5 ./a"])
    assert.equal(readThereResult(line), undefined, line);
});
