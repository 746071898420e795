// What a page knows of a row that may be gone: as it was last seen, and since when.
import assert from "node:assert/strict";
import { test } from "node:test";
import { LastSeen } from "../../../../src/services/core/last-seen.ts";

const list = (at: number, rows: readonly string[], unreadable = 0) => ({ at, value: { rows, unreadable } });
const isIt = (row: string) => row.startsWith("a");

test("a row is as the last list had it that had it, and dated by that list", () => {
  const seen = new LastSeen("a0");
  assert.deepEqual(seen.look(undefined, isIt), { row: "a0", seenAt: undefined, presence: "listed" });
  assert.deepEqual(seen.look(list(1, ["b", "a1"]), isIt), { row: "a1", seenAt: 1, presence: "listed" });
  assert.deepEqual(seen.look(list(2, ["b"]), isIt), { row: "a1", seenAt: 1, presence: "ended" });
  assert.deepEqual(seen.look(list(3, ["a3"]), isIt), { row: "a3", seenAt: 3, presence: "listed" }, "it came back");
});

test("a list with records that couldn't be read doesn't say that a row is gone", () => {
  const seen = new LastSeen("a0");
  assert.equal(seen.look(list(1, ["b"], 1), isIt).presence, "missing");
  assert.equal(seen.look(list(2, [], 0), isIt).presence, "ended");
});
