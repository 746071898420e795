// The name of a group, and how many machines it may have.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parseGroupName, parseMachineCount, suggestGroupName } from "../../../../src/domain/group/machine-group.ts";

describe("the name of a group", () => {
  for (const name of ["a", "sweep-7", ` sweep-7 `, `a${"b".repeat(40)}`])
    test(`may be “${name}”`, () => assert.equal(parseGroupName(name), name.trim()));
  for (const name of ["", "7a", "A", "a b", "a/b", "a_b", "\u202ea", "-a", `a${"b".repeat(41)}`, "a\nb"])
    test(`isn't ${JSON.stringify(name)}`, () => assert.throws(() => parseGroupName(name), /^AppError: Name: /));

  test("is suggested by what it will run, and is free", () => {
    assert.equal(suggestGroupName("PyTorch (CUDA 12.4, SSH)", []), "pytorch-cuda-12-4-ssh-1");
    assert.equal(suggestGroupName("PyTorch", ["pytorch-1", "pytorch-2"]), "pytorch-3");
    assert.equal(suggestGroupName("日本語 \u202e 7", []), "group-1");
    assert.equal(parseGroupName(suggestGroupName("x".repeat(25_000), [])), `${"x".repeat(24)}-1`);
  });
});

describe("the number of machines", () => {
  for (const [typed, count] of [
    ["2", 2],
    [" 64 ", 64],
  ] as const)
    test(`may be ${typed}`, () => assert.equal(parseMachineCount(typed), count));
  for (const typed of ["", "0", "1", "65", "2.5", "-3", "4x", "1e1", "99999999999999999999"])
    test(`isn't “${typed}”`, () => assert.throws(() => parseMachineCount(typed), /a whole number from 2 to 64/));
});
