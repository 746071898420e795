// Our one line in the person's own SSH configuration: at the top, once, and gone again without a trace.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  formatInclude,
  isIncluded,
  withInclude,
  withoutInclude,
} from "../../../../src/domain/connection/ssh-include.ts";
import { seeded } from "../../../fuzz/answers.ts";

const OURS = "~/.ssh/cloud-gpu/config";
const LINE = `Include ${OURS}`;

describe("the line comes first", () => {
  const texts: readonly [what: string, before: string, after: string][] = [
    ["an empty file", "", `${LINE}\n`],
    ["one host", "Host a\n  Port 1\n", `${LINE}\nHost a\n  Port 1\n`],
    ["no line end at the end", "Host a", `${LINE}\nHost a`],
    ["Windows line ends", "Host a\r\n  Port 1\r\n", `${LINE}\r\nHost a\r\n  Port 1\r\n`],
    ["a byte order mark", "\uFEFFHost a\n", `\uFEFF${LINE}\nHost a\n`],
    ["a comment", "# mine\n\nHost *\n", `${LINE}\n# mine\n\nHost *\n`],
    ["a match", 'Match exec "true"\n', `${LINE}\nMatch exec "true"\n`],
    ["our line below a host", `Host a\n${LINE}\n`, `${LINE}\nHost a\n${LINE}\n`],
    ["our line below an option", `ForwardAgent yes\n${LINE}\n`, `${LINE}\nForwardAgent yes\n${LINE}\n`],
    ["our line in a comment", `# ${LINE}\n`, `${LINE}\n# ${LINE}\n`],
    ["another file of ours", `${LINE}.old\n`, `${LINE}\n${LINE}.old\n`],
    ["a line with another file, too", `${LINE} ~/other\n`, `${LINE}\n${LINE} ~/other\n`],
  ];
  for (const [what, before, after] of texts)
    test(what, () => {
      assert.equal(withInclude(before, OURS), after);
      assert.equal(withoutInclude(after, OURS), before);
    });
});

describe("a line that is in effect already is left as it is", () => {
  for (const text of [
    `${LINE}\nHost a\n`,
    `# first of all\n\n  ${LINE}\n`,
    `include = "${OURS}"\r\nHost a\r\n`,
    `\uFEFFINCLUDE\t${OURS}`,
  ])
    test(JSON.stringify(text), () => assert.equal(withInclude(text, OURS), text));
});

describe("taken out again is only the line that comes first", () => {
  const texts: readonly [what: string, before: string, after: string][] = [
    ["one further down is the person's own", `${LINE}\nHost a\n${LINE}\n`, `Host a\n${LINE}\n`],
    ["also where it is the only one", `Host a\n${LINE}\n`, `Host a\n${LINE}\n`],
    ["below an option", `Compression yes\n${LINE}`, `Compression yes\n${LINE}`],
    ["below a comment of theirs", `# mine\n\n${LINE}\nHost a\n`, "# mine\n\nHost a\n"],
  ];
  for (const [what, before, after] of texts) test(what, () => assert.equal(withoutInclude(before, OURS), after));
});

test("a path with a blank is quoted, and found again", () => {
  const path = "/home/a b/config";
  assert.equal(formatInclude(path), 'Include "/home/a b/config"');
  assert.ok(isIncluded(withInclude("Host a", path), path));
});

test("10,000 configurations of any kind are byte for byte what they were", () => {
  const random = seeded(13);
  const one = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;
  const LINES = [
    ...[
      "",
      "  ",
      "\t",
      "Host *",
      "Host a b",
      "Match all",
      'Match exec "x"',
      "# comment",
      "#",
      "  Port 22",
      "Compression yes",
    ],
    ...[
      LINE,
      `  ${LINE}`,
      `Include "${OURS}"`,
      `include=${OURS}`,
      `${LINE} # late`,
      "Include ~/.ssh/*",
      "Include",
      "é ü 漢",
      "\uFEFF",
    ],
  ];
  let changed = 0;
  for (let turn = 0; turn < 10_000; turn += 1) {
    const ends = one([["\n"], ["\r\n"], ["\n", "\r\n"], ["\r", "\n"]]);
    const lines = Array.from({ length: Math.floor(random() * 8) }, () => one(LINES) + one(ends));
    const text = (random() < 0.1 ? "\uFEFF" : "") + lines.join("") + (random() < 0.3 ? one(LINES) : "");
    const added = withInclude(text, OURS);
    assert.ok(isIncluded(added, OURS), JSON.stringify(text));
    assert.equal(withInclude(added, OURS), added, "twice is once");
    if (added === text) continue;
    changed += 1;
    assert.equal(withoutInclude(added, OURS), text, JSON.stringify(text));
    assert.deepEqual(Buffer.from(withoutInclude(added, OURS)), Buffer.from(text));
  }
  assert.ok(changed > 5000, `${changed} were changed`);
});
