// Named jobs: when they run, that they never overlap, and that a failure doesn't end them.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Clock } from "../../../../src/lib/clock.ts";
import { silentLog } from "../../../../src/lib/log.ts";
import { Scheduler } from "../../../../src/services/core/scheduler.ts";

/** A clock that stands still until it is told how much time passes. */
function manualClock() {
  let now = 0;
  const sleepers = new Set<{ readonly at: number; readonly wake: () => void }>();
  const clock: Clock = {
    now: () => now,
    elapsed: () => now,
    sleep: (ms, signal) =>
      new Promise((wake, reject) => {
        const sleeper = { at: now + ms, wake };
        sleepers.add(sleeper);
        signal?.addEventListener("abort", () => {
          sleepers.delete(sleeper);
          reject(signal.reason);
        });
      }),
  };
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  const pass = async (ms: number) => {
    now += ms;
    for (const sleeper of [...sleepers].filter(({ at }) => at <= now)) {
      sleepers.delete(sleeper);
      sleeper.wake();
    }
    await settle();
  };
  return { clock, pass, settle, waiting: () => sleepers.size };
}

test("a job runs when its wait is over, again and again, until it is disposed of", async () => {
  const { clock, pass, waiting } = manualClock();
  const scheduler = new Scheduler(clock, silentLog);
  let runs = 0;
  const job = scheduler.add({ id: "count", wait: () => 100, run: () => (runs += 1) });
  assert.equal(waiting(), 0, "nothing is planned before `plan`");
  job.plan();
  await pass(99);
  assert.equal(runs, 0);
  await pass(1);
  await pass(100);
  assert.equal(runs, 2);
  job.dispose();
  assert.equal(waiting(), 0);
  await pass(1000);
  await job.runNow();
  assert.equal(runs, 2);
});

test("without a reason there is no timer, and `plan` asks again", async () => {
  const { clock, pass, waiting } = manualClock();
  let wait: number | undefined;
  let runs = 0;
  const job = new Scheduler(clock, silentLog).add({ id: "idle", wait: () => wait, run: () => (runs += 1) });
  job.plan();
  assert.equal(waiting(), 0);
  wait = 50;
  job.plan();
  job.plan();
  assert.equal(waiting(), 1, "a job has one timer");
  await pass(50);
  assert.equal(runs, 1);
});

test("runs never overlap: who asks during one joins it, and the next is planned after it", async () => {
  const { clock, settle, waiting } = manualClock();
  const ends: (() => void)[] = [];
  const job = new Scheduler(clock, silentLog).add({
    id: "slow",
    wait: () => 10,
    run: () => new Promise<void>((resolve) => ends.push(resolve)),
  });
  const [one, two] = [job.runNow(), job.runNow()];
  job.plan();
  assert.equal(ends.length, 1);
  assert.equal(waiting(), 0, "nothing is planned while it runs");
  ends[0]?.();
  await Promise.all([one, two]);
  await settle();
  assert.equal(waiting(), 1);
});

test("a run by hand replaces the one that was planned", async () => {
  const { clock, pass } = manualClock();
  const runs: number[] = [];
  const job = new Scheduler(clock, silentLog).add({ id: "hand", wait: () => 100, run: () => runs.push(clock.now()) });
  job.plan();
  await pass(60);
  await job.runNow();
  await pass(60);
  await pass(40);
  assert.deepEqual(runs, [60, 160]);
});

test("a failure is logged with the job's name, rejects nobody, and the next run is as planned", async () => {
  const { clock, pass } = manualClock();
  const warned: string[] = [];
  const log = { ...silentLog, warn: (text: string) => void warned.push(text) };
  let runs = 0;
  const job = new Scheduler(clock, log).add({
    id: "listing",
    wait: () => 10,
    run: () => {
      runs += 1;
      throw new Error("no");
    },
  });
  await job.runNow();
  await pass(10);
  assert.equal(runs, 2);
  assert.deepEqual(warned, ["The job listing failed.", "The job listing failed."]);
});

test("the scheduler ends all its jobs", async () => {
  const { clock, pass, waiting } = manualClock();
  const scheduler = new Scheduler(clock, silentLog);
  let runs = 0;
  for (const id of ["one", "two"]) scheduler.add({ id, wait: () => 10, run: () => (runs += 1) }).plan();
  assert.equal(waiting(), 2);
  scheduler.dispose();
  await pass(10);
  assert.equal(runs, 0);
});

test("a job that can't say when to run next is logged and asked again later; nobody gets a rejection", async () => {
  const { clock, pass } = manualClock();
  const stray: unknown[] = [];
  const onStray = (error: unknown) => void stray.push(error);
  process.on("unhandledRejection", onStray);
  const warned: string[] = [];
  const log = { ...silentLog, warn: (text: string) => void warned.push(text) };
  let isBroken = true;
  let runs = 0;
  const wait = () => {
    if (isBroken) throw new Error("wait failed");
    return 10;
  };
  const job = new Scheduler(clock, log).add({ id: "broken", wait, run: () => (runs += 1) });
  await job.runNow();
  job.plan();
  assert.equal(warned.length, 2);
  isBroken = false;
  await pass(60_000);
  await pass(10);
  assert.equal(runs, 3);
  process.off("unhandledRejection", onStray);
  assert.deepEqual(stray, []);
});
