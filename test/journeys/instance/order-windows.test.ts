// Orders that wait their turn while something changes: a list that lags, a machine started again, a computer that slept.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { OfferId } from "../../../src/domain/base/id.ts";
import { type Clock, realClock, sleep } from "../../../src/lib/clock.ts";
import { silentLog } from "../../../src/lib/log.ts";
import { createInstance } from "../../../src/sandbox/handlers/create-instance.ts";
import type { Sandbox } from "../../../src/sandbox/start.ts";
import { Heartbeat } from "../../../src/services/core/heartbeat.ts";
import { Scheduler } from "../../../src/services/core/scheduler.ts";
import { lifeOf, type Parts } from "../editor-window.ts";
import { editorWindow, eventually, makeUserData, pass, sandbox, serve, showAs } from "../support.ts";
import { rentUnlisted } from "./unlisted.ts";

/** Faster than life, yet slow enough that a busy disk answers in the time that an order waits for it. */
const RATE = 4;
const clock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now() * RATE,
  sleep: (ms, signal) => sleep(ms / RATE, signal),
};

test("that a list leaves machines out is no proof that they were destroyed", async () => {
  const { window, service, rows } = await rentUnlisted();
  service.faults.add("500@destroyInstances");
  const ends = await window.orders.carryOut(window.me(), "destroy", rows);
  assert.deepEqual(
    ends.map(({ outcome }) => outcome),
    ["failed", "failed"],
  );
  assert.equal(service.world.listInstances().length, 2);
  assert.equal((await window.orderJournal.readOpen()).length, 2, "until the person heard");
});

test("destroyed by the service's own word and left out of its list is proof: nobody is asked for one by one", async () => {
  const { window, service, rows, paths } = await rentUnlisted();
  const ends = await window.orders.carryOut(window.me(), "destroy", rows);
  assert.ok(ends.every(({ outcome }) => outcome === "done"));
  assert.equal(service.world.listInstances().length, 0);
  assert.deepEqual(
    paths.filter((path) => /instances\/\d+\//.test(path)),
    [],
  );
});

/** A service that stops one by one, and keeps its first answer back until it is told to give it. */
async function slowStops(service: Sandbox) {
  const stopped: number[] = [];
  const first = Promise.withResolvers<void>();
  const url = await serve(async (request, body) => {
    const [, id] = /instances\/(\d+)\/$/.exec(request.url ?? "") ?? [];
    if (request.method === "PUT" && id !== undefined && body.includes("stopped")) {
      stopped.push(Number(id));
      if (stopped.length === 1) await first.promise;
    }
    return await pass(service.url, request, body);
  });
  return { url, stopped, answer: first.resolve };
}

/** A window in the middle of stopping machines: the first request has left, the others wait. */
async function stopping(count: number, parts: Parts = {}, userData = makeUserData()) {
  const service = await sandbox({ faults: ["404-html@setInstancesState"] });
  const { url, stopped, answer } = await slowStops(service);
  const window = editorWindow(userData, { clock, ...parts });
  await window.session.signIn(url, service.apiKey);
  const { world } = service;
  for (let rented = 0; rented < count; rented += 1) {
    const offer = world.offers.find((one) => world.isRentable(one));
    assert.ok(offer);
    world.setFate(offer.id, "runs");
    createInstance(world, OfferId.parse(offer.id), { image: "a/b", runtype: "ssh_direct", target_state: "running" });
  }
  // They have run for long: a left stop of one that just started is asked about.
  for (const one of world.listInstances()) showAs(one, "running");
  await window.instances.collection.refresh();
  const ids = window.instances.rows.map(({ value }) => value.id);
  const ending = window.orders.carryOut(window.me(), "stop", window.instances.rows);
  await eventually(() => stopped.length === 1, "the first request has left");
  return { window, userData, world, ids, stopped, answer, ending };
}

for (const disk of ["works", "fails"] as const) {
  test(`what was started again while its stop still waited in this window is not stopped: the disk ${disk}`, async () => {
    const { window, world, ids, stopped, answer, ending } = await stopping(2);
    const [first, last] = ids;
    assert.ok(first && last);
    if (disk === "fails") {
      const fail = () => Promise.reject(new Error("no disk"));
      window.orderJournal.readRevocable = fail;
      window.orderJournal.readHolders = fail;
    }
    await window.actions.start(window.me(), last);
    answer();
    const ends = await ending;
    assert.deepEqual(stopped, [first]);
    assert.deepEqual(
      ends.map(({ id, outcome, reason }) => [id, outcome, reason]),
      [
        [first, "done", undefined],
        [last, "failed", "The instance was started again, so nothing was sent."],
      ],
    );
    assert.equal(world.listInstances().find(({ id }) => id === last)?.intended, "running");
  });
}

test("what another window took over is sent by that one alone", async () => {
  const one = await stopping(3, { liveness: lifeOf("first") });
  const two = editorWindow(one.userData, { clock, liveness: lifeOf("second") });
  await two.session.restore();
  await eventually(() => two.orderNotices.length === 2, "the second finished two and asks about the one that had left");
  one.answer();
  const ends = await one.ending;
  assert.deepEqual([...one.stopped].sort(), [...one.ids].sort(), "each was sent once");
  assert.deepEqual(
    ends.map(({ outcome }) => outcome),
    ["done", "done", "done"],
  );
});

test("what another window took over and has not finished is its to report", async () => {
  const one = await stopping(2, { liveness: lifeOf("first") });
  const waiting = (await one.window.orderJournal.readOpen()).find(({ isSent }) => !isSent);
  assert.ok(waiting);
  await one.window.orderJournal.takeOver(waiting, "second");
  one.answer();
  const ends = await one.ending;
  const outcomes = ends.map(({ token, outcome }) => (token === waiting.token ? outcome : "other"));
  assert.ok(outcomes.includes("elsewhere"));
  await one.window.orders.acknowledge(ends);
  const open = await one.window.orderJournal.readOpen();
  assert.deepEqual(
    open.map(({ token }) => token),
    [waiting.token],
    "seen here, it stays open there",
  );
});

test("after the computer slept, a window that wakes first takes nothing over from one that lives", async () => {
  let slept = 0;
  const awake: Clock = { ...realClock, now: () => Date.now() + slept, sleep: (ms, signal) => sleep(ms / 10, signal) };
  const userData = makeUserData();
  const beating = (on: Clock) => new Heartbeat(join(userData.root, "alive"), new Scheduler(on, silentLog), silentLog);
  // Its timers run in real time: the next beat is seconds away.
  const liveness = beating({ ...awake, sleep });
  const one = await stopping(3, { clock: awake, liveness }, userData);
  slept = 120_000;
  const two = editorWindow(userData, { clock: awake, liveness: beating({ ...awake, sleep }) });
  await two.session.restore();
  two.orders.wake();
  await sleep(1000);
  assert.equal(one.stopped.length, 1, "the second sent nothing");
  assert.deepEqual(two.orderNotices, []);
  one.answer();
  const ends = await one.ending;
  assert.ok(ends.every(({ outcome }) => outcome === "done"));
  assert.equal(one.stopped.length, 3, "each was sent once");
  liveness.dispose();
});
