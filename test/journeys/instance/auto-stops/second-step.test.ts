// What an auto-stop stopped is destroyed later, over real HTTP: only if it was stopped all of that time, and a window can say so. An hour
// stands for the day that a person chooses.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { describe, test } from "node:test";
import { type Client, type ClientOptions, createClient } from "../../../../src/api/client.ts";
import { InstanceId } from "../../../../src/domain/base/id.ts";
import type { AutoStopWish, InstanceAutoStop } from "../../../../src/domain/instance/auto-stop.ts";
import { type Clock, realClock } from "../../../../src/lib/clock.ts";
import { requireInstance, setState } from "../../../../src/sandbox/handlers/instance-state.ts";
import type { Sandbox } from "../../../../src/sandbox/start.ts";
import { toAccountMark } from "../../../../src/services/core/account-mark.ts";
import { type Disk, realDisk } from "../../../../src/services/core/book/disk.ts";
import type { AutoStopNotice } from "../../../../src/services/instance/auto-stops/auto-stop-telling.ts";
import { createOrderToken } from "../../../../src/services/instance/order-journal.ts";
import { lifeOf } from "../../editor-window.ts";
import { rentRunning } from "../../rent-running.ts";
import { EMPTY_LIST, eventually, pass as passOn, serve } from "../../support.ts";
import { MINUTE, withIdleWindows } from "../idle/idle-windows.ts";
import { HOUR } from "./auto-stop-windows.ts";
import { withArmedEnd } from "./self-stop.ts";

const THEN: AutoStopWish = { hours: 0.5, ending: "stop", stoppedHours: 1 };

async function withSecondStep(options: Parameters<typeof withIdleWindows>[0] = {}) {
  const stage = await withIdleWindows(options);
  const { first, id, during, world, service, windows, open } = stage;
  const notices: AutoStopNotice[] = [];
  const hear = (window: typeof first) => void window.autoStops.onNotice((notice) => void notices.push(notice));
  windows.forEach(hear);
  const set = (wish: AutoStopWish | undefined, by = first, instead?: InstanceAutoStop) =>
    during(by.autoStops.set(by.me(), { id }, wish, instead));
  const end = (by = first) => by.autoStops.findAutoStop({ id });
  const there = () => world.listInstances().some((one) => one.id === id);
  /** As someone does on the service's website. */
  const elsewhere = (state: "running" | "stopped") => setState(service.world, requireInstance(world, id), state);
  const kinds = () => notices.map(({ kind }) => kind);
  const deletes = () => stage.sent.filter((method) => method === "DELETE").length;
  const reopen = async (name: string, parts?: Parameters<typeof open>[1]) => {
    const window = await during(open(name, parts));
    hear(window);
    return window;
  };
  return { ...stage, set, end, there, elsewhere, kinds, notices, deletes, reopen };
}

/** Stopped at its end, with what follows. */
async function withStopped(options?: Parameters<typeof withIdleWindows>[0]) {
  const stage = await withSecondStep(options);
  assert.equal(await stage.set(THEN), "set");
  await stage.passUntil(() => stage.end()?.second === "kept", "it is stopped, and the second step is shown");
  assert.equal(stage.kinds().at(-1), "ended");
  assert.ok(stage.there());
  return stage;
}

/** The instance that the service is asked about; undefined for any other request. */
const askedFor = ({ method, url = "" }: IncomingMessage): string | undefined =>
  method === "GET" ? /\/instances\/(\d+)\//.exec(url)?.[1] : undefined;

type Answer = Awaited<ReturnType<typeof passOn>>;

/** A service that answers as it is told to, and all else as it does. */
const answering =
  (answer: (request: IncomingMessage, body: string, sound: () => Promise<Answer>) => Promise<Answer> | undefined) =>
  (service: Sandbox) =>
    serve(async (request, body) => {
      const sound = () => passOn(service.url, request, body);
      return await (answer(request, body, sound) ?? sound());
    });

/** What it says of an instance, with something else in it. */
const saying = async (sound: Promise<Answer>, more: object): Promise<Answer> => {
  const { status, text } = await sound;
  const said = JSON.parse(text);
  return { status, text: JSON.stringify({ ...said, instances: { ...said.instances, ...more } }) };
};

