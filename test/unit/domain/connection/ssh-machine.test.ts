// The record of a machine that was logged in to: anyone may write such a file, so nothing in it is believed unread.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isMachineOf, readSshMachine } from "../../../../src/domain/connection/ssh-machine.ts";

const RECORD = {
  ...{ version: 1, alias: "cloud-gpu-example.com-7", id: 7, host: "1.2.3.4", port: 20_544, at: 1 },
  ...{ base: "https://example.com", account: "tag", user: 4, sandbox: false },
};
const read = (part: object = {}) => readSshMachine(JSON.stringify({ ...RECORD, ...part }));

test("a record is read as it was written", () => assert.deepEqual(read(), RECORD));

describe("no record", () => {
  const parts: readonly object[] = [
    { alias: "cloud-gpu-a\nHost b" },
    { alias: "../../config" },
    { host: "a b" },
    { host: "a\nProxyCommand x" },
    { host: " 1.2.3.4" },
    { port: 0 },
    { port: "22" },
    { identity: "/a\nProxyCommand x" },
    { folder: "relative" },
    { name: "work" },
    { name: "1xa-7\nHost b" },
    { id: -1 },
    { version: 2 },
  ];
  for (const part of parts) test(JSON.stringify(part), () => assert.equal(read(part), undefined));
  for (const text of ["", "{", "null", "[]", "x".repeat(30_000)])
    test(`text ${text.slice(0, 8)}`, () => assert.equal(readSshMachine(text), undefined));
});

describe("a machine is of", () => {
  const machine = read();
  assert.ok(machine);
  const of = (part: object) =>
    isMachineOf(machine, { base: "https://example.com", tag: "tag", user: undefined, ...part });
  test("the key that logged in to it", () => assert.ok(of({})));
  test("the same account with another key", () => assert.ok(of({ tag: "new", user: 4 })));
  test("no other account of the service", () => assert.ok(!of({ tag: "new", user: 5 })));
  test("no unknown account of the service", () => assert.ok(!of({ tag: "new" })));
  test("no other service", () => assert.ok(!of({ base: "https://other.com", user: 4 })));
});
