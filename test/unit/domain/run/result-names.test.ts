// What of a machine's new files is the result of a run.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ResultNamesReader } from "../../../../src/domain/run/result-names.ts";
import { Turns } from "../../../../src/lib/turns.ts";
import { WordReader } from "../../../../src/lib/word-reader.ts";

type Chosen = ConstructorParameters<typeof ResultNamesReader>[0];
const readSome = async (text: string, most: number, chosen: Chosen = {}) => {
  const reader = new ResultNamesReader(chosen, most);
  for (const word of new WordReader("\0", 5000).read(Buffer.from(text, "latin1"))) reader.take(word);
  return await reader.finish(new Turns());
};
const read = (text: string, chosen?: Chosen) => readSome(text, 9999, chosen);
const nothing = { names: [], odd: 0, others: [], moreOthers: 0, unmatched: [], isWhole: true };

test("of what a run left, names that can't be told line by line are counted", async () => {
  assert.deepEqual(await read("./a b\0./-x\0\0\0end\0"), { ...nothing, names: ["./a b", "./-x"] });
  const odd = "./a\nb\0./c\\d\0/etc/passwd\0../x\0./\xff\0";
  assert.deepEqual(await read(`${odd}\0\0end\0`), { ...nothing, odd: 5 });
  assert.deepEqual(await read("\0\0end\0"), nothing);
  assert.deepEqual(
    await read("./a\0\0./out\0/\0./other\0/\0\0end\0"),
    { ...nothing, names: ["./a"], odd: 2 },
    "links that lead out",
  );
  // What was cut, or couldn't be read, isn't whole.
  assert.deepEqual(await read("./cut"), { ...nothing, isWhole: false });
  assert.deepEqual(await read(""), { ...nothing, isWhole: false });
  assert.deepEqual(await read("./a\0"), { ...nothing, names: ["./a"], isWhole: false });
  assert.deepEqual(await read("./a\0\0./out\0/\0"), { ...nothing, names: ["./a"], odd: 1, isWhole: false });
});

describe("where patterns say what the results are", () => {
  test("only they are, and everything else is named", async () => {
    const results = ["out/**", "*.csv"];
    const names = ["./out/a", "./b.csv"];
    assert.deepEqual(await read("./out/a\0./b.csv\0./tmp/c\0\0\0end\0", { results }), {
      ...nothing,
      names,
      others: ["tmp/c"],
    });
    const odd = await read("./out/a\nb\0./tmp/a\nb\0\0\0end\0", { results: ["out/**"] });
    assert.deepEqual([odd.odd, odd.others], [1, ["tmp/a\nb"]], "names that nobody asked for don't matter");
  });

  test("one that nothing matches is named", async () => {
    const { unmatched } = await read("./a.csv\0\0\0end\0", { results: ["*.csv", "out/**", "b.csv"] });
    assert.deepEqual(unmatched, ["out/**", "b.csv"]);
  });

  test("a link that leads out counts only if results may lie behind it", async () => {
    const odd = async (links: string, results: string[]) => (await read(`\0${links}/\0\0end\0`, { results })).odd;
    assert.equal(await odd("./out\0", ["out/*.bin"]), 1);
    assert.equal(await odd("./out\0", ["**/*.bin"]), 1);
    assert.equal(await odd("./latest\0", ["out/*.bin"]), 0);
  });
});

