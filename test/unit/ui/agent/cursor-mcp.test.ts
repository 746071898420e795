// Cursor's own interface is used where all of it is there, and nowhere else.
import assert from "node:assert/strict";
import { test } from "node:test";
import { findCursorMcp, tellCursor } from "../../../../src/ui/agent/cursor-mcp.ts";

test("another editor has none, and half of one isn't used", () => {
  const no = () => {};
  for (const editor of [
    {},
    { cursor: undefined },
    { cursor: {} },
    { cursor: { mcp: { registerServer: no } } },
    { cursor: { mcp: { registerServer: "no", unregisterServer: no } } },
  ])
    assert.equal(findCursorMcp(editor), undefined);
});

test("the server is registered with its header, and by its name no more", () => {
  const told: unknown[] = [];
  const mcp = {
    registerServer: (config: unknown) => void told.push(config),
    unregisterServer: (name: unknown) => void told.push(name),
  };
  const cursor = findCursorMcp({ cursor: { mcp } });
  assert.ok(cursor);
  const url = "http://127.0.0.1:40123/mcp";
  tellCursor(cursor, { url, token: "t0ken" });
  tellCursor(cursor, undefined);
  assert.deepEqual(told, [
    { name: "cloud-gpu", server: { url, headers: { Authorization: "Bearer t0ken" } } },
    "cloud-gpu",
  ]);
});
