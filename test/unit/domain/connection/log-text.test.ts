// The text of a log: harmless in a terminal, plain in a document, and continued from one reading to the next.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import {
  cleanInTurns,
  cleanLog,
  continueLog,
  LogCleaner,
  toPlainLog,
} from "../../../../src/domain/connection/log-text.ts";
import { Turns } from "../../../../src/lib/turns.ts";

const ESC = "\u001b";

const KEPT = [
  "plain text, tabs\tand umlauts äöü 漢字 👩‍👩‍👧",
  `${ESC}[1;31merror${ESC}[0m`,
  `${ESC}[38;2;1;2;3m${ESC}[48:5:17m${ESC}[m${ESC}[;1m`,
  `${ESC}[38;5;7m${ESC}[48;2;7;7;7m${ESC}[27m${ESC}[37;47m${ESC}[70m`,
  `${ESC}[1;38;5;8;48;2;8;5;6;4m${ESC}[38:2::8:8:8m${ESC}[58;5;6m${ESC}[4:3m${ESC}[18;80;108m`,
  "10 %\r20 %\r\n",
  "spinner |\b/",
];

/** Turns a text into its own background, as the lines of ours are marked. */
const REVERSED = ["7", "07", "007", "0;7", ";7", "7;", "1;7;31", "38;5;1;7", "48;2;1;2;3;7", "4:3;7", "7:1", "0;07;0"];

const REMOVED: readonly (readonly [what: string, text: string, left?: string])[] = [
  ["the clipboard", `a${ESC}]52;c;cm0gLXJmIC8=\u0007b`],
  ["the clipboard, ended by ST", `a${ESC}]52;c;cm0gLXJmIC8=${ESC}\\b`],
  ["a link", `a${ESC}]8;;command:x${ESC}\\b${ESC}]8;;${ESC}\\`],
  ["a title", `a${ESC}]0;cloud\u0007b`],
  ["one of an editor", `a${ESC}]633;E;rm -rf /\u0007b`],
  ["one without an end, up to the end of its line", `a${ESC}]0;never ends\nb`, "a\nb"],
  ["a device control string", `a${ESC}P$q"p${ESC}\\b`],
  ["application, privacy and start of string", `a${ESC}_x${ESC}\\${ESC}^x${ESC}\\${ESC}Xx${ESC}\\b`],
  ["questions to the terminal", `a${ESC}[6n${ESC}[c${ESC}[>c${ESC}[5n${ESC}[?6n${ESC}Zb`],
  ["moves and erasures", `a${ESC}[2J${ESC}[H${ESC}[1;1f${ESC}[3A${ESC}[Kb`],
  ["modes", `a${ESC}[?1049h${ESC}[?1000h${ESC}[4lb`],
  ["what looks like a style", `a${ESC}[>4;2m${ESC}[?4m${ESC}[${"1;".repeat(100)}mb`],
  ["hidden and blinking text", `a${ESC}[8m${ESC}[1;8m${ESC}[008m${ESC}[8;1m${ESC}[5m${ESC}[31;6mb`],
  ["hidden text in the place of a color", `a${ESC}[38;9;8m${ESC}[38;8m${ESC}[48;5;1;8m${ESC}[38;2;1;8m${ESC}[4:8mb`],
  ["what our own lines are marked by", REVERSED.map((style) => `${ESC}[${style}m`).join("a"), "a".repeat(11)],
  ["our mark", `${ESC}[0m${ESC}[7m * ${ESC}[0m Destroyed instance 7.`, `${ESC}[0m * ${ESC}[0m Destroyed instance 7.`],
  ["a reset, a character set, a saved cursor", `a${ESC}c${ESC}(0${ESC}7${ESC}#8b`],
  ["a bare escape, also at the end", `a${ESC}${ESC}\nb${ESC}`, "a\nb"],
  ["controls of one byte", "a\u0000\u0007\u000b\u000c\u000e\u000f\u007fb"],
  ["C1 controls", "a\u009b2J\u009d52;c;eA==\u009c\u0090x\u009c\u0085b"],
  ["what reorders a line or can't be seen", "a\u202e\u2066\u061c\u200b\ufeff\u{e0041}\u2028b"],
  ["half of a character", "a\ud800b"],
  ["one hidden in another", `a${ESC}${ESC}[2J[2Jb`, "a[2Jb"],
];
describe("in a terminal", () => {
  for (const text of KEPT) test(`keeps ${JSON.stringify(text)}`, () => assert.equal(cleanLog(text), text));
  for (const [what, text, left = "ab"] of REMOVED) test(`removes ${what}`, () => assert.equal(cleanLog(text), left));
});

