// Public keys as they stand in files, in the agent and at the service.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { findSharedKey, readPublicKey } from "../../../../src/domain/connection/public-key.ts";

const BLOB = "AAAAC3NzaC1lZDI1NTE5AAAAIH0123456789abcdefghijklmnopqrstuvwxyzABCDE";

describe("one line", () => {
  test("type, key and comment", () =>
    assert.deepEqual(readPublicKey(`ssh-ed25519 ${BLOB} me@home \n`), {
      line: `ssh-ed25519 ${BLOB} me@home`,
      type: "ssh-ed25519",
      blob: BLOB,
      comment: "me@home",
    }));
  test("without a comment", () => assert.equal(readPublicKey(`ssh-rsa ${BLOB}==`)?.comment, ""));
  test("a security key", () =>
    assert.equal(readPublicKey(`sk-ssh-ed25519@openssh.com ${BLOB} x`)?.type, "sk-ssh-ed25519@openssh.com"));
});

describe("what is none", () => {
  const texts = [
    "",
    "ssh-ed25519",
    "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA\n-----END OPENSSH PRIVATE KEY-----",
    `command="rm -rf /" ssh-ed25519 ${BLOB}`,
    `ssh-ed25519 ${BLOB} me\nssh-ed25519 ${BLOB} you`,
    `ssh-ed25519 ${BLOB}\u0000`,
    `ssh-ed25519 ${"A".repeat(10_000)}`,
    "The agent has no identities.",
  ];
  for (const text of texts) test(JSON.stringify(text).slice(0, 40), () => assert.equal(readPublicKey(text), undefined));
});

test("keys are the same by what they are, not by their names", () => {
  const mine = [`ssh-ed25519 ${BLOB} laptop`, `ssh-rsa ${BLOB}Q desk`].flatMap((line) => readPublicKey(line) ?? []);
  assert.equal(findSharedKey(mine, [undefined, "nonsense", `ssh-rsa ${BLOB}Q elsewhere`])?.comment, "desk");
  assert.equal(findSharedKey(mine, [`ssh-rsa ${BLOB}X desk`]), undefined);
  assert.equal(findSharedKey([], [`ssh-rsa ${BLOB}Q`]), undefined);
});
