// Whose something is that was written down.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isMarkOf, type MarkedAccount } from "../../../../src/domain/base/account-mark.ts";

const MARK = { base: "https://gpu.example.com/a", account: "key-1", user: 111 };
const OWN: MarkedAccount = { base: "https://gpu.example.com/a", tag: "key-1", user: 111 };

for (const [what, mark, own, isExpected] of [
  ["the same", {}, {}, true],
  ["another key of the user", {}, { tag: "key-2" }, true],
  ["the key of another user", {}, { user: 222 }, false],
  ["another key of another user", {}, { tag: "key-2", user: 222 }, false],
  ["the key before its user is known", {}, { user: undefined }, true],
  ["another key before its user is known", {}, { tag: "key-2", user: undefined }, false],
  ["the key of a mark without a user", { user: undefined }, {}, true],
  ["another key of a mark without a user", { user: undefined }, { tag: "key-2" }, false],
  ["two unknown users", { user: undefined }, { tag: "key-2", user: undefined }, false],
  ["another path of the same origin", {}, { base: "https://gpu.example.com/b" }, false],
  ["the origin alone", {}, { base: "https://gpu.example.com" }, false],
  ["a longer path", {}, { base: "https://gpu.example.com/a/b" }, false],
  ["another origin", {}, { base: "https://other.example.com/a" }, false],
] as const)
  test(`${what}: ${isExpected ? "its own" : "another account's"}`, () =>
    assert.equal(isMarkOf({ ...MARK, ...mark }, { ...OWN, ...own }), isExpected));
