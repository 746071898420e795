// Commands that a person or a file gives.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { Command, Setup, Variables, withVariables } from "../../../../src/domain/base/command.ts";

test("a command is one that says something, of bearable length", () => {
  const says = (text: string) => Command.safeParse(text).error?.issues[0]?.message;
  assert.equal(says(" \n"), "Enter a command.");
  assert.match(says("x".repeat(10_001)) ?? "", /^The command is longer than 10000 characters/);
  assert.match(says("a\0b") ?? "", /invalid character/);
  assert.equal(says("a\nb"), undefined);
});

test("what sets a machine up may be nothing", () => {
  assert.equal(Setup.parse(""), "");
  const says = (text: string) => Setup.safeParse(text).error?.issues[0]?.message;
  assert.match(says("x".repeat(10_001)) ?? "", /^The command is longer than 10000 characters/);
  assert.match(says("a\0b") ?? "", /invalid character/);
});

test("variables reach a shell as they are, whatever they hold", () => {
  const variables = Variables.parse({ A: 'it\'s $HOME `id` \\ "x" ; exit 3', B_2: "", _c: "ü 你 -n" });
  const script = `${withVariables("cd /", variables)}\nprintf '%s\\n' "$A" "$B_2" "$_c" "$PWD"`;
  const { stdout, status } = spawnSync("sh", ["-c", script], { encoding: "utf8" });
  assert.equal(status, 0);
  assert.deepEqual(stdout.split("\n"), [variables.A, "", variables._c, "/", ""]);
  assert.equal(withVariables("pip install x", {}), "pip install x");
});
