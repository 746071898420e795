// What windows tell each other through a file: all of it arrives, in every window but one's own.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { silentLog } from "../../../../src/lib/log.ts";
import type { SessionChange } from "../../../../src/services/core/profiles.ts";
import { openSessionBroadcast } from "../../../../src/ui/kit/session-broadcast.ts";

test("another window hears of an account that was forgotten, and of which; one's own doesn't", async () => {
  const folder = await mkdtemp(join(tmpdir(), "cloud-gpu-broadcast-"));
  const [own, other] = [await openSessionBroadcast(folder, silentLog), await openSessionBroadcast(folder, silentLog)];
  try {
    const { promise, resolve } = Promise.withResolvers<SessionChange>();
    own.onDidReceive(() => assert.fail("it knows"));
    other.onDidReceive(resolve);
    own.tell({ origin: "https://a.example", signedIn: true, forgotten: "0123" });
    assert.equal((await promise).forgotten, "0123");
  } finally {
    own.dispose();
    other.dispose();
    await rm(folder, { recursive: true, force: true });
  }
});
