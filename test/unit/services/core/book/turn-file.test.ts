// Turns that windows take with a file.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { type Clock, sleep } from "../../../../../src/lib/clock.ts";
import { takeTurn } from "../../../../../src/services/core/book/turn-file.ts";

/** A hundred times as fast. */
const clock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now() * 100,
  sleep: (ms, signal) => sleep(ms / 100, signal),
};

test("a window whose turn was taken from it as its disk hung doesn't end the turn of the next one", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "cloud-gpu-turn-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, ".a.turn");
  const [hung, working] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let atWork = 0;
  let most = 0;
  const work = async (until: Promise<void>) => {
    atWork += 1;
    most = Math.max(most, atWork);
    await until;
    atWork -= 1;
  };
  const first = takeTurn(path, clock, () => hung.promise);
  await sleep(20);
  const second = takeTurn(path, clock, () => work(working.promise));
  while (atWork === 0) await sleep(5);
  hung.resolve();
  await first;
  const third = takeTurn(path, clock, () => work(Promise.resolve()));
  // Less than after which a turn counts as left.
  await sleep(20);
  working.resolve();
  await Promise.all([second, third]);
  assert.equal(most, 1);
});