test("a sequence of 8 MB is removed like a short one", () => {
  for (const start of [`${ESC}]`, `${ESC}P`, `${ESC}[`, `${ESC} `, "\u009d", "\u009b"])
    for (const unit of ["!", " ", start])
      assert.equal(cleanLog(`a\n${start}${unit.repeat(8_000_000 / unit.length)}\nb`), "a\n\nb");
});

/** Texts of which much is obeyed by a terminal. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ESC,
        `${ESC}[`,
        `${ESC}]`,
        `${ESC}\\`,
        `${ESC}P`,
        "\u009b",
        "\u009d",
        "\u0007",
        "\n",
        "\r",
        "\b",
        "m",
      ),
      fc.constantFrom("31", ";", "2J", "52;c;", "?", ">", "n", "a", " ", "\u202e", "\ud83d", "\u0018"),
      fc.string({ unit: "binary", maxLength: 4 }),
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(""));

describe("piece by piece", () => {
  const cleaned = (pieces: readonly string[]) => {
    const cleaner = new LogCleaner();
    return pieces.map((piece) => cleaner.push(piece)).join("") + cleaner.end();
  };
  const TEXTS = [...KEPT, ...REMOVED.map(([, text]) => text)];
  for (const text of TEXTS)
    test(`cut anywhere, ${JSON.stringify(text)} is cleaned as a whole`, () => {
      const characters = [...text];
      for (let at = 0; at <= characters.length; at += 1) {
        const pieces = [characters.slice(0, at), characters.slice(at)].map((some) => some.join(""));
        assert.equal(cleaned(pieces), cleanLog(text), `cut at ${at}`);
      }
      assert.equal(cleaned(characters), cleanLog(text), "character by character");
    });

  test("nothing that a terminal obeys gets through, however it is cut", () => {
    fc.assert(
      fc.property(fc.array(hostile, { maxLength: 6 }), (pieces) => {
        const out = cleaned(pieces);
        assert.equal(cleanLog(out), out);
      }),
      { numRuns: 5000 },
    );
  });

  test("a sequence that a line break cuts off holds nothing", () => {
    for (const start of [
      ESC,
      `${ESC} `,
      `${ESC}(`,
      `${ESC}[`,
      `${ESC}[1;2`,
      "\u009b",
      `${ESC}]0;title`,
      `${ESC}P`,
      "\u009d",
    ])
      for (const next of ["\n", "\r\n", "\nä", "\n漢"]) {
        const cleaner = new LogCleaner();
        assert.equal(
          cleaner.push(`${start}${next}done\n`),
          cleanLog(`${start}${next}done\n`),
          JSON.stringify(start + next),
        );
        assert.equal(cleaner.end(), "", "nothing was held");
      }
  });

  test("a sequence without an end doesn't hold what comes after it for ever", () => {
    const cleaner = new LogCleaner();
    cleaner.push(`${ESC}]0;`);
    cleaner.push("x".repeat(5000));
    assert.equal(cleaner.push("next\n"), "next\n");
  });
});

test("whatever the log holds, nothing but text, styles, tabs, line breaks and steps back is left", () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const styles = new RegExp(`${ESC}\\[[0-9:;]*m`, "g");
      const left = cleanLog(text).replace(styles, "");
      assert.doesNotMatch(left, /[^\P{Cc}\b\t\n\r]/u);
      assert.doesNotMatch(left, /[^\P{Cf}\u200c\u200d]|[\u2028\u2029]/u);
      assert.ok(left.isWellFormed());
      assert.equal(cleanLog(cleanLog(text)), cleanLog(text), "nothing new appears where something was removed");
    }),
    { numRuns: 3000 },
  );
});

test("a text that goes on is cleaned to one that goes on", () => {
  fc.assert(
    fc.property(hostile, hostile, (text, more) => assert.ok(cleanLog(text + more).startsWith(cleanLog(text)))),
    { numRuns: 3000 },
  );
});

test("a document has no controls at all, and a line for each state of a progress bar", () => {
  assert.equal(toPlainLog(`${ESC}[32mok${ESC}[0m\r\n10 %\r20 %\r\n|\b/\tx`), "ok\n10 %\n20 %\n|/\tx");
  fc.assert(
    fc.property(hostile, (text) => assert.doesNotMatch(toPlainLog(text), /[^\P{Cc}\t\n]/u)),
    { numRuns: 1000 },
  );
});

describe("a later reading", () => {
  const CASES: readonly (readonly [what: string, before: string, now: string, text: string, isGap?: boolean])[] = [
    ["the first one is new as a whole", "", "a\nb\n", "a\nb\n"],
    ["the same again is nothing", "a\nb\n", "a\nb\n", ""],
    ["what was added", "a\nb\n", "a\nb\nc\n", "c\n"],
    ["what was added while the beginning fell out", "a\nb\nc\n", "b\nc\nd\n", "d\n"],
    ["a line that was not complete", "a\nb\nc", "b\ncd\n", "d\n"],
    ["repeated lines overlap as far as they can", "x\nx\nx\n", "x\nx\nx\ny\n", "y\n"],
    ["nothing in common", "a\nb\n", "c\nd\n", "c\nd\n", true],
    ["the middle of a line is no common line", "ab\n", "b\nc\n", "b\nc\n", true],
    ["blank lines are no common line", "a\n\n", "\nc\n", "\nc\n", true],
    ["an older reading again", "a\nb\nc\n", "a\nb\n", ""],
    ["a log that is empty for now", "a\n", "", ""],
    ["the longest overlap counts", "a\nb\na\nb\n", "a\nb\na\nb\na\n", "a\n"],
  ];
  for (const [what, before, now, text, isGap = false] of CASES)
    test(what, async () => assert.deepEqual(await continueLog(before, now, new Turns()), { text, isGap }));

  const line = fc.constantFrom("a", "b", "ab", "", "x".repeat(150), `${"x".repeat(150)}y`);
  const log = fc.array(line, { maxLength: 12 }).map((lines) => lines.map((one) => `${one}\n`).join(""));

  test("is found as a plain search finds it", async () => {
    await fc.assert(
      fc.asyncProperty(log, log, async (before, now) => {
        const starts = [...before.matchAll(/^/gm)].map(({ index }) => index);
        const shared = starts.map((at) => before.slice(at)).filter((end) => end !== "" && now.startsWith(end));
        const longest = shared[0] ?? "";
        const { text, isGap } = await continueLog(before, now, new Turns());
        if (before === "") assert.deepEqual({ text, isGap }, { text: now, isGap: false });
        else if (before.startsWith(now)) assert.equal(text, "");
        else if (longest.trim() === "" && longest !== before)
          assert.deepEqual({ text, isGap }, { text: now, isGap: true });
        else assert.deepEqual({ text, isGap }, { text: now.slice(longest.length), isGap: false });
      }),
      { numRuns: 3000 },
    );
  });

  test("is found in 8 MB of one word as well", async () => {
    const log = "word ".repeat(800_000);
    const before = `${log}\n${log}b\nlast\n`;
    assert.deepEqual(await continueLog(before, `${log}\n${log}c\n`, new Turns()), {
      text: `${log}\n${log}c\n`,
      isGap: true,
    });
    assert.deepEqual(await continueLog(before, `last\n${log}`, new Turns()), { text: log, isGap: false });
  });
});

test("a whole log is cleaned in parts as it is at once, whatever lies where one part ends", async () => {
  const odd = [
    `${ESC}[1;31m`,
    `${ESC}]0;a title\u0007`,
    "\r\n",
    "\r\r\r\n",
    "👩‍👩‍👧",
    `${ESC}${ESC}[0m`,
    `${ESC}P${"x".repeat(5000)}`,
  ];
  for (const one of odd)
    for (let before = 64 * 1024 - one.length; before <= 64 * 1024; before += Math.ceil(one.length / 40)) {
      const log = `${"a".repeat(before)}${one}b\n`;
      for (const clean of [cleanLog, toPlainLog]) {
        const whole = await cleanInTurns(log, clean, new Turns());
        if (one.length < 4096) assert.equal(whole, clean(log), JSON.stringify([one, before]));
        assert.doesNotMatch(whole.replaceAll(`${ESC}[`, ""), new RegExp(ESC));
      }
    }
});
