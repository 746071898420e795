// Whether another window lives, when time passes that this window slept through.
import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, stat, symlink, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { Clock } from "../../../../src/lib/clock.ts";
import { silentLog } from "../../../../src/lib/log.ts";
import { Heartbeat } from "../../../../src/services/core/heartbeat.ts";
import { Scheduler } from "../../../../src/services/core/scheduler.ts";

const folder = await mkdtemp(join(tmpdir(), "cloud-gpu-alive-"));
after(() => rm(folder, { recursive: true, force: true }));

/** A clock whose timers run while it is awake: a sleep of the computer moves the wall clock alone. */
function sleepyClock() {
  let wall = Date.now();
  let awake = 0;
  const timers = new Set<{ readonly at: number; readonly wake: () => void }>();
  const clock: Clock = {
    now: () => wall,
    elapsed: () => awake,
    sleep: (ms, signal) =>
      new Promise((wake, reject) => {
        const timer = { at: awake + ms, wake };
        timers.add(timer);
        signal?.addEventListener("abort", () => {
          timers.delete(timer);
          reject(signal.reason);
        });
      }),
  };
  const pass = async (ms: number) => {
    for (const end = awake + ms; awake < end; ) {
      awake += 1000;
      wall += 1000;
      for (const timer of [...timers].filter(({ at }) => at <= awake)) {
        timers.delete(timer);
        timer.wake();
      }
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  };
  return { clock, pass, suspend: (ms: number) => (wall += ms) };
}

function windowOn(clock: Clock): Heartbeat {
  return new Heartbeat(folder, new Scheduler(clock, silentLog), silentLog);
}

async function isThere(id: string): Promise<boolean> {
  return (await readdir(folder)).includes(id);
}

/** Resolves once the window's file says that it beat at this time. */
async function untilBeat(id: string, now: number): Promise<void> {
  for (let tries = 0; tries < 500; tries += 1) {
    const file = await stat(join(folder, id)).catch(() => undefined);
    if (file) return await utimes(join(folder, id), new Date(now), new Date(now));
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  assert.fail("it never beat");
}

test("a silence that this window slept through proves nothing; one it was awake through does", async () => {
  const { clock, pass, suspend } = sleepyClock();
  const [one, two] = [windowOn(clock), windowOn(sleepyClock().clock)];
  two.begin();
  await untilBeat(two.id, clock.now());
  assert.equal(await one.isAlive(two.id), true);
  suspend(120_000);
  assert.equal(await one.isAlive(two.id), true, "it slept, too");
  await pass(30_000);
  assert.equal(await one.isAlive(two.id), true);
  await pass(10_000);
  assert.equal(await one.isAlive(two.id), false, "it had the time to beat");
  await utimes(join(folder, two.id), new Date(clock.now()), new Date(clock.now()));
  assert.equal(await one.isAlive(two.id), true, "and it beats again");
  suspend(120_000);
  assert.equal(await one.isAlive(two.id), true, "what was proven before says nothing now");
});

test("asking often doesn't put the proof off", async () => {
  const { clock, pass, suspend } = sleepyClock();
  const [one, two] = [windowOn(clock), windowOn(sleepyClock().clock)];
  two.begin();
  await untilBeat(two.id, clock.now());
  suspend(120_000);
  for (let asked = 0; asked < 10; asked += 1) {
    await one.isAlive(two.id);
    await pass(4000);
  }
  assert.equal(await one.isAlive(two.id), false);
});

test("the file of a window that crashed is tidied away once its silence is proven, and not before", async () => {
  const { clock, pass, suspend } = sleepyClock();
  const [one, two] = [windowOn(clock), windowOn(sleepyClock().clock)];
  two.begin();
  await untilBeat(two.id, clock.now());
  suspend(120_000);
  await one.tidy();
  assert.equal(await isThere(two.id), true);
  await pass(45_000);
  for (let tries = 0; tries < 200 && (await isThere(two.id)); tries += 1)
    await new Promise((done) => setTimeout(done, 5));
  assert.equal(await isThere(two.id), false);
});

test("a file that can't be read doesn't say that its window is gone", {
  skip: process.platform === "win32",
}, async () => {
  const id = crypto.randomUUID();
  await symlink(id, join(folder, id));
  assert.equal(await windowOn(sleepyClock().clock).isAlive(id), true);
  await rm(join(folder, id));
  assert.equal(await windowOn(sleepyClock().clock).isAlive(id), false);
});
