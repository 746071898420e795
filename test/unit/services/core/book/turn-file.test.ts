// Turns that windows take with a file.
import assert from "node:assert/strict";
import { access, mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
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

/** Whoever sleeps has slept. */
function createJumpingClock(): Clock & { readonly slept: () => number } {
  let elapsed = 0;
  return {
    now: () => 0,
    elapsed: () => elapsed,
    sleep: async (ms) => {
      elapsed += ms;
      await sleep(0);
    },
    slept: () => elapsed,
  };
}

async function createTurn(t: { after(done: () => Promise<void>): void }): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "cloud-gpu-turn-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return join(folder, ".a.turn");
}

test("a turn ends with its work, whether that succeeds or not", async (t) => {
  const path = await createTurn(t);
  const clock = createJumpingClock();
  assert.equal(await takeTurn(path, clock, () => access(path).then(() => 5)), 5);
  await assert.rejects(
    takeTurn(path, clock, () => Promise.reject(new Error("no"))),
    /^Error: no$/,
  );
  assert.deepEqual(await readdir(join(path, "..")), []);
  assert.equal(clock.slept(), 0, "nobody waited");
});

test("a turn that a dead window left is taken five seconds later, counted from its last change", async (t) => {
  const path = await createTurn(t);
  const clock = createJumpingClock();
  await writeFile(path, "dead");
  await takeTurn(path, clock, async () => {});
  assert.ok(clock.slept() > 5000 && clock.slept() < 5100, String(clock.slept()));
  // Another window took it in the meantime.
  await writeFile(path, "alive");
  let turns = 0;
  const renewed = {
    ...clock,
    sleep: async (ms: number) => {
      await clock.sleep(ms);
      turns += 1;
      if (turns === 400) await utimes(path, 1, 1);
    },
  };
  const before = clock.slept();
  await takeTurn(path, renewed, async () => {});
  assert.ok(clock.slept() - before > 9000, String(clock.slept() - before));
});

test("where no turn can be taken, the disk's error is told", async () => {
  await assert.rejects(
    takeTurn(join(tmpdir(), crypto.randomUUID(), "a"), createJumpingClock(), async () => {}),
    {
      code: "ENOENT",
    },
  );
});
