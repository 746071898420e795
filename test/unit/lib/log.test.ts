// The log takes anything.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createLog } from "../../../src/lib/log.ts";

test("whatever is logged, the log does not throw", () => {
  const lines: string[] = [];
  const log = createLog((_, line) => lines.push(line));
  const cyclic: Record<string, unknown> = {};
  cyclic.self = cyclic;
  const hostile = Object.defineProperty(new Error("x"), "message", {
    get: () => {
      throw new Error("no");
    },
  });
  const throwing = Object.defineProperty({}, "value", {
    enumerable: true,
    get: () => {
      throw new Error("no");
    },
  });
  for (const detail of [
    1n,
    Symbol("s"),
    () => 1,
    cyclic,
    { toJSON: () => 1n },
    "\ud800",
    hostile,
    throwing,
    null,
    Number.NaN,
  ])
    log.error("it happened", detail);
  assert.ok(lines.length >= 9, "only what cannot be read at all is left out");
  const closed = createLog(() => {
    throw new Error("the channel is closed");
  });
  closed.info("still here");
});
