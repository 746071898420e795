// Identifiers: a number is exact or refused, a hash is any printable text.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { TemplateHash, WireId } from "../../../../src/domain/base/id.ts";
import { idLike, isExactId, ODD_HASHES } from "../../support.ts";

const RUNS = { numRuns: 10_000 };

test("whole numbers that are exact, and the digits of one, are taken as that number; nothing else is", () => {
  fc.assert(
    fc.property(idLike, (value) => {
      const read = WireId.safeParse(value);
      assert.equal(read.success, isExactId(value), String(JSON.stringify(value)));
      if (read.success) assert.equal(String(read.data), String(value));
    }),
    RUNS,
  );
});
test("ids stay exact or are refused", () => {
  fc.assert(
    fc.property(fc.anything(), (value) => {
      const parsed = WireId.safeParse(value);
      if (parsed.success)
        assert.ok(Number.isSafeInteger(parsed.data) && parsed.data > 0 && String(parsed.data) === String(value));
    }),
  );
});

describe("template hashes", () => {
  test("are any printable text of 1 to 256 characters", () => {
    for (const hash of ODD_HASHES) assert.equal(TemplateHash.parse(hash), hash);
    assert.equal(TemplateHash.safeParse("😀".repeat(256)).success, true);
    for (const none of ["", "x".repeat(257), "a\nb", "a\0", "\u202ea", "\ud800", "\u2028", "\u200b", 7, null])
      assert.equal(TemplateHash.safeParse(none).success, false, JSON.stringify(none));
  });
});
