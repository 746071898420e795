// Secrets of a run, as the shells of machines read them: real shells, many drawn values.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, test } from "node:test";
import { SecretNames } from "../../../../src/domain/base/command.ts";
import { AppError } from "../../../../src/domain/base/error.ts";
import { buildSecretLine, MOST_SECRET_BYTES, parseSecretValue } from "../../../../src/domain/run/run-secrets.ts";
import { seeded } from "../../../fuzz/answers.ts";

const SHELLS: readonly (readonly [name: string, program: string, args: readonly string[]])[] = [
  ["sh", "sh", []],
  ["dash", "dash", []],
  ["bash", "bash", []],
  ["bash --posix", "bash", ["--posix"]],
  ["busybox ash", "busybox", ["ash"]],
  ["ksh", "ksh", []],
  ["zsh --emulate sh", "zsh", ["--emulate", "sh"]],
];

/** What a program gets that such a shell starts once it has read the line. */
function readThrough(program: string, args: readonly string[], values: ReadonlyMap<string, string>) {
  const print = "for (const n of JSON.parse(process.argv[1])) process.stdout.write(process.env[n] + '\\0')";
  const script = `unset k; IFS= read -r k && eval "$k"; exec "$0" -e "$1" "$2"`;
  const given = [...args, "-c", script, process.execPath, print, JSON.stringify([...values.keys()])];
  const { stdout, stderr } = spawnSync(program, given, {
    input: `${buildSecretLine(values)}\nrest\n`,
    encoding: "utf8",
    // Without a home folder, no profile is read.
    env: { PATH: process.env.PATH ?? "", HOME: "/nonexistent", k: "exported before", LANG: "C.UTF-8" },
    maxBuffer: 10_000_000,
  });
  return { values: stdout.split("\0").slice(0, -1), stderr };
}

/** The same in every run. */
function createDraw(seed: number) {
  const random = seeded(seed);
  return (below: number) => Math.floor(random() * below);
}

const PIECES = [
  ..."abcXYZ0189_-./+=@:, \t\n\r\\'\"`$!#%&*?[]{}()<>|;~^",
  ...["\\0101", "$(id)", "`id`", "%s", "%b", "\\c", "\\n", "é", "ü", "中", "🔑", "\u0001", "\u007f", "\n\n", "'\\''"],
];

function drawValue(draw: (below: number) => number): string {
  const length = 1 + draw(20);
  return Array.from({ length }, () => PIECES[draw(PIECES.length)]).join("");
}

const KINDS: readonly (readonly [name: string, value: string])[] = [
  ["a token", "hf_AbCdEf0123456789"],
  ["line breaks at its end", "one\ntwo\n\n"],
  ["digits after a sign", " 7 07 077 0777"],
  ["what a shell would run", "$(touch x)`touch y`';touch z;'"],
  ["64 KB", "k\n".repeat(MOST_SECRET_BYTES / 2)],
];

describe("secrets of a run", () => {
  for (const [name, program, args] of SHELLS) {
    const isThere = spawnSync(program, [...args, "-c", ":"]).status === 0;
    test(`arrive as they were typed in ${name}`, { skip: !isThere && `${name} isn't installed` }, () => {
      const draw = createDraw(7);
      const drawn = Array.from({ length: 400 }, () => drawValue(draw));
      const all = [...KINDS.map(([, value]) => value), ...drawn];
      for (let at = 0; at < all.length; at += 16) {
        const values = new Map(all.slice(at, at + 16).map((value, n) => [`SECRET_${n}`, value]));
        const read = readThrough(program, args, values);
        assert.deepEqual(read.values, [...values.values()], read.stderr);
        assert.equal(read.stderr, "");
      }
    });
  }

  test("take one line, whatever is in them", () => {
    const draw = createDraw(11);
    for (let count = 0; count < 2000; count += 1) {
      const line = buildSecretLine(new Map([["A", drawValue(draw)]]));
      assert.match(line, /^export A="\$\(printf %b\. '[\w.+=@:,\\-]*'\)"; A=\$\{A%\.\}$/);
    }
  });

  for (const [text, message] of [
    ["", /Enter the value/],
    ["a\0b", /invalid character/],
    ["é".repeat(MOST_SECRET_BYTES / 2 + 1), /larger than 64 KB/],
  ] as const)
    test(`are refused if no variable can hold them: ${JSON.stringify(text.slice(0, 4))}`, () => {
      assert.throws(
        () => parseSecretValue(text),
        (error) => error instanceof AppError && message.test(error.message),
      );
    });

  for (const [names, message] of [
    [["HF_TOKEN"], undefined],
    [[], undefined],
    ["HF_TOKEN", /Enter a list of names/],
    [["HF-TOKEN"], /“HF-TOKEN” can't be the name/],
    [["A", "A"], /occurs twice/],
    [[7], /“7” can't be the name/],
    [["UID"], /“UID” can't be the name/],
    [["__proto__"], /“__proto__” can't be the name/],
    [["cloud_gpu_line"], /“cloud_gpu_line” can't be the name/],
    [["k"], undefined],
    [Array.from({ length: 17 }, (_, n) => `A${n}`), /at most 16/],
  ] as const)
    test(`are named ${JSON.stringify(names).slice(0, 40)}`, () => {
      const read = SecretNames.safeParse(names);
      if (message) assert.match(read.error?.issues[0]?.message ?? "", message);
      else assert.ok(read.success);
    });
});
