// Patterns for files: what they match, and what is said of those that aren't allowed.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { compileBelow, compileGlobs, Globs } from "../../../../src/domain/base/glob.ts";
import { seeded } from "../../../fuzz/answers.ts";

const matchesGlob = (glob: string, path: string): boolean => compileGlobs([glob])(path).length > 0;

describe("a pattern matches", () => {
  for (const [glob, path, isMatch] of [
    ["out/model.bin", "out/model.bin", true],
    ["out/model.bin", "out/model.binary", false],
    ["out", "out/a/b.bin", true],
    ["out", "output/a", false],
    ["out/**", "out/a/b.bin", true],
    ["out/**", "out", true],
    ["*.csv", "a.csv", true],
    ["*.csv", ".csv", true],
    ["*.csv", "a/b.csv", false],
    ["**/*.csv", "b.csv", true],
    ["**/*.csv", "a/b/c.csv", true],
    ["a/**/z", "a/z", true],
    ["a/**/z", "a/b/c/z", true],
    ["a/**/z", "b/a/z", false],
    ["**/a/**/b/**/c", "x/a/b/a/b/x/c", true],
    ["run-?/log", "run-1/log", true],
    ["run-?/log", "run-12/log", false],
    ["?", "ü", true],
    ["?", "😀", true],
    ["a*b*c", "aXbXbYc", true],
    ["a*b*c", "aXbXbY", false],
    ["a.c", "abc", false],
    ["$(x)+", "$(x)+", true],
    ["***/a", "b/c/a", true],
    ["A.csv", "a.csv", false],
  ] as const)
    test(`${glob} ${isMatch ? "=" : "≠"} ${path}`, () => assert.equal(matchesGlob(glob, path), isMatch));

  test("the same as an expression would", () => {
    const random = seeded(1);
    const draw = (letters: string, most: number) =>
      Array.from(
        { length: 1 + Math.floor(random() * most) },
        () => letters[Math.floor(random() * letters.length)],
      ).join("");
    for (let at = 0; at < 20_000; at += 1) {
      const [glob, name] = [draw("aab*?", 6), draw("ab", 6)];
      if (/^\*\*+$/.test(glob)) continue;
      const expression = new RegExp(`^${glob.replaceAll(/\*+/g, ".*").replaceAll("?", ".")}$`);
      assert.equal(matchesGlob(glob, name), expression.test(name), `${glob} ${name}`);
    }
  });

  test("many paths against many patterns in about a second", () => {
    const globs = ["out/**", "*.csv", "**/*.csv", "run-?/best.pt", "runs/*/best.pt", "**/model*.bin", "a/*b*c*/d"];
    const findMatching = compileGlobs([...globs, ...Array.from({ length: 13 }, (_, at) => `**/*a*b*${at}`)]);
    const before = process.cpuUsage();
    for (let at = 0; at < 200_000; at += 1) findMatching(`runs/${at % 100}/step-${at}/weights_${at}.safetensors`);
    assert.ok(process.cpuUsage(before).user < 3_000_000);
  });

  test("at once, however it is made", () => {
    const began = performance.now();
    matchesGlob("a*".repeat(99), `${"a".repeat(4000)}b`);
    matchesGlob("**/a/".repeat(39).slice(0, -1), "a/".repeat(2000).slice(0, -1));
    assert.ok(performance.now() - began < 2000);
  });
});

test("what lies behind a link may match if the link leads there", () => {
  for (const [glob, path, may] of [
    ["out/**", "out", true],
    ["out/*.bin", "out", true],
    ["out/*.bin", "out/x.bin", true],
    ["out/*.bin", "logs", false],
    ["**/*.bin", "logs", true],
    ["*.bin", "logs", false],
  ] as const)
    assert.equal(compileBelow(Globs.parse([glob]))(path), may, `${glob} ${path}`);
});

describe("a list of patterns", () => {
  test("has them without what means nothing", () => {
    assert.deepEqual(Globs.parse(["./out/", "a b/*.csv", "-x", "*/*"]), ["out", "a b/*.csv", "-x", "*/*"]);
    assert.deepEqual(Globs.parse([]), []);
    assert.deepEqual(Globs.parse(Globs.parse(["./out/"])), ["out"]);
  });

  const everything = /matches every file\. Leave out the list/;
  const inward = /isn't inside the uploaded folder/;
  for (const [given, says] of [
    [["**"], everything],
    [["*"], everything],
    [["**/*"], everything],
    [["**/*/**"], everything],
    [["../a"], inward],
    [["a/../b"], inward],
    [["a/./b"], inward],
    [["a//b"], inward],
    [["/etc/passwd"], inward],
    [["/"], inward],
    [["."], inward],
    [["./"], inward],
    [["~/a"], inward],
    [["C:/a"], inward],
    [["out\\a"], inward],
    [[""], /A pattern is empty/],
    [["a\0b"], /invalid character/],
    [["a\nb"], /invalid character/],
    [["!a"], /Use only the wildcards/],
    [["a.{pt,bin}"], /Use only the wildcards/],
    [["[ab]"], /Use only the wildcards/],
    [["x".repeat(201)], /longer than 200 characters/],
    [Array(21).fill("a"), /up to 20 patterns/],
    [[7], /up to 20 patterns/],
    ["a", /up to 20 patterns/],
    [null, /up to 20 patterns/],
  ] as const)
    test(`isn't ${JSON.stringify(given).slice(0, 40)}`, () =>
      assert.match(Globs.safeParse(given).error?.issues[0]?.message ?? "", says));
});