describe("a link inside the folder, where patterns say what the results are", () => {
  const odd = async (
    listed: readonly string[],
    links: Readonly<Record<string, string>>,
    results: string[],
    data?: string[],
  ) =>
    (
      await read(`${listed.map((one) => `${one}\0`).join("")}\0${Object.entries(links).flat().join("\0")}\0\0end\0`, {
        results,
        ...(data ? { data } : {}),
      })
    ).odd;
  for (const [what, count, listed, links, results] of [
    ["to a file that isn't downloaded", 1, ["./c/7"], { "./out/best": "./c/7" }, ["out/**"]],
    ["to a file that is", 0, ["./out/7"], { "./out/best": "./out/7" }, ["out/**"]],
    ["to a file that isn't new", 0, ["./out/7"], { "./out/best": "./base.pt" }, ["out/**"]],
    ["that nobody asked for", 0, ["./c/7"], { "./best": "./c/7" }, ["out/**"]],
    ["to a folder with a file that isn't downloaded", 1, ["./c/d/7"], { "./out": "./c" }, ["out/d/*"]],
    ["to a folder with nothing that was asked for", 0, ["./c/log"], { "./out": "./c" }, ["out/*.pt"]],
    [
      "to one whose results are downloaded",
      0,
      ["./runs/1/a.pt", "./runs/1/log"],
      { "./runs/last": "./runs/1" },
      ["runs/*/*.pt"],
    ],
    ["to a name that another only begins with", 0, ["./c-2/a", "./cc"], { "./out": "./c" }, ["out/**"]],
    ["to the folder itself", 1, ["./a"], { "./out/all": "." }, ["out/**"]],
    ["to a folder with a link to what isn't downloaded", 1, ["./c/7"], { "./out": "./b", "./b/c": "./c" }, ["out/**"]],
    ["to a folder with a link to what is", 0, ["./out/7"], { "./out/b": "./x", "./x/c": "./out" }, ["out/**"]],
    ["to a folder with a link that leads out", 1, [], { "./out": "./b", "./b/c": "/" }, ["out/**"]],
    ["to a folder that is never listed", 1, [], { "./out/x": "./venv/x" }, ["out/**"]],
    ["in a circle", 0, ["./out/7"], { "./out/self": "./out" }, ["out/*"]],
    ["by a name with line breaks and tabs", 1, ["./c/7\n\t"], { "./out/a\n\t": "./c/7\n\t" }, ["out/**"]],
  ] as const)
    test(`${what} counts ${count === 0 ? "for nothing" : "as odd"}`, async () =>
      assert.equal(await odd(listed, links, [...results]), count));

  test("to what is new in a data folder counts as odd only if its own name is a result", async () => {
    const links = { "./out/x": "./data/x" };
    assert.equal(await odd(["./data/x"], links, ["out/**"], ["data"]), 1);
    assert.equal(await odd(["./data/x"], links, ["*.csv"], ["data"]), 0);
  });

  test("counts as odd where it can't be followed to the end, and following it ends", async () => {
    const names = Array.from({ length: 1000 }, (_, at) => `./d${at}`);
    const links = Object.fromEntries(names.map((name, at) => [`${name}/l`, names[at + 1] ?? "."]));
    const everywhere = Object.fromEntries(names.map((name) => [`./out${name.slice(1)}`, "."]));
    assert.equal(await odd([], { "./out": "./d0", ...links }, ["out/**"]), 1);
    assert.ok(
      (await odd(
        names.map((name) => `${name}/f`),
        everywhere,
        ["out/*/*/f/g"],
      )) > 0,
    );
  });
});

test("where everything is a result, a link counts as odd if it leads to what isn't downloaded", async () => {
  const odd = async (listed: string, links: string) =>
    (await read(`${listed}\0${links}\0end\0`, { data: ["data"] })).odd;
  assert.equal(await odd("./a\0", "./best\0./venv/best.pt\0"), 1);
  assert.equal(await odd("./a\0./data/new\0", "./best\0./data/new\0"), 1, "new in a data folder");
  assert.equal(await odd("./a\0./data/new\0", "./train\0./data/old\0"), 0, "uploaded");
  assert.equal(await odd("./a\0./data/new\0", "./data/best\0./data/new\0"), 0, "no result by any name");
  assert.equal(await odd("./a\0", "./b\0./a\0./self\0.\0"), 0);
});

test("files in data folders aren't results, and are named", async () => {
  const listed = "./data/new\0./data-2/a\0./a\0\0./data/out\0/\0\0end\0";
  const names = ["./data-2/a", "./a"];
  assert.deepEqual(await read(listed, { data: ["data"] }), { ...nothing, names, others: ["data/new"] });
  assert.deepEqual((await read(listed, { data: ["data"], results: ["data/**"] })).unmatched, ["data/**"]);
});

test("a name that is longer than any path can't be downloaded, whatever was asked for", async () => {
  const { odd, names } = await read(`./${"x".repeat(5000)}\0\0\0end\0`, { results: ["out"] });
  assert.deepEqual([odd, names], [1, []]);
});

test("what a run left is remembered up to a limit: too many results or links are refused, other files counted", async () => {
  const names = (count: number) => Array.from({ length: count }, (_, at) => `./${at}\0`).join("");
  const refused = { kind: "rejected", message: "The download has more than 3 files. Nothing was saved." };
  await assert.rejects(readSome(names(4), 3, {}), refused);
  await assert.rejects(readSome("./a\nb\0".repeat(4), 3, {}), refused, "names that can't be told count as well");
  await assert.rejects(readSome(`\0${"./l\0./x\0".repeat(5)}`, 3, {}), refused);
  assert.equal((await readSome(`${names(3)}\0\0end\0`, 3, {})).names.length, 3);
  const some = await readSome(`${names(5)}\0./out/l\0./4\0\0end\0`, 3, { results: ["out"] });
  assert.deepEqual([some.others, some.moreOthers, some.odd, some.isWhole], [["0", "1", "2"], 2, 1, true]);
});
