// A folder that other windows write to: what they write is noticed, and a folder that can't be watched is only logged.
import assert from "node:assert/strict";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createLog, silentLog } from "../../../../../src/lib/log.ts";
import { watchFolder } from "../../../../../src/services/core/book/watch-folder.ts";

async function withFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "cloud-gpu-watch-"));
  try {
    await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test("a watched folder is created for nobody else, and what is written there is noticed", () =>
  withFolder(async (folder) => {
    const watched = join(folder, "a", "b");
    const noticed = Promise.withResolvers<void>();
    const watching = await watchFolder(watched, () => noticed.resolve(), silentLog);
    if (process.platform !== "win32") assert.equal((await stat(watched)).mode & 0o777, 0o700);
    await writeFile(join(watched, "one"), "");
    await noticed.promise;
    watching.dispose();
  }));

test("a folder that can't be watched is logged once, and can be let go", () =>
  withFolder(async (folder) => {
    const file = join(folder, "file");
    await writeFile(file, "");
    const lines: string[] = [];
    const log = createLog((_, line) => lines.push(line));
    const watching = await watchFolder(join(file, "below"), () => assert.fail("nothing is there"), log);
    assert.equal(lines.length, 1);
    watching.dispose();
  }));