/** A disk on which something happens once, right before a file of this kind is written: unless another one is named, that a request leaves. */
function withLastMoment(kind = ".sent") {
  const moment: { act: (() => void) | undefined } = { act: undefined };
  const create: Disk["create"] = async (path, text) => {
    const { act } = moment;
    if (act && path.endsWith(kind)) {
      moment.act = undefined;
      act();
    }
    return await realDisk.create(path, text);
  };
  return { moment, disk: { ...realDisk, create } };
}

/** A disk that takes an order of its window and never says so. */
function withLostOrder() {
  const order = { isNext: false, wasWritten: false };
  const create: Disk["create"] = async (path, text) => {
    const isCreated = await realDisk.create(path, text);
    if (!order.isNext || !path.endsWith(".order")) return isCreated;
    order.wasWritten = true;
    return await new Promise<never>(() => {});
  };
  return { order, disk: { ...realDisk, create } };
}

const FAILED: Answer = { status: 500, text: "{}" };
const isStart = ({ method }: IncomingMessage, body: string) => method === "PUT" && body.includes('"running"');

describe("a stop with a second step", () => {
  test("is written so that a version that doesn't know of it leaves it alone", async () => {
    const { set, userData } = await withSecondStep({ count: 1 });
    await set(THEN);
    const folder = join(userData.root, "ends");
    const [file] = (await readdir(folder)).filter((name) => /\.lease-/.test(name));
    assert.ok(file);
    assert.equal(JSON.parse(await readFile(join(folder, file), "utf8")).version, 2);
  });

  test("isn't followed while a later end can't be read, and its person is asked", async () => {
    const { moment, disk } = withLastMoment(".done");
    const stage = await withSecondStep({ count: 1, parts: { disk } });
    const { set, id, userData, pass, passUntil, kinds, there, deletes } = stage;
    const folder = join(userData.root, "ends");
    moment.act = () => writeFileSync(join(folder, `lea-${"a".repeat(20)}.lease-${id}-9`), "");
    await set(THEN);
    await passUntil(() => moment.act === undefined, "it is stopped");
    await passUntil(() => kinds().at(-1) === "overdue", "it asks");
    const names = (await readdir(folder)).filter((name) => /\.lease-/.test(name));
    assert.equal(names.length, 2, "the stop, and what can't be read");
    await pass(90);
    assert.deepEqual([there(), deletes(), kinds().filter((kind) => kind === "overdue").length], [true, 0, 1]);
  });

  test("is followed as promised though the first answers after the stop said nothing", async () => {
    const { moment, disk } = withLastMoment(".done");
    const state = { left: 0 };
    const { set, end, passUntil, there, deletes } = await withSecondStep({
      count: 1,
      parts: { disk },
      through: answering((request) => {
        const asked = askedFor(request);
        if (state.left === 0 || asked === undefined) return undefined;
        state.left -= 1;
        return Promise.resolve({ status: 200, text: JSON.stringify({ instances: { id: Number(asked) } }) });
      }),
    });
    moment.act = () => {
      state.left = 2;
    };
    await set(THEN);
    await passUntil(() => end()?.second === "kept", "the second step is shown");
    assert.deepEqual([moment.act, state.left], [undefined, 0]);
    await passUntil(() => !there(), "it is destroyed");
    assert.equal(deletes(), 1);
  });

  test("counts from the stop where that came late, and is carried out then", async () => {
    let failures = 4;
    const { set, end, passUntil, there, deletes, clock } = await withSecondStep({
      through: answering((request, body) => {
        if (request.method !== "PUT" || !body.includes("stopped") || failures <= 0) return undefined;
        failures -= 1;
        return Promise.resolve(FAILED);
      }),
    });
    await set(THEN);
    const until = end()?.until ?? 0;
    await passUntil(() => end()?.second !== undefined, "it is stopped");
    assert.ok(clock.now() > until + 3 * MINUTE, "late");
    assert.ok((end()?.until ?? 0) > until + 63 * MINUTE, "an hour after the stop");
    assert.equal(end()?.second, "kept");
    await passUntil(() => !there(), "it is destroyed");
    assert.equal(deletes(), 1);
  });

  test("asks once the service refused to start it", async () => {
    const { first, id, during, end, pass, passUntil, there, deletes, kinds } = await withStopped({
      through: answering((request, body) =>
        isStart(request, body)
          ? Promise.resolve({
              status: 400,
              text: '{"success":false,"error":"missing_billing","msg":"You lack credit."}',
            })
          : undefined,
      ),
    });
    await assert.rejects(during(first.actions.start(first.me(), id)));
    await passUntil(() => end()?.second === "unsure", "it says that it will ask");
    await pass(5);
    assert.equal(end()?.second, "unsure", "it isn't called off without a word");
    await passUntil(() => kinds().at(-1) === "overdue", "it asks");
    assert.deepEqual([there(), deletes()], [true, 0]);
  });

  test("asks once the service refused to start it right after its order failed", async () => {
    const refused = (msg: string): Answer => ({ status: 400, text: JSON.stringify({ success: false, msg }) });
    const { first, id, during, passUntil, there, kinds } = await withStopped({
      through: answering((request, body) => {
        if (request.method === "DELETE") return Promise.resolve(refused("Not now."));
        return isStart(request, body) ? Promise.resolve(refused("You lack credit.")) : undefined;
      }),
    });
    await passUntil(() => kinds().slice(-2).join() === "soon,ended", "it failed");
    await assert.rejects(during(first.actions.start(first.me(), id)));
    await passUntil(() => kinds().at(-1) === "overdue", "it asks");
    assert.ok(there());
  });

  test("is called off by a start whose answer was lost", async () => {
    const { first, id, during, end, passUntil, there, deletes } = await withStopped({
      through: answering((request, body, sound) => (isStart(request, body) ? sound().then(() => FAILED) : undefined)),
    });
    await assert.rejects(during(first.actions.start(first.me(), id)));
    await passUntil(() => end() === undefined, "it is called off");
    assert.deepEqual([there(), deletes()], [true, 0]);
  });

  test("is called off by an instance that is to run, also while it is still called stopped", async () => {
    const state = { isToRun: false };
    const { end, pass, passUntil, there, deletes, kinds } = await withStopped({
      through: answering((request, _, sound) =>
        state.isToRun && askedFor(request)
          ? saying(sound(), { actual_status: "stopped", intended_status: "running", cur_state: "running" })
          : undefined,
      ),
    });
    await pass(5);
    state.isToRun = true;
    await passUntil(() => end() === undefined, "it is called off");
    await pass(90);
    assert.deepEqual([there(), deletes(), kinds()], [true, 0, ["soon", "ended"]]);
  });

  test("asks once a list showed it running, though each answer about it said that it is stopped", async () => {
    const state = { lags: false };
    const { first, elsewhere, during, end, pass, passUntil, there, deletes, kinds } = await withStopped({
      through: answering((request, _, sound) =>
        state.lags && askedFor(request)
          ? saying(sound(), { actual_status: "exited", intended_status: "stopped", cur_state: "stopped" })
          : undefined,
      ),
    });
    await during(first.instances.collection.refresh());
    await pass(5);
    state.lags = true;
    for (const now of ["running", "stopped"] as const) {
      elsewhere(now);
      await pass(1);
      await during(first.instances.collection.refresh());
    }
    await passUntil(() => end()?.second === "unsure", "it says that it will ask");
    await passUntil(() => kinds().at(-1) === "overdue", "it asks");
    assert.deepEqual([there(), deletes()], [true, 0]);
  });

  test("asks after a gap, though one answer after it is behind and says that it runs", async () => {
    const state = { isBehind: 0 };
    const { sleepFor, pass, passUntil, end, there, deletes, kinds } = await withStopped({
      count: 1,
      through: answering((request, _, sound) => {
        if (state.isBehind === 0 || !askedFor(request)) return undefined;
        state.isBehind -= 1;
        return saying(sound(), { actual_status: "running", intended_status: "running", cur_state: "running" });
      }),
    });
    await pass(5);
    sleepFor(20 * MINUTE);
    await passUntil(() => end()?.second === "unsure", "it says that it will ask");
    await pass(3);
    state.isBehind = 1;
    await passUntil(() => state.isBehind === 0, "it looked");
    await pass(3);
    assert.equal(end()?.second, "unsure", "it isn't called off without a word");
    await passUntil(() => kinds().at(-1) === "overdue", "it asks");
    assert.deepEqual([there(), deletes()], [true, 0]);
  });

  test("asks after the service lacked it for long, and doesn't look for it in between", async () => {
    const state = { isMissing: false, looks: 0 };
    const { first, during, pass, passUntil, end, there, deletes, kinds } = await withStopped({
      count: 1,
      through: answering(({ method, url = "" }) => {
        if (!state.isMissing || method !== "GET" || !url.includes("/instances/")) return undefined;
        const isOne = /instances\/\d+\/$/.test(url);
        if (isOne) state.looks += 1;
        return Promise.resolve({ status: 200, text: isOne ? JSON.stringify({ instances: null }) : EMPTY_LIST });
      }),
    });
    await pass(5);
    state.isMissing = true;
    await passUntil(() => end()?.second === "unsure", "it says that it will ask");
    const before = state.looks;
    await pass(10);
    assert.equal(state.looks, before, "it rests");
    state.isMissing = false;
    await during(first.instances.collection.refresh());
    assert.equal(end()?.second, "unsure", "it isn't called off without a word");
    await passUntil(() => kinds().at(-1) === "overdue", "it asks");
    assert.deepEqual([there(), deletes()], [true, 0]);
  });

  test("asks after answers that say nothing, and isn't called off by them", async () => {
    const state = { isPoor: false };
    const { end, pass, passUntil, there, deletes, kinds } = await withStopped({
      through: answering((request) => {
        const asked = askedFor(request);
        if (!state.isPoor || asked === undefined) return undefined;
        return Promise.resolve({ status: 200, text: JSON.stringify({ instances: { id: Number(asked) } }) });
      }),
    });
    await pass(5);
    state.isPoor = true;
    await passUntil(() => end()?.second === "unsure", "it says that it will ask");
    await pass(5);
    state.isPoor = false;
    await pass(5);
    assert.equal(end()?.second, "unsure");
    await passUntil(() => kinds().at(-1) === "overdue", "it asks");
    assert.deepEqual([there(), deletes()], [true, 0]);
  });

  test("asks though the disk takes nothing any longer", async () => {
    const state = { isFull: false };
    const create: Disk["create"] = async (path, text) => {
      if (state.isFull) throw Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
      return await realDisk.create(path, text);
    };
    const { pass, passUntil, there, deletes, kinds } = await withStopped({ parts: { disk: { ...realDisk, create } } });
    await pass(5);
    state.isFull = true;
    await passUntil(() => kinds().at(-1) === "overdue", "it asks");
    assert.deepEqual([there(), deletes()], [true, 0]);
  });

  test("asks if the computer slept right before the request", async () => {
    const { moment, disk } = withLastMoment();
    const { sleepFor, passUntil, there, deletes, kinds } = await withStopped({ count: 1, parts: { disk } });
    moment.act = () => sleepFor(180 * MINUTE);
    await passUntil(() => kinds().at(-1) === "overdue", "it asks");
    assert.deepEqual([moment.act, there(), deletes()], [undefined, true, 0]);
  });

  test("isn't carried out if it is to run by the last look before the request", async () => {
    const { moment, disk } = withLastMoment();
    const { elsewhere, end, pass, passUntil, there, deletes } = await withStopped({ count: 1, parts: { disk } });
    moment.act = () => void elsewhere("running");
    await passUntil(() => end() === undefined, "it is called off");
    await pass(5);
    assert.deepEqual([moment.act, there(), deletes()], [undefined, true, 0]);
  });

  test("isn't carried out while the list says that the instance runs, though answers about it say that it is stopped", async () => {
    const { moment, disk } = withLastMoment(".order");
    const state = { lags: false };
    const { elsewhere, pass, passUntil, there, deletes } = await withStopped({
      count: 1,
      parts: { disk },
      through: answering((request, _, sound) =>
        state.lags && askedFor(request)
          ? saying(sound(), { actual_status: "exited", intended_status: "stopped", cur_state: "stopped" })
          : undefined,
      ),
    });
    moment.act = () => {
      state.lags = true;
      elsewhere("running");
    };
    await passUntil(() => moment.act === undefined, "an order is given");
    await pass(5);
    state.lags = false;
    assert.deepEqual([there(), deletes()], [true, 0]);
  });

  test("isn't carried out once someone starts the instance while the request waits for its turn", async () => {
    const { moment, disk } = withLastMoment(".order");
    // Requests wait for their turn on the clock of the test.
    const paced: { clock: Clock } = { clock: realClock };
    const clock: Clock = {
      now: () => paced.clock.now(),
      elapsed: () => paced.clock.elapsed(),
      sleep: (ms, signal) => paced.clock.sleep(ms, signal),
    };
    const connect = (options: ClientOptions) => createClient({ ...options, clock, pace: 1 });
    const stage = await withSecondStep({ count: 1, parts: { disk, connect } });
    paced.clock = stage.clock;
    const { first, elsewhere, set, end, pass, passUntil, there } = stage;
    await set(THEN);
    await passUntil(() => end()?.second === "kept", "it is stopped");
    let wasWaiting = false;
    moment.act = () => {
      // Ten others, three seconds apart.
      for (let at = 0; at < 10; at += 1)
        first
          .me()
          .client.destroyInstance(InstanceId.parse(9000 + at))
          .catch(() => undefined);
      void clock.sleep(10_000).then(() => {
        wasWaiting = first.orders.getStage(stage.id) !== undefined;
        elsewhere("running");
      });
    };
    await passUntil(() => end() === undefined, "it is called off");
    await pass(5);
    assert.deepEqual([moment.act, wasWaiting, there()], [undefined, true, true]);
  });

  test("isn't carried out by a window that took over its order and slept right before the request", async () => {
    const lost = withLostOrder();
    const stage = await withStopped({ count: 1, parts: { disk: lost.disk } });
    const { windows, reopen, passUntil, pass, sleepFor, there, deletes, kinds } = stage;
    lost.order.isNext = true;
    await passUntil(() => lost.order.wasWritten, "the order is written down");
    for (const window of windows) window.close();
    const { moment, disk } = withLastMoment();
    moment.act = () => sleepFor(180 * MINUTE);
    await reopen("later", { liveness: lifeOf("later"), disk });
    await passUntil(() => kinds().at(-1) === "overdue", "it asks");
    await pass(5);
    assert.deepEqual([moment.act, there(), deletes()], [undefined, true, 0]);
  });

  test("gives orders that an older version can't read, and asks where one was called off without another end", async () => {
    const lost = withLostOrder();
    const { userData, windows, reopen, first, passUntil, pass, there, deletes, kinds } = await withStopped({
      count: 1,
      parts: { disk: lost.disk },
    });
    lost.order.isNext = true;
    await passUntil(() => lost.order.wasWritten, "the order is written down");
    const folder = join(userData.root, "orders");
    const names = (await readdir(folder)).filter((name) => name.endsWith(".order"));
    for (const name of names) assert.equal(JSON.parse(await readFile(join(folder, name), "utf8")).version, 2);
    assert.equal(names.length, 2, "one for each step");
    const [open] = await first.orderJournal.readOpen();
    assert.ok(open);
    await first.orderJournal.note(open.token, "revoked");
    for (const window of windows) window.close();
    await reopen("later", { liveness: lifeOf("later"), disk: realDisk });
    await passUntil(() => kinds().at(-1) === "overdue", "it asks");
    await pass(5);
    assert.deepEqual([there(), deletes()], [true, 0]);
  });

  test("asks if the clock was set back over a time in which no one could look", async () => {
    const state = { isDown: false };
    const { sleepFor, pass, passUntil, end, there, deletes, kinds } = await withStopped({
      count: 1,
      through: answering((request) => (state.isDown && askedFor(request) ? Promise.resolve(FAILED) : undefined)),
    });
    await pass(10);
    state.isDown = true;
    await pass(4);
    sleepFor(-2.5 * MINUTE);
    state.isDown = false;
    await passUntil(() => end()?.second === "unsure", "it says that it will ask");
    await passUntil(() => kinds().at(-1) === "overdue", "it asks");
    assert.deepEqual([there(), deletes()], [true, 0]);
  });

  test("isn't looked at any longer once no order can come of it and its person was asked", async () => {
    let looks = 0;
    const { sleepFor, pass, passUntil, notices, kinds, end } = await withStopped({
      through: answering((request) => {
        if (askedFor(request)) looks += 1;
        return undefined;
      }),
    });
    sleepFor(20 * MINUTE);
    await passUntil(() => kinds().at(-1) === "overdue", "it asks");
    notices.at(-1)?.answered();
    await pass(15);
    const before = looks;
    await pass(30);
    assert.equal(looks, before);
    assert.ok(end(), "it is left to its person");
  });

  test("follows the stop of an instance that stops itself, and was told when", async () => {
    const { set, machine, guard, clock, first, row, forward, world, untilSeen, deletes } = await withArmedEnd(
      undefined,
      {
        ending: "stop",
      },
    );
    const until = clock.now() + 2 * HOUR;
    const base = first.me().address.base;
    assert.equal(await set({ until, ending: "stop", stoppedHours: 1, byItself: base }), "set");
    assert.ok(Math.abs((machine.state.until ?? 0) - until) < MINUTE, "the instance keeps it");
    assert.equal(guard()?.kind, "armed");
    forward(until - clock.now() + 1000);
    setState(world, requireInstance(world, row.value.id), "stopped");
    await untilSeen("stopped");
    const end = () => first.autoStops.findAutoStop(row.value);
    await eventually(() => {
      first.autoStops.wake();
      return end()?.second === "kept";
    }, "the second step is shown");
    assert.equal(end()?.guard, undefined, "which the instance can't do");
    assert.deepEqual(deletes, [], "no window stopped it");
  });

  test("of an instance that ends itself is taken back without asking the instance, which doesn't run", async () => {
    let asked = 0;
    const selfStopAccess = {
      isReady: () => true,
      onDidChange: () => ({ dispose: () => undefined }),
      ask: async () => {
        asked += 1;
        throw new Error("It doesn't answer.");
      },
    };
    // A second window may not have listed it again by then, and asks what it still shows as running.
    const stage = await withSecondStep({ count: 1, parts: { selfStopAccess } });
    const { set, first, end, pass, passUntil, there, deletes } = stage;
    await set({ ...THEN, byItself: first.me().address.base });
    await passUntil(() => end()?.second === "kept", "it is stopped");
    const before = asked;
    assert.ok(before > 0, "it was asked while it ran");
    assert.equal(await set(undefined, first, end()), "set");
    assert.deepEqual([asked, end()], [before, undefined]);
    await pass(90);
    assert.deepEqual([there(), deletes()], [true, 0]);
  });

  test("that a window left and no one can judge keeps no other order of that window", async () => {
    const state = { isDown: false };
    const lost = withLostOrder();
    const stage = await withStopped({
      count: 1,
      // A call that fails does so at once, by the clock of the test: an order is fresh for a few minutes only.
      parts: { disk: lost.disk, connect: (options) => createClient({ ...options, pace: 0, patience: 0 }) },
      through: answering((request) =>
        state.isDown && askedFor(request) === String(id) ? Promise.resolve(FAILED) : undefined,
      ),
    });
    const { first, id, windows, reopen, passUntil, service, world, clock, there } = stage;
    lost.order.isNext = true;
    await passUntil(() => lost.order.wasWritten, "the order is written down");
    lost.order.isNext = false;
    const other = InstanceId.parse(rentRunning(service));
    const mark = toAccountMark(first.me());
    const order = { version: 1, kind: "destroy", id: other, ...mark, at: clock.now(), owner: "window-0" } as const;
    await first.orderJournal.write(createOrderToken(), order);
    for (const window of windows) window.close();
    state.isDown = true;
    const later = await reopen("later", { liveness: lifeOf("later"), disk: realDisk });
    const readOpen = async () => (await later.orderJournal.readOpen()).map(({ order: { id: open } }) => open);
    await passUntil(async () => !(await readOpen()).includes(other), "the other one is over");
    assert.deepEqual(
      world.listInstances().map((one) => one.id),
      [id],
    );
    assert.ok(there());
    assert.deepEqual(await readOpen(), [id], "it stays open");
  });

  test("is shown as both, and whoever puts it off or takes it back does that to both", async () => {
    const { set, end, first, pass, there, deletes } = await withSecondStep();
    await set(THEN);
    const before = end();
    assert.deepEqual([before?.ending, before?.stoppedHours, before?.second], ["stop", 1, undefined]);
    const until = (before?.until ?? 0) + 3_600_000;
    assert.equal(await set({ until, ending: "stop", stoppedHours: 1 }, first, before), "set");
    assert.deepEqual([end()?.until, end()?.stoppedHours], [until, 1]);
    await set(undefined);
    await pass(200);
    assert.deepEqual([end(), there(), deletes()], [undefined, true, 0]);
  });

  test("is followed by one record in all windows, which destroy it once, not before its time", async () => {
    const { windows, end, pass, passUntil, userData, there, notices, kinds, deletes, clock } = await withStopped();
    for (const window of windows) await passUntil(() => end(window)?.second === "kept", "all windows show it");
    const names = await readdir(join(userData.root, "ends"));
    assert.equal(names.filter((name) => /\.lease-/.test(name)).length, 2, "the stop, and what follows");
    const until = end()?.until ?? 0;
    await pass((until - clock.now()) / 60_000 - 0.5);
    assert.deepEqual([there(), deletes()], [true, 0]);
    await passUntil(() => !there(), "it is destroyed");
    await pass(15);
    assert.deepEqual(kinds(), ["soon", "ended", "soon", "ended"]);
    const [, , , last] = notices;
    assert.ok(last?.kind === "ended" && last.end.second === "kept" && last.result.kind === "destroy");
    assert.equal(deletes(), 1);
    assert.equal(end(), undefined);
  });

  test("isn't followed by anything once someone starts it in a window", async () => {
    const { first, during, id, end, pass, there, deletes, windows } = await withStopped();
    const [, second] = windows;
    assert.ok(second);
    await during(second.actions.start(second.me(), id));
    await pass(1);
    assert.equal(end(), undefined);
    await during(first.orders.carryOut(first.me(), "stop", [{ value: { id } }]));
    await pass(150);
    assert.deepEqual([there(), deletes(), end()], [true, 0, undefined]);
  });

  test("is called off by a start elsewhere", async () => {
    const { elsewhere, end, pass, passUntil, there, deletes, kinds } = await withStopped();
    elsewhere("running");
    await passUntil(() => end() === undefined, "it is called off");
    elsewhere("stopped");
    await pass(150);
    assert.deepEqual([there(), deletes()], [true, 0]);
    assert.deepEqual(kinds(), ["soon", "ended"], "there is nothing to ask");
  });

  test("asks if it ran elsewhere between two looks that saw it stopped, and destroys nothing", async () => {
    const { elsewhere, end, pass, passUntil, there, deletes, kinds } = await withStopped();
    await pass(5);
    elsewhere("running");
    await pass(1.5);
    elsewhere("stopped");
    await passUntil(() => end()?.second !== "kept", "it isn't promised any longer");
    await pass(90);
    assert.deepEqual([there(), deletes()], [true, 0]);
    assert.ok(end() === undefined || kinds().at(-1) === "overdue", "called off, or asked about");
  });

  test("asks if no window looked for a while, and says so before", async () => {
    const { windows, reopen, pass, passUntil, there, deletes, kinds, end } = await withStopped();
    await pass(10);
    for (const window of windows) window.close();
    await pass(10);
    const later = await reopen("later");
    await passUntil(() => end(later)?.second === "unsure", "it says that it will ask");
    await passUntil(() => kinds().at(-1) === "overdue", "it asks");
    await pass(30);
    assert.deepEqual([there(), deletes()], [true, 0]);
    assert.deepEqual(kinds().slice(2), ["overdue"], "once, and with no reminder of what won't be done");
  });

  test("asks if the computer slept", async () => {
    const { sleepFor, pass, passUntil, end, there, deletes, kinds } = await withStopped();
    await pass(5);
    sleepFor(20 * 60_000);
    await passUntil(() => end()?.second === "unsure", "it says that it will ask");
    await passUntil(() => kinds().at(-1) === "overdue", "it asks");
    assert.deepEqual([there(), deletes()], [true, 0]);
  });

  test("goes on where another window looked on while this one was held up", async () => {
    const state = { holds: false, wasHeld: false };
    const stage = await withStopped({ count: 1 });
    const { first, service, clock, during, pass, passUntil, reopen } = stage;
    const other = InstanceId.parse(rentRunning(service));
    await during(first.autoStops.set(first.me(), { id: other }, THEN));
    const end = (id: InstanceId) => first.autoStops.findAutoStop({ id })?.second;
    await passUntil(() => end(other) === "kept", "both are stopped");
    const lookedAt = async () =>
      (await first.autoStopJournal.readAll()).flatMap(({ stopped }) => stopped?.get(other)?.span.to ?? []);
    const [before] = await lookedAt();
    await passUntil(async () => (await lookedAt())[0] !== before, "it looks");
    await pass(0.4);
    state.holds = true;
    const hold = (options: ClientOptions) => {
      const client = createClient({ ...options, pace: 0 });
      const getInstance: Client["getInstance"] = async (...given) => {
        const isHeld = state.holds;
        state.holds = false;
        if (isHeld) await clock.sleep(4 * MINUTE);
        state.wasHeld ||= isHeld;
        return await client.getInstance(...given);
      };
      return { ...client, getInstance };
    };
    await reopen("held", { connect: hold });
    await passUntil(() => state.wasHeld, "it was held up");
    await pass(3);
    assert.deepEqual([end(stage.id), end(other)], ["kept", "kept"]);
  });

  test("goes on where another window looked on", async () => {
    const { windows, reopen, pass, passUntil, there, end } = await withStopped();
    await pass(10);
    windows[0]?.close();
    await pass(10);
    const next = await reopen("next");
    windows[1]?.close();
    await passUntil(() => !there(), "the third window, which looked on, destroys it");
    assert.equal(end(next), undefined);
  });

  test("is put off and taken back on its own", async () => {
    const { set, end, first, pass, there, deletes } = await withStopped();
    const before = end();
    const until = (before?.until ?? 0) + 3_600_000;
    assert.equal(await set({ until, ending: "destroy", stoppedHours: 1, isSecond: true }, first, before), "set");
    assert.deepEqual([end()?.until, end()?.second], [until, "kept"]);
    await pass(75);
    assert.deepEqual([there(), deletes()], [true, 0]);
    await set(undefined);
    await pass(90);
    assert.deepEqual([there(), deletes(), end()], [true, 0, undefined]);
  });

  test("isn't carried out by a window that took over its order once the instance runs", async () => {
    const state = { isHeld: true, wasAsked: false };
    const { windows, reopen, passUntil, pass, elsewhere, there, deletes } = await withStopped({
      count: 1,
      through: (service) =>
        serve(async (request, body) => {
          if (request.method !== "DELETE" || !state.isHeld) return await passOn(service.url, request, body);
          state.wasAsked = true;
          return new Promise<never>(() => {});
        }),
    });
    await passUntil(() => state.wasAsked, "a request is on its way, and gets nowhere");
    for (const window of windows) window.close();
    elsewhere("running");
    state.isHeld = false;
    await reopen("later", { liveness: lifeOf("later") });
    await pass(20);
    assert.deepEqual([there(), deletes()], [true, 0]);
  });

  test("of an instance that is gone is over", async () => {
    const { end, during, first, id, passUntil, kinds, pass } = await withStopped();
    await during(first.orders.carryOut(first.me(), "destroy", [{ value: { id } }]));
    await passUntil(() => end() === undefined, "nothing is left to do");
    await pass(100);
    assert.deepEqual(kinds(), ["soon", "ended"]);
  });

  test("of another account is left alone", async () => {
    const { first, service, pass, during, there, deletes, kinds, end } = await withStopped({ count: 1 });
    const at = { other: first.session.requireSignedIn() };
    await during(first.session.signIn(service.url.replace("127.0.0.1", "localhost"), service.apiKey));
    assert.notEqual(first.session.requireSignedIn().tag, at.other.tag);
    assert.equal(end(), undefined);
    await pass(150);
    assert.deepEqual([there(), deletes(), kinds()], [true, 0, ["soon", "ended"]]);
  });

  test("asks where the service can't be asked at its time", async () => {
    const state = { isDown: false };
    const { pass, passUntil, end, kinds, deletes, there } = await withStopped({
      through: (service) =>
        serve(async (request, body) =>
          state.isDown ? { status: 500, text: "{}" } : await passOn(service.url, request, body),
        ),
    });
    await pass(10);
    state.isDown = true;
    await passUntil(() => end()?.second === "unsure", "no one sees it any longer");
    await pass(20);
    state.isDown = false;
    await passUntil(() => kinds().at(-1) === "overdue", "it asks");
    assert.deepEqual([there(), deletes()], [true, 0]);
  });
});
