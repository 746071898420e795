// The commands that a machine's shell is given, and what is read of its answers.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, test } from "node:test";
import fc from "fast-check";
import type { AppError } from "../../../../src/domain/base/error.ts";
import {
  downloadCommand,
  findAnswer,
  findComplaint,
  isLoginRefused,
  parseRemotePath,
  remoteName,
  TRANSFER_PROBE,
  uploadCommand,
} from "../../../../src/domain/connection/transfer-command.ts";
import { splitWords } from "../../../../src/lib/shell-words.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

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
  test("its name is the last part", () => assert.equal(remoteName("/a/b c"), "b c"));
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
      for (const command of [uploadCommand(remote), downloadCommand(remote)]) {
        const [exec, shell, flag, script = "", ...rest] = splitWords(command);
        assert.deepEqual([exec, shell, flag, rest], ["exec", "sh", "-c", []]);
        assert.ok(splitWords(script.replaceAll(";", " ")).includes(remote) || /[;]/.test(remote));
      }
    }),
  );
});

test("the scripts are ones that a shell can read", { skip: process.platform === "win32" }, () => {
  for (const command of [uploadCommand("/a 'b'"), downloadCommand("/a 'b'"), TRANSFER_PROBE])
    for (const text of [command, splitWords(command)[3] ?? ""])
      assert.equal(spawnSync("sh", ["-n", "-c", text]).status, 0, text);
});

test("our line is found behind whatever a profile printed", () => {
  assert.equal(findAnswer(bytes("Welcome!\n")), undefined);
  const printed = "Welcome!\ncloud-gpu-answers no\ncloud-gpu-answer folder\nrest";
  assert.deepEqual(findAnswer(bytes(printed)), { answer: "folder", end: printed.length - 4 });
  assert.deepEqual(findAnswer(bytes("größe\ncloud-gpu-answer file\n")), { answer: "file", end: 30 });
  assert.throws(() => findAnswer(bytes("x".repeat(100_000))), /printed other things/);
});

test("the reason is the last line that is one", () => {
  const lines = [
    "Warning: Permanently added 'cloud-gpu-7' (ED25519) to the list of known hosts.",
    "tar: a: Cannot write: No space left on device",
    "tar: Exiting with failure status due to previous errors",
    "",
  ];
  assert.equal(findComplaint(lines.join("\n")), "a: Cannot write: No space left on device");
  assert.equal(findComplaint(lines[0] ?? ""), "");
  assert.equal(findComplaint("\u001b[31mred\u001b[0m \u202eabc\r\n"), "[31mred[0m abc");
});

test("a refused login is told from a command that failed", () => {
  assert.ok(isLoginRefused(255, "root@1.2.3.4: Permission denied (publickey)."));
  assert.ok(!isLoginRefused(1, "mkdir: cannot create directory '/x': Permission denied"));
  assert.ok(!isLoginRefused(255, "Connection reset by peer"));
});
