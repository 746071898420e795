// Files written behind what is read: nothing lost, nothing swapped, and a disk that is full is told.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { open, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { WriteBehind } from "../../../src/services/transfer/write-behind.ts";
import { makeUserData } from "../support.ts";

const folder = () => makeUserData().root;

test("pieces of every size arrive in their order, with the file's time", async () => {
  const path = join(folder(), "a");
  const content = randomBytes(5_000_000);
  const file = new WriteBehind(await open(path, "wx"));
  for (let at = 0, size = 1; at < content.length; at += size, size = (size * 7) % 1_300_021)
    await file.write(content.subarray(at, at + size));
  await file.close(1_000_000);
  assert.ok((await readFile(path)).equals(content));
  assert.equal((await stat(path)).mtimeMs, 1_000_000_000);
});

test("bytes that come one by one are few in memory", async () => {
  const path = join(folder(), "a");
  const file = new WriteBehind(await open(path, "wx"));
  for (let count = 0; count < 10_000; count += 1) await file.write(Buffer.of(count & 255));
  assert.ok((await stat(path)).size >= 8000, "the others are written");
  await file.close(0);
  assert.deepEqual(await readFile(path), Buffer.from(Array.from({ length: 10_000 }, (_, at) => at & 255)));
});

test("a file that is given nothing is empty", async () => {
  const path = join(folder(), "a");
  await new WriteBehind(await open(path, "wx")).close(0);
  assert.equal((await stat(path)).size, 0);
});

test("a full disk is told at the latest when the file is closed, and it is closed", {
  skip: existsSync("/dev/full") ? false : "no device is always full here",
}, async () => {
  for (const size of [10, 3_000_000]) {
    const handle = await open("/dev/full", "w");
    const file = new WriteBehind(handle);
    const work = async () => {
      for (let piece = 0; piece < 5; piece += 1) await file.write(Buffer.alloc(size));
    };
    const isFull = (error: unknown) => (error as NodeJS.ErrnoException).code === "ENOSPC";
    if (size > 1e6) await assert.rejects(work(), isFull);
    else await work();
    await assert.rejects(file.close(0), isFull);
    assert.equal(handle.fd, -1);
  }
});
