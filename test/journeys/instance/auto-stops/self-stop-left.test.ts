// Ends that an instance keeps although they no longer hold, since it couldn't be told: they are named until it is.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { AutoStopWish } from "../../../../src/domain/instance/auto-stop.ts";
import { sleep } from "../../../../src/lib/clock.ts";
import { realDisk } from "../../../../src/services/core/book/disk.ts";
import { eventually } from "../../support.ts";
import { HOUR, MINUTE } from "./auto-stop-windows.ts";
import { withReach } from "./self-stop.ts";

/** A window stopped it at an end that it was never told of, and the person started it again. */
async function withLeftEnd(options: Parameters<typeof withReach>[0] = {}) {
  const windows = await withReach(options);
  const { first, row, set, now, forward, startAgain, setReach } = windows;
  setReach("away");
  const change = await set({ until: now + 2 * HOUR, ending: "stop" });
  assert.ok(typeof change === "object" && change.kind === "partly" && change.isKnown, JSON.stringify(change));
  forward(2 * HOUR + 3 * MINUTE);
  await startAgain();
  const end = () => first.autoStops.findAutoStop(row.value);
  await eventually(() => end()?.isLeft === true, "its row names it");
  return { ...windows, end };
}

describe("an end that an instance keeps although a window has carried out a sooner one", () => {
  test("is named as long as the instance can't be told, and then taken back there", async () => {
    const { end, now, machine, setReach } = await withLeftEnd();
    assert.deepEqual([end()?.until, end()?.ending], [now + 5 * HOUR, "destroy"]);
    setReach("near");
    await eventually(() => end() === undefined, "nothing ends it anymore");
    assert.equal(machine.state.until, undefined, "and the instance knows that");
  });

  test("keeps a later one from being set without a word, and can be put off once it can be told", async () => {
    const { first, row, set, now, machine, setReach, end } = await withLeftEnd();
    const later: AutoStopWish = { until: now + 9 * HOUR, ending: "destroy" };
    const change = await set(later);
    assert.ok(typeof change === "object" && change.kind === "held" && change.isKnown, JSON.stringify(change));
    assert.equal(change.until, now + 5 * HOUR);
    await eventually(() => end()?.isLeft === true, "its row goes on naming it");
    const left = end();
    setReach("near");
    assert.equal(
      await first.autoStops.set(first.me(), { id: row.value.id }, later, left),
      "set",
      "as *Extend 1 h* does it",
    );
    assert.equal(machine.state.until && Math.round((machine.state.until - now) / HOUR), 9);
  });

  test("is left out while the instance doesn't run: it keeps none then", async () => {
    const { end, untilSeen, stop } = await withLeftEnd();
    stop();
    await untilSeen("stopped");
    assert.equal(end(), undefined);
  });

  test("is named although the window that set the sooner one was killed while it logged in", async () => {
    const { first, open, row, set, now, forward, setReach, startAgain } = await withReach();
    const reached = Promise.withResolvers<void>();
    setReach(() => {
      reached.resolve();
      return new Promise<void>(() => undefined);
    });
    void set({ until: now + 2 * HOUR, ending: "stop" });
    await reached.promise;
    first.close();
    setReach("away");
    const second = await open("next", ["next"]);
    const end = () => second.autoStops.findAutoStop(row.value);
    await eventually(() => end()?.until === now + 2 * HOUR, "the next window shows it");
    forward(2 * HOUR + 3 * MINUTE);
    await startAgain(second);
    await eventually(() => end()?.isLeft === true && end()?.until === now + 5 * HOUR, "its row names it");
  });

  test("is named although a full disk kept a window from noting what it was about to change", async () => {
    let isFull = false;
    const create = async (path: string, text: string) => {
      if (!isFull || !path.includes(".proof-")) return await realDisk.create(path, text);
      await realDisk.create(path, "");
      throw Object.assign(new Error("ENOSPC"), { code: "ENOSPC" });
    };
    const { first, set, now, end } = await withLeftEnd({ parts: { disk: { ...realDisk, create } } });
    isFull = true;
    await assert.rejects(set({ until: now + 9 * HOUR, ending: "stop" }), "nothing was set");
    isFull = false;
    first.autoStops.wake();
    await sleep(300);
    assert.ok(end()?.isLeft);
  });

  test("is named although two changes at once couldn't be brought to the instance", async () => {
    const { first, windows, set, setReach, end } = await withLeftEnd({ count: 2 });
    let waiting = 0;
    const go = Promise.withResolvers<void>();
    setReach(() => {
      waiting += 1;
      return go.promise;
    });
    const changes = [set(undefined), set(undefined, windows[1])];
    await eventually(() => waiting === 2, "both log in");
    setReach("away");
    go.resolve();
    for (const change of await Promise.all(changes)) assert.ok(typeof change === "object" && change.kind === "held");
    first.autoStops.wake();
    await sleep(300);
    assert.ok(end()?.isLeft);
  });

  test("is named if it is one whose answer was lost", async () => {
    const { first, row, set, now, forward, startAgain, setReach, guard } = await withReach();
    assert.equal(await set({ until: now + 2 * HOUR, ending: "stop" }), "set");
    await eventually(() => guard()?.kind === "armed", "it is armed");
    setReach("lost");
    const change = await set({ until: now + 6 * HOUR, ending: "destroy" });
    assert.ok(typeof change === "object" && change.kind === "held" && change.isUnsure, JSON.stringify(change));
    forward(2 * HOUR + 3 * MINUTE);
    await startAgain().catch(() => undefined);
    await eventually(() => first.autoStops.findAutoStop(row.value)?.until === now + 6 * HOUR, "its row names it");
    const none = await set(undefined);
    assert.ok(typeof none === "object" && none.kind === "held", "and it can't be taken back without a word");
  });
});

describe("an end that an instance kept, and that passed", () => {
  const untilLater = (now: number): AutoStopWish => ({ until: now + 4 * HOUR, ending: "stop" });

  for (const { how, ending, hours } of [
    { how: "while it was stopped", ending: "destroy", hours: [0, 4] },
    { how: "because it stopped itself by it", ending: "stop", hours: [3, 0.5] },
  ] as const)
    test(`${how}, is no longer named, and a new one can be set for windows`, async () => {
      const { end, set, forward, untilSeen, stop, start, clock } = await withLeftEnd({ ending });
      const [before, after] = hours;
      forward(before * HOUR);
      stop();
      await untilSeen("stopped");
      forward(after * HOUR);
      await start();
      assert.equal(end(), undefined);
      assert.equal(await set(untilLater(clock.now())), "set");
    });

  test("while it ran on, is no longer named, and a new one can be set for windows", async () => {
    const { end, set, forward, clock } = await withLeftEnd();
    forward(4 * HOUR);
    assert.equal(end(), undefined);
    assert.equal(await set(untilLater(clock.now())), "set");
  });
});
