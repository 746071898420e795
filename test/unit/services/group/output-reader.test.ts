// What a machine of a group prints, as lines beside those of the others: nothing is lost, and no line takes the place of another.
import assert from "node:assert/strict";
import { test } from "node:test";
import { OutputReader } from "../../../../src/services/group/output-reader.ts";

function read(...pieces: readonly string[]): readonly string[] {
  const lines: string[] = [];
  const reader = new OutputReader((line) => lines.push(line));
  for (const piece of pieces) reader.push(piece);
  reader.end();
  return lines;
}

test("a line that is too long is told in pieces, however it arrives", () => {
  const long = `${"a".repeat(9000)} the end`;
  assert.equal(read(long).join(""), long);
  assert.equal(read(`${long}\n`).join(""), long);
  assert.equal(read(long, "\nnext\n").join(""), `${long}next`);
});

test("a line can't leave its place: no step back before its beginning, and no half of a sequence at its end", () => {
  // A terminal would read what comes next, which is the rank of another line, as the rest of it.
  const cut = read(`${"a".repeat(3999)}\u001b[31mred`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  for (const line of cut) assert.doesNotMatch(line.replaceAll(/\u001b\[[\d;:]*m/g, ""), /\u001b/);
  // With `[3] ` before it, it would be read as the line of rank 0.
  for (const line of read("\b\b\b\b[0] all is well\n", "ab\b\b\b\b\b\b[0] all is well\n")) {
    let column = 0;
    for (const char of line) {
      column += char === "\b" ? -1 : 1;
      assert.ok(column >= 0, JSON.stringify(line));
    }
  }
});

test("what was held until the end is told in lines as well: none begins within another", () => {
  for (const [printed, lines] of [
    [
      ["\u001b", "\n[0] loss 0.01"],
      ["", "[0] loss 0.01"],
    ],
    [["a\u001b\n[0] loss 0.01"], ["a", "[0] loss 0.01"]],
    [["a\u001b]0;x\n[0] b"], ["a", "[0] b"]],
    [["a\u001b[1\n[0] b"], ["a", "[0] b"]],
    [
      ["a\u009d", "title\n", "[0] b"],
      ["a", "[0] b"],
    ],
    [["a\n\u001b"], ["a"]],
    [
      ["a\u001b[3", "\r\n[0] b\u001b"],
      ["a", "[0] b"],
    ],
  ] as const)
    assert.deepEqual(read(...printed), lines, JSON.stringify(printed));
});

test("a line is told once it is over, whatever stood before its end", () => {
  const lines: string[] = [];
  const reader = new OutputReader((line) => lines.push(line));
  reader.push("a\u001b\nb\n");
  assert.deepEqual(lines, ["a", "b"]);
});

test("a machine that only returns to the beginning of its line keeps nobody busy", () => {
  const { user } = process.cpuUsage();
  assert.deepEqual(read(`${"\r".repeat(64_000)}x\n`), ["x"]);
  const took = (process.cpuUsage().user - user) / 1000;
  assert.ok(took < 200, `64 kB took ${Math.round(took)} ms`);
});

test("steps back show what a terminal would show, with its colors, and no character is cut in two", () => {
  assert.deepEqual(read("10%\b\b\b20%\n", "abc\b\b\n", "\u001b[31mab\b\u001b[32mc\n"), [
    "20%",
    "abc",
    "\u001b[31ma\u001b[32mc",
  ]);
  assert.deepEqual(
    read(`${"a".repeat(3999)}😀\n`).map(({ length }) => length),
    [3999, 2],
  );
});
