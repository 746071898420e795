// Ends that instances keep themselves, where what they say is another end, or doesn't arrive.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { AppError } from "../../../../src/domain/base/error.ts";
import { type SelfStopOrder, type SelfStopState, toSeconds } from "../../../../src/domain/instance/self-stop.ts";
import { sleep } from "../../../../src/lib/clock.ts";
import { eventually, pass, serve } from "../../support.ts";
import { HOUR, MINUTE } from "./auto-stop-windows.ts";
import { addSelfStop, lostAnswer, notReached, type Through, withReach } from "./self-stop.ts";

/** One whose answers are lost once it is told of another end, which it takes. Readings and orders wait where the test says so. */
async function withLostOrders(reading: () => Promise<void> | void, ordering: () => Promise<void> | void, count = 1) {
  const kept = { count: 0, at: 0, until: undefined as number | undefined };
  let now = Date.now;
  const windows = await addSelfStop(
    async (order) => {
      const { until } = kept;
      const answer = {
        ...kept,
        written: until === undefined ? undefined : toSeconds(until),
        ending: "destroy",
      } as const;
      if (!order) {
        await reading();
        return { ...answer, lives: true, isAccepted: true, wasDue: false };
      }
      await ordering();
      const next = order.wait === undefined ? undefined : now() + order.wait;
      Object.assign(kept, { count: order.count, at: order.at, until: next });
      throw lostAnswer();
    },
    { count },
  );
  kept.until = windows.now + 5 * HOUR;
  now = windows.clock.now;
  return windows;
}

describe("an instance that was told of another end, and whose answer was lost", () => {
  test("isn't called armed by its first reading, which was on its way by then", async () => {
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    const { set, now, guard } = await withLostOrders(
      () => {
        asked.resolve();
        return answer.promise;
      },
      () => undefined,
    );
    await asked.promise;
    const change = await set({ until: now + 9 * HOUR, ending: "destroy" });
    assert.ok(typeof change === "object" && change.kind === "held" && change.isUnsure, JSON.stringify(change));
    answer.resolve();
    await sleep(300);
    assert.equal(guard()?.kind, "unverified");
  });

  test("nor by one that another window took while it was told", async () => {
    const told = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    let isNear = false;
    const { set, guard, windows } = await withLostOrders(
      () => {
        if (!isNear) throw notReached();
      },
      () => {
        told.resolve();
        return go.promise;
      },
      2,
    );
    const changing = set(undefined, windows[1]);
    await told.promise;
    isNear = true;
    await eventually(() => guard()?.kind === "armed", "the other window has read it");
    isNear = false;
    go.resolve();
    const change = await changing;
    assert.ok(typeof change === "object" && change.isUnsure, JSON.stringify(change));
    await eventually(() => guard()?.kind === "unverified", "it isn't called armed anymore");
  });
});

test("a login that failed says nothing about a sooner end that another one brought to the instance by then", async () => {
  const { first, windows, row, set, now, machine, setReach, untilSeen } = await withReach({ count: 2 });
  await untilSeen("running", windows[1]);
  const go = Promise.withResolvers<void>();
  const waiting = Promise.withResolvers<void>();
  setReach(() => {
    waiting.resolve();
    return go.promise;
  });
  const changing = set({ until: now + 2 * HOUR, ending: "destroy" });
  await waiting.promise;
  setReach("near");
  const isArmed = () =>
    windows[1]?.autoStops.findAutoStop(row.value)?.guard?.kind === "armed" && machine.state.count === 2;
  await eventually(isArmed, "the other window brought it there");
  setReach("away");
  go.resolve();
  await changing;
  await sleep(300);
  assert.equal(first.autoStops.findAutoStop(row.value)?.guard?.kind, "armed");
});

