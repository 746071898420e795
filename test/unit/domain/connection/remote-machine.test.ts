// What a machine says of itself before a window opens on it, and the folder that a person names.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  findTooOld,
  parseRemoteFolder,
  REMOTE_PROBE,
  readRemoteFacts,
  toRemotePlace,
} from "../../../../src/domain/connection/remote-machine.ts";

const said = (ldd: string) => readRemoteFacts(`Welcome!\nprepared\nlibc ${ldd}\nfolder /workspace\n`);

describe("the C library", () => {
  const cases: readonly [line: string, tooOld: string | undefined][] = [
    ["ldd (Ubuntu GLIBC 2.35-0ubuntu3.8) 2.35", undefined],
    ["ldd (Debian GLIBC 2.28-10+deb10u1) 2.28", undefined],
    ["ldd (Ubuntu GLIBC 2.27-3ubuntu1) 2.27", "2.27"],
    ["ldd (GNU libc) 2.17", "2.17"],
    ["ldd (GNU libc) 3.1", undefined],
    ["musl libc (x86_64)", "musl"],
    ["bash: ldd: command not found", undefined],
    ["", undefined],
    [`ldd ${"9".repeat(5000)}.1`, undefined],
  ];
  for (const [line, tooOld] of cases) test(line.slice(0, 60), () => assert.equal(findTooOld(said(line)), tooOld));
});

test("the probe runs in a shell, and its answer is read", () => {
  assert.equal(said("x").isPrepared, true);
  assert.equal(readRemoteFacts("folder /a\n").isPrepared, false);
  assert.equal(readRemoteFacts("prepared soon\n").isPrepared, false);
  assert.doesNotMatch(REMOTE_PROBE, /\n/);
});

describe("the proposed folder", () => {
  const cases: readonly [said: string, folder: string][] = [
    ["folder /workspace", "/workspace"],
    ["folder /home/u s\r\n", "/home/u s"],
    ["folder ", "/root"],
    ["folder $HOME", "/root"],
    ["folder /a/../../etc", "/root"],
    ["folder /\u001b]0;x\u0007", "/root"],
    ["folder /a\u202eb", "/root"],
    ["nothing", "/root"],
  ];
  for (const [text, folder] of cases)
    test(JSON.stringify(text), () => assert.equal(readRemoteFacts(text).folder, folder));
});

test("a window's address is the machine's name and the folder", () =>
  assert.deepEqual(toRemotePlace("cloud-gpu-a-7", "/data/a b"), {
    scheme: "vscode-remote",
    authority: "ssh-remote+cloud-gpu-a-7",
    path: "/data/a b",
  }));

describe("a folder that is typed", () => {
  for (const [typed, folder] of [
    ["/workspace", "/workspace"],
    [" /data/a b ", "/data/a b"],
    ["", ""],
    ["/", "/"],
  ] as const)
    test(JSON.stringify(typed), () => assert.equal(parseRemoteFolder(typed), folder));
  for (const typed of ["workspace", "~/a", "C:\\a", "/a/../b", "/a\u0000b", `/${"a".repeat(2000)}`])
    test(`refused: ${JSON.stringify(typed.slice(0, 20))}`, () =>
      assert.throws(() => parseRemoteFolder(typed), /isn't an absolute path/));
});
