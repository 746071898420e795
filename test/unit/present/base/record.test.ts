// A record as a page of text.
import assert from "node:assert/strict";
import { test } from "node:test";
import { formatRecord } from "../../../../src/present/base/record.ts";

test("a page of a record has no character that turns or hides others", () => {
  const text = formatRecord(["a\nb\u202E"], { name: "x\u202Ey\u2028z", big: "ok" });
  assert.doesNotMatch(text, /[\u202E\u2028]/);
  assert.deepEqual(JSON.parse(text.replace(/^\/\/.*$/m, "")).name, "x\u202Ey\u2028z");
});
