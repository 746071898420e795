import assert from "node:assert/strict";
import { test } from "node:test";
import { percentText } from "../../../../src/domain/base/percent.ts";

test("a share never reads as more than it is", () => {
  const shares = [0, 0.29, 0.953, 0.9996, 0.99999, 1];
  assert.deepEqual(shares.map(percentText), ["0.0%", "29.0%", "95.3%", "99.9%", "99.9%", "100.0%"]);
});
