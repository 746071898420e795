// What of a machine's new files is the result of a run.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readResultNames } from "../../../../src/domain/run/result-names.ts";

type Chosen = Parameters<typeof readResultNames>[1];
const read = (text: string, chosen?: Chosen) => readResultNames(Buffer.from(text, "latin1"), chosen);
const nothing = { names: [], odd: 0, others: [], unmatched: [], isWhole: true };

test("of what a run left, names that can't be told line by line are counted", () => {
  assert.deepEqual(read("./a b\0./-x\0\0\0end\0"), { ...nothing, names: ["./a b", "./-x"] });
  const odd = "./a\nb\0./c\\d\0/etc/passwd\0../x\0./\xff\0";
  assert.deepEqual(read(`${odd}\0\0end\0`), { ...nothing, odd: 5 });
  assert.deepEqual(read("\0\0end\0"), nothing);
  assert.deepEqual(
    read("./a\0\0./out\0./other\0\0end\0"),
    { ...nothing, names: ["./a"], odd: 2 },
    "links that lead out",
  );
  // What was cut, or couldn't be read, isn't whole.
  assert.deepEqual(read("./cut"), { ...nothing, isWhole: false });
  assert.deepEqual(read(""), { ...nothing, isWhole: false });
  assert.deepEqual(read("./a\0"), { ...nothing, names: ["./a"], isWhole: false });
  assert.deepEqual(read("./a\0\0./out\0"), { ...nothing, names: ["./a"], odd: 1, isWhole: false });
});

describe("where patterns say what the results are", () => {
  test("only they are, and everything else is named", () => {
    const results = ["out/**", "*.csv"];
    const names = ["./out/a", "./b.csv"];
    assert.deepEqual(read("./out/a\0./b.csv\0./tmp/c\0\0\0end\0", { results }), {
      ...nothing,
      names,
      others: ["tmp/c"],
    });
    const odd = read("./out/a\nb\0./tmp/a\nb\0\0\0end\0", { results: ["out/**"] });
    assert.deepEqual([odd.odd, odd.others], [1, ["tmp/a\nb"]], "names that nobody asked for don't matter");
  });

  test("one that nothing matches is named", () => {
    const { unmatched } = read("./a.csv\0\0\0end\0", { results: ["*.csv", "out/**", "b.csv"] });
    assert.deepEqual(unmatched, ["out/**", "b.csv"]);
  });

  test("a link that leads out counts only if results may lie behind it", () => {
    const odd = (links: string, results: string[]) => read(`\0${links}\0end\0`, { results }).odd;
    assert.equal(odd("./out\0", ["out/*.bin"]), 1);
    assert.equal(odd("./out\0", ["**/*.bin"]), 1);
    assert.equal(odd("./latest\0", ["out/*.bin"]), 0);
  });
});

test("files in data folders aren't results, and are named", () => {
  const listed = "./data/new\0./data-2/a\0./a\0\0./data/out\0\0end\0";
  const names = ["./data-2/a", "./a"];
  assert.deepEqual(read(listed, { data: ["data"] }), { ...nothing, names, others: ["data/new"] });
  assert.deepEqual(read(listed, { data: ["data"], results: ["data/**"] }).unmatched, ["data/**"]);
});

test("a name that is longer than any path can't be downloaded, whatever was asked for", () => {
  const { odd, names } = read(`./${"x".repeat(5000)}\0\0\0end\0`, { results: ["out"] });
  assert.deepEqual([odd, names], [1, []]);
});
