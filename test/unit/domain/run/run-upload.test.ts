// Whether there is much more to upload for a run than was agreed to.
import assert from "node:assert/strict";
import { test } from "node:test";
import { hasRunOutgrown, type RunUpload } from "../../../../src/domain/run/run-upload.ts";

const of = (bytes: number, data: Readonly<Record<string, number>> = {}): RunUpload => ({
  ...{ files: [], folders: [], bytes: 0, secrets: [], links: 0, specials: 0, unreadable: [] },
  main: { files: 10, bytes },
  data: Object.entries(data).map(([path, size]) => ({ path, files: 10, bytes: size })),
});

test("the folder and each data folder are compared by themselves", () => {
  assert.ok(!hasRunOutgrown(of(20, { a: 20 }), of(10, { a: 10 })));
  assert.ok(hasRunOutgrown(of(21, { a: 1 }), of(10, { a: 1000 })));
  assert.ok(hasRunOutgrown(of(1, { a: 21 }), of(1000, { a: 10 })));
  assert.ok(hasRunOutgrown(of(1, { a: 1, b: 1 }), of(1, { a: 1 })), "one that nobody agreed to");
  assert.ok(!hasRunOutgrown(of(1), of(1, { a: 1 })));
});
