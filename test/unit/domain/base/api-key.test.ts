// The key a person may paste, with what is round it, and what is refused without repeating it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseApiKey } from "../../../../src/domain/base/api-key.ts";
import { AppError } from "../../../../src/domain/base/error.ts";

const keys: readonly [pasted: string, key: string][] = [
  ["abc123\n", "abc123"],
  ["  abc123  ", "abc123"],
  ['"abc123"', "abc123"],
  ["'abc123'", "abc123"],
  ["Bearer abc123", "abc123"],
  ["bearer   abc123", "abc123"],
  ["k".repeat(512), "k".repeat(512)],
];

for (const [pasted, key] of keys) {
  test(`key ${JSON.stringify(pasted.slice(0, 20))} is taken`, () => assert.equal(parseApiKey(pasted), key));
}

for (const bad of ["", "  ", "a\nb", "a\0b", "a€b", "aéb", "k".repeat(513), "a b", "Bearer "]) {
  test(`key ${JSON.stringify(bad.slice(0, 20))} is refused without repeating it`, () => {
    assert.throws(
      () => parseApiKey(bad),
      (error) => {
        assert.ok(error instanceof AppError && error.kind === "rejected");
        assert.ok(bad.trim().length < 3 || !error.message.includes(bad));
        return true;
      },
    );
  });
}
