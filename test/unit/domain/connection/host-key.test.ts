// Host keys: what is stored against what a machine shows.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { compareHostKeys, readHostKeys } from "../../../../src/domain/connection/host-key.ts";

const blob = (letter: string) => `AAAAC3NzaC1lZDI1NTE5AAAAI${letter.repeat(43)}`;
const ed = (letter: string) => ({ type: "ssh-ed25519", blob: blob(letter) });

test("keys are read from what programs print, and all else is passed over", () => {
  const text = [
    "# Host cloud-gpu-a-7 found: line 1",
    `cloud-gpu-a-7 ssh-ed25519 ${blob("A")}`,
    `|1|abc=|def= ssh-ed25519 ${blob("B")} comment`,
    `[1.2.3.4]:20544 ssh-rsa ${blob("C")}\r`,
    `@revoked * ssh-rsa ${blob("D")}`,
    `a ssh-ed25519-cert-v01@openssh.com`,
    "1.2.3.4 ssh-ed25519 short",
    "getaddrinfo: Name or service not known",
  ].join("\n");
  assert.deepEqual(readHostKeys(text), [ed("A"), ed("B"), { type: "ssh-rsa", blob: blob("C") }]);
});

describe("a machine", () => {
  const rsa = { type: "ssh-rsa", blob: blob("R") };
  test("that was never logged in to is new", () => assert.equal(compareHostKeys([], [ed("A")]), "new"));
  test("that shows one of its keys is the same", () =>
    assert.equal(compareHostKeys([ed("A"), rsa], [ed("A"), ed("B")]), "same"));
  test("that shows another key has changed", () => assert.equal(compareHostKeys([ed("A")], [ed("B")]), "changed"));
  test("that shows a key of another type only has changed", () =>
    assert.equal(compareHostKeys([ed("A")], [rsa]), "changed"));
  test("that shows the same bytes as another type has changed", () =>
    assert.equal(compareHostKeys([ed("A")], [{ ...ed("A"), type: "ssh-rsa" }]), "changed"));
  test("that says nothing is unclear", () => assert.equal(compareHostKeys([ed("A")], []), "unclear"));
});
