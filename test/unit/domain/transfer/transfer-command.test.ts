// The commands that a machine's shell is given, and what is read of its answers.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, test } from "node:test";
import fc from "fast-check";
import type { AppError } from "../../../../src/domain/base/error.ts";
import {
  buildDownloadCommand,
  buildUploadCommand,
  parseRemotePath,
  readThereFile,
  TRANSFER_PROBE,
  toRemoteName,
} from "../../../../src/domain/transfer/transfer-command.ts";
import { splitWords } from "../../../../src/lib/shell-words.ts";
import { readScript } from "../../support.ts";

describe("a path on the machine", () => {
  for (const [typed, path] of [
    ["/workspace", "/workspace"],
    [" /workspace/data/ ", "/workspace/data"],
    ["//a///b//", "/a/b"],
    ["/it's a $(folder)", "/it's a $(folder)"],
  ] as const)
    test(`${JSON.stringify(typed)} is read`, () => assert.equal(parseRemotePath(typed), path));
  for (const typed of [
    "",
    "/",
    "workspace",
    "~/x",
    "/a/../b",
    "/a/./b",
    "/a\nb",
    "C:\\x",
    "/..",
    `/${"x".repeat(1001)}`,
  ])
    test(`${JSON.stringify(typed.slice(0, 20))} is refused`, () =>
      assert.throws(
        () => parseRemotePath(typed),
        (error: AppError) => error.kind === "rejected",
      ));
  test("its name is the last part", () => assert.equal(toRemoteName("/a/b c"), "b c"));
});

test("whatever the path is, the machine's shell reads one script, and no path is an option or a command", () => {
  const path = fc.array(fc.string({ unit: "grapheme" }), { minLength: 1 }).map((parts) => {
    try {
      return parseRemotePath(`/${parts.join("/")}`);
    } catch {
      return "/-x 'y' $(touch /nowhere)";
    }
  });
  fc.assert(
    fc.property(path, (remote) => {
      for (const command of [buildUploadCommand(remote), buildDownloadCommand(remote)]) {
        const script = readScript(command);
        assert.ok(splitWords(script.replaceAll(";", " ")).includes(remote) || /[;]/.test(remote));
      }
    }),
  );
});

test("the scripts are ones that a shell can read", { skip: process.platform === "win32" }, () => {
  for (const command of [buildUploadCommand("/a 'b'"), buildDownloadCommand("/a 'b'"), TRANSFER_PROBE])
    for (const text of [command, readScript(command)])
      assert.equal(spawnSync("sh", ["-n", "-c", text]).status, 0, text);
});

test("what a machine has is read line by line; whatever isn't a file's line is passed over", () => {
  const lines = [
    "12 1700000000 755 ./run me.sh",
    "0 1 644 ./a",
    "x 1 644 ./b",
    "1 2 644 /etc/passwd",
    "banner",
    "5 2 0644 ./c\td",
  ];
  const there = lines.flatMap((line) => readThereFile(line) ?? []);
  assert.deepEqual(there, [
    { path: "run me.sh", size: 12, seconds: 1_700_000_000, isExecutable: true },
    { path: "a", size: 0, seconds: 1, isExecutable: false },
    { path: "c\td", size: 5, seconds: 2, isExecutable: false },
  ]);
});
