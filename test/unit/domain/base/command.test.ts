// Commands that a person or a file gives.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Command, SetUp } from "../../../../src/domain/base/command.ts";

test("a command is one that says something, of bearable length", () => {
  const says = (text: string) => Command.safeParse(text).error?.issues[0]?.message;
  assert.equal(says(" \n"), "Enter a command to run on the machine.");
  assert.match(says("x".repeat(10_001)) ?? "", /^The command is longer than 10000 characters/);
  assert.match(says("a\0b") ?? "", /invalid character/);
  assert.equal(says("a\nb"), undefined);
});

test("what sets a machine up may be nothing", () => {
  assert.equal(SetUp.parse(""), "");
  const says = (text: string) => SetUp.safeParse(text).error?.issues[0]?.message;
  assert.match(says("x".repeat(10_001)) ?? "", /^The command is longer than 10000 characters/);
  assert.match(says("a\0b") ?? "", /invalid character/);
});