describe("an instance that keeps another end itself", () => {
  test("is known to keep it until it is known to keep another one, whatever is tried", async () => {
    let until = 0;
    const { now, set, guard, inHours, first, row } = await addSelfStop((order) => {
      if (order) throw lostAnswer();
      const version = { count: 0, at: 0, written: until / 1000 };
      return { ...version, until, ending: "destroy", lives: true, isAccepted: true, wasDue: false };
    });
    until = now + 4 * HOUR;
    const keeps = () => {
      const known = guard();
      return known?.kind === "unverified" && known.until === until;
    };
    await eventually(keeps, "it says that it keeps an earlier end");
    for (const hours of [6, 4.5]) {
      const change = await set(inHours(hours, "destroy"));
      assert.ok(typeof change === "object" && change.kind === "held", `${hours} h: ${JSON.stringify(change)}`);
      assert.ok(change.isUnsure, "and nobody is told that nothing was changed");
      assert.equal(change.until, until);
      assert.ok(keeps(), "a lost answer doesn't make the end later that the row names");
      assert.equal(first.autoStops.findAutoStop(row.value)?.until, now + 5 * HOUR);
    }
  });

  test("because a window's answer was lost isn't said to keep that of another one", async () => {
    const asked = Promise.withResolvers<void>();
    const isSet = Promise.withResolvers<void>();
    let kept = { count: 0, at: 0, wait: 5 * HOUR };
    const { now, set, guard, inHours, windows } = await addSelfStop(
      async (order) => {
        const { count = 0, at = 0, wait = 0 } = order ?? {};
        const isLost = wait > 5.5 * HOUR && wait < 6.5 * HOUR;
        if (isLost) asked.resolve();
        if (isLost) await isSet.promise;
        if (order) kept = { count, at, wait };
        if (isLost) throw lostAnswer();
        const until = now + Math.round(kept.wait / HOUR) * HOUR;
        return {
          ...kept,
          written: until / 1000,
          until,
          ending: "destroy",
          lives: true,
          isAccepted: true,
          wasDue: false,
        };
      },
      { count: 2 },
    );
    await eventually(() => guard()?.kind === "armed", "it keeps the first end");
    const lost = set(inHours(6, "destroy"), windows[1]);
    await asked.promise;
    assert.equal(await set({ until: now + 8 * HOUR, ending: "destroy" }), "set");
    assert.equal(guard()?.kind, "armed");
    isSet.resolve();
    const change = await lost;
    assert.ok(typeof change === "object" && change.kind === "held", JSON.stringify(change));
    const keepsIt = () => guard()?.kind === "armed" && Math.round(kept.wait / HOUR) === 8;
    await eventually(keepsIt, "it was asked again, and brought the end that the row names");
  });

  test("or that was stopped before an end was set isn't said to have stopped itself at that end", async () => {
    let isStopped = false;
    const began = Date.now();
    const answer = (order: SelfStopOrder | undefined): SelfStopState => {
      if (isStopped) throw new AppError("rejected", "It isn't running.", { notSent: true });
      const until = began + 5 * HOUR;
      const version = { count: order?.count ?? 0, at: 0, written: until / 1000 };
      return { ...version, until, ending: "stop", lives: false, isAccepted: true, wasDue: false };
    };
    const { first, inHours, set, forward, kinds, untilOver } = await addSelfStop(answer, { ending: "stop" });
    forward(5 * HOUR + 1000);
    await eventually(() => {
      first.autoStops.wake();
      return kinds().includes("ended");
    }, "a window stops it");
    isStopped = true;
    await untilOver();
    assert.equal(await set(inHours(1, "stop")), "set");
    await first.instances.collection.refresh();
    forward(HOUR + 1000);
    await untilOver();
    assert.deepEqual(
      kinds(),
      kinds().filter((kind) => kind !== "itself"),
    );
  });

  test("or whose end before was carried out meanwhile isn't called armed, nor said to have ended itself", async () => {
    const sent = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    const through: Through = (service) =>
      serve(async (request, body) => {
        if (request.method === "DELETE") {
          sent.resolve();
          await answer.promise;
        }
        return await pass(service.url, request, body);
      });
    let kept = { count: 0, at: 0 };
    let isGone = false;
    let clockNow = () => 0;
    let keepsUntil = 0;
    const { set, inHours, forward, clock, guard, first, row, kinds, service, untilOver } = await addSelfStop(
      (order) => {
        if (isGone) throw notReached();
        if (order) {
          kept = { count: order.count, at: order.at };
          keepsUntil = clockNow() + (order.wait ?? 0);
        }
        const end = { until: keepsUntil, written: Math.ceil(keepsUntil / 1000), ending: "destroy" } as const;
        return { ...kept, ...end, lives: true, isAccepted: true, wasDue: false };
      },
      { through },
    );
    clockNow = clock.now;
    keepsUntil = first.autoStops.findAutoStop(row.value)?.until ?? assert.fail();
    forward(5 * HOUR + 5 * MINUTE);
    await sent.promise;
    const changing = set(inHours(1, "destroy"));
    await eventually(() => kept.count === 2, "it keeps the later end");
    isGone = true;
    answer.resolve();
    assert.equal(await changing, "late");
    const isDoubted = () => {
      const known = guard();
      return known?.kind === "unverified" && known.doubt === "unread";
    };
    await eventually(isDoubted, "what it answered before its end says nothing of the later one");
    await eventually(() => service.world.listInstances().length === 0, "it is destroyed");
    await first.instances.collection.refresh();
    forward(HOUR + 5 * MINUTE);
    await untilOver();
    assert.ok(!kinds().includes("itself"), String(kinds()));
  });
});
