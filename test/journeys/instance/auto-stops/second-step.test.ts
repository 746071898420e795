// What an auto-stop stopped is destroyed later, over real HTTP: only if it was stopped all of that time, and a window can say so. An hour
// stands for the day that a person chooses.
import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { AutoStopWish, InstanceAutoStop } from "../../../../src/domain/instance/auto-stop.ts";
import { requireInstance, setState } from "../../../../src/sandbox/handlers/instance-state.ts";
import type { AutoStopNotice } from "../../../../src/services/instance/auto-stops/auto-stop-telling.ts";
import { lifeOf } from "../../editor-window.ts";
import { pass as passOn, serve } from "../../support.ts";
import { withIdleWindows } from "../idle/idle-windows.ts";

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

describe("a stop with a second step", () => {
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
