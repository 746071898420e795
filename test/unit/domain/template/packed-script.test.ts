// Packing a start script that is too long: it comes back letter by letter, a shell runs the same, and bombs stay packed.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { asAppError } from "../../../../src/domain/base/error.ts";
import { fitsOnstart, packScript, readScript, unpackScript } from "../../../../src/domain/template/packed-script.ts";
import { MOST_ONSTART } from "../../../../src/domain/template/template-draft.ts";

const wrapped = (bytes: Buffer) =>
  `# Packed by Cloud GPU: x\neval "$(echo ${bytes.toString("base64")} | base64 -d | gzip -dc)"\n`;
const long = (line: string) => `${line}\n`.repeat(Math.ceil(5000 / line.length));

describe("packing", () => {
  test("whatever a script holds comes back as it was", async () => {
    const piece = fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.constantFrom("\n", "\r", "'", '"', "$", "`", "\uFEFF", "#!"),
    );
    await fc.assert(
      fc.asyncProperty(
        fc
          .array(piece)
          .map((parts) => parts.join(""))
          .filter((script) => !script.startsWith("#!")),
        async (script) => assert.equal(await unpackScript(await packScript(script)), script),
      ),
      { numRuns: 300 },
    );
  });

  test("a shell runs the packed script as it runs the script itself", async () => {
    const script = `#!/bin/sh\nA='it''s "$HOME" \\\\ é'\necho "$A" | tr a-z A-Z\ncat <<'END'\n  $(here) \`doc\`\nEND\n${long("# words")}exit 3\n`;
    const packed = await packScript(script);
    assert.ok(packed.startsWith("#!/bin/sh\n"));
    assert.ok(fitsOnstart(packed));
    const run = (text: string) => {
      try {
        return { out: execFileSync("sh", ["-c", text], { encoding: "utf8" }), status: 0 };
      } catch (error) {
        const { stdout, status } = error as { stdout: string; status: number };
        return { out: stdout, status };
      }
    };
    assert.equal(run(script).status, 3);
    assert.deepEqual(run(packed), run(script));
  });

  test("variables a packed script sets are set for what follows in the same shell", async () => {
    const packed = await packScript("export TABS=17\n");
    assert.equal(execFileSync("sh", ["-c", `${packed}echo "$TABS"`], { encoding: "utf8" }), "17\n");
  });

  test("a script of another interpreter is refused, one of any shell is not", async () => {
    for (const first of [
      "#!/usr/bin/env python3",
      "#!/usr/bin/perl -w",
      "#!/usr/bin/fish",
      "#!/usr/bin/env -S python3 run.sh",
    ])
      await assert.rejects(packScript(`${first}\nx\n`), /another interpreter/);
    const shells = [
      "#!/bin/bash",
      "#! /bin/sh -e",
      "#!/usr/bin/env bash",
      "#!/usr/bin/env -S zsh -f",
      "#!/bin/env bash",
    ];
    const others = ["#!/bin/busybox sh", "#!/usr/bin/env -S A=1 bash", "#!/bin/mksh", "#!/usr/bin/env -i B=2 dash -e"];
    for (const first of [...shells, ...others])
      assert.equal(await unpackScript(await packScript(`${first}\nx\n`)), `${first}\nx\n`);
  });
});

describe("unpacking what others wrote", () => {
  test("what is no packed script, or damaged, is left as it is", async () => {
    const good = await packScript("echo one");
    for (const text of [
      "",
      "echo one",
      good.replace("eval", "x; eval"),
      `${good}echo two\n`,
      good.replace("H4sI", "AAAA"),
    ])
      assert.equal(await unpackScript(text), undefined, text);
    assert.equal(await unpackScript(wrapped(gzipSync(Buffer.from([0xff, 0xfe])))), undefined, "no UTF-8");
    assert.equal(await unpackScript(wrapped(gzipSync("x").subarray(0, 15))), undefined, "cut off");
  });

  test("a few kilobytes that grow to a gigabyte are not unpacked", async () => {
    const bomb = wrapped(gzipSync(Buffer.alloc(64 * 1024 * 1024)));
    const began = performance.now();
    assert.equal(await unpackScript(bomb), undefined);
    assert.ok(performance.now() - began < 2000);
  });
});

describe("reading what is typed", () => {
  test("what fits is stored as it is, with line ends as shells take them", async () => {
    const { stored, packed, length } = await readScript("a\r\nb\rc\n", true);
    assert.deepEqual([stored, packed, length], ["a\nb\nc\n", false, 6]);
    const exact = "x".repeat(MOST_ONSTART);
    assert.equal((await readScript(exact, false)).stored, exact);
  });

  test("one character too many is told where, and packed only when it may be", async () => {
    const typed = "x".repeat(MOST_ONSTART + 1);
    const { stored, problem } = await readScript(typed, false);
    assert.deepEqual([stored, problem?.kind, problem?.at], [undefined, "too-long", MOST_ONSTART]);
    assert.match(problem?.message ?? "", /has 4,049 characters\. The maximum is 4,048/);
    const packed = await readScript(typed, true);
    assert.ok(packed.packed && packed.stored && packed.length === packed.stored.length);
    assert.equal(await unpackScript(packed.stored), typed);
  });

  test("what is too long even when packed is said so, with both lengths", async () => {
    const noise = Array.from({ length: 9000 }, (_, at) =>
      String.fromCharCode(33 + ((at * 7919 + at * at * 31) % 90)),
    ).join("");
    const random = Array.from({ length: 600 }, () => crypto.randomUUID()).join("\n");
    const { stored, problem, packed } = await readScript(`${random}\n# ${noise}`, true);
    assert.deepEqual([stored, problem?.kind, packed], [undefined, "too-long-packed", true]);
    assert.match(problem?.message ?? "", /when compressed\. The maximum is 4,048/);
  });

  test("a NUL and half of a character are refused where they stand", async () => {
    for (const bad of ["\0", "\uD800"]) {
      const { stored, problem } = await readScript(`echo${bad}x`, true);
      assert.deepEqual([stored, problem?.kind, problem?.at], [undefined, "unsendable", 4]);
    }
    assert.equal(asAppError(await packScript("#!/usr/bin/python\n").catch((error) => error)).kind, "rejected");
  });
});
