// Ends that instances keep themselves, in the moments in which they are moved, carried out or read.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { AppError } from "../../../../src/domain/base/error.ts";
import { sleep } from "../../../../src/lib/clock.ts";
import { describeAutoStopNotice, describeHeldEnd } from "../../../../src/present/instance/auto-stop-notices.ts";
import { destroyInstance, requireInstance, setState } from "../../../../src/sandbox/handlers/instance-state.ts";
import { realDisk } from "../../../../src/services/core/book/disk.ts";
import { eventually } from "../../support.ts";
import { HOUR, MINUTE } from "./auto-stop-windows.ts";
import { addSelfStop, withArmedEnd, withReach } from "./self-stop.ts";

const notReached = () => new AppError("rejected", "Cloud GPU couldn't log in to the instance.", { notSent: true });
const lost = () => new AppError("timeout", "The answer was lost.");

describe("an instance that ends itself", () => {
  test("isn't ended by a window while it is being told of a later end", async () => {
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    let isHolding = false;
    const { set, now, forward, isThere, deletes } = await withArmedEnd((machine) => async (order) => {
      const said = machine.obey(order);
      if (order && isHolding) {
        asked.resolve();
        await answer.promise;
      }
      return said;
    });
    forward(5 * HOUR - 20_000);
    await sleep(300);
    isHolding = true;
    const changed = set({ until: now + 6 * HOUR, ending: "destroy" });
    await asked.promise;
    forward(21_000);
    await sleep(3000);
    const sent = [...deletes];
    answer.resolve();
    const change = await changed;
    assert.deepEqual(sent, [], `destroyed while the machine was being told (${JSON.stringify(change)})`);
    assert.ok(isThere());
  });

  test("is left the time for it", async () => {
    const { forward, deletes } = await withArmedEnd();
    forward(5 * HOUR - 20_000);
    await sleep(300);
    forward(21_000);
    await sleep(3000);
    assert.deepEqual(deletes, []);
  });

  test("isn't said to have a later end if the one before was carried out while that was set", async () => {
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    const { set, forward, now, isThere } = await addSelfStop(async (order) => {
      if (!order) throw lost();
      asked.resolve();
      await answer.promise;
      const until = now + 6 * HOUR;
      return { ...order, until, written: until / 1000, lives: true, isAccepted: true, wasDue: false };
    });
    forward(5 * HOUR - 20_000);
    await sleep(300);
    const changed = set({ until: now + 6 * HOUR, ending: "destroy" });
    await asked.promise;
    // While it is being told, it has two minutes to end itself.
    forward(2 * MINUTE + 21_000);
    await eventually(() => !isThere(), "a window destroyed it");
    await sleep(500);
    answer.resolve();
    assert.equal(await changed, "late");
  });

  test("and was only to be reminded of is told to run on, also while nobody has seen that message", async () => {
    const { set, now, forward, kinds, machine, stop, start, untilSeen } = await withReach();
    assert.equal(await set({ until: now + HOUR, ending: "remind" }), "set");
    forward(HOUR + MINUTE);
    await eventually(() => kinds().includes("over"), "the reminder");
    stop();
    await untilSeen("stopped");
    // On a new disk, the end that it was rented with holds again.
    Object.assign(machine.state, { count: 0, at: 0, until: now + 5 * HOUR, ending: "destroy" });
    await start();
    await eventually(() => machine.state.until === undefined, "it is told");
  });

  test("isn't said to be stopped and to cost money once it is gone", async () => {
    const { row, clock, forward, told, world, untilOver } = await withArmedEnd(undefined, { ending: "stop" });
    const { id } = row.value;
    destroyInstance(world, id); // By the person, elsewhere, after it had stopped itself.
    forward(5 * HOUR + 5 * MINUTE);
    await untilOver();
    for (const [, notice] of told) {
      if (notice.kind === "ended") continue;
      const text = describeAutoStopNotice(notice.kind, { ...notice, launchPrice: undefined }, clock.now());
      assert.doesNotMatch(text, /is stopped|costs money/, text);
    }
  });

  test("isn't stopped once more after it stopped itself and was started again", async () => {
    const { first, row, forward, kinds, world, deletes, untilSeen } = await withArmedEnd(undefined, { ending: "stop" });
    const { id } = row.value;
    await first.instances.collection.refresh();
    // A list is as old as its request, and that lasts 60 times as long by the clock that no one sets.
    forward(5 * HOUR + MINUTE);
    await sleep(100); // it looks at its end, and leaves it the time
    setState(world, requireInstance(world, id), "stopped"); // by its own key
    await untilSeen("stopped");
    forward(MINUTE / 2);
    const before = deletes.length;
    await first.actions.start(first.me(), id); // The person, in this window
    await untilSeen("running");
    forward(2 * MINUTE);
    await sleep(2500);
    const stops = deletes.slice(before);
    assert.equal(requireInstance(world, id).intended, "running", `${JSON.stringify(stops)} ${kinds()}`);
  });

  test("isn't told of an end if the disk can't keep that it was", async () => {
    let isFull = false;
    const { first, row, set, now, machine } = await withArmedEnd(undefined, {
      parts: {
        disk: {
          ...realDisk,
          create: (path, text) => (isFull ? Promise.reject(new Error("full")) : realDisk.create(path, text)),
        },
      },
    });
    isFull = true;
    await assert.rejects(set({ until: now + 9 * HOUR, ending: "destroy" }), /full/);
    isFull = false;
    await sleep(3000); // 3 min of its clock
    const kept = Math.round(((machine.state.until ?? 0) - now) / HOUR);
    const shown = first.autoStops.findAutoStop(row.value);
    const is = `the instance keeps ${kept} h, shown ${Math.round(((shown?.until ?? 0) - now) / HOUR)} h ${JSON.stringify(shown?.guard)}`;
    assert.ok(kept === 5 || shown?.guard?.kind !== "armed", is);
  });

  test("isn't said to keep the earlier end once an answer was lost, whatever the next attempt meets", async () => {
    let fails: (() => AppError) | undefined;
    const { set, now } = await withArmedEnd(({ obey }) => (order) => {
      if (fails) throw fails();
      return obey(order);
    });
    const change = async (hours: number, why: () => AppError) => {
      fails = why;
      const changed = await set({ until: now + hours * HOUR, ending: "destroy" });
      assert.ok(typeof changed === "object", JSON.stringify(changed));
      return changed;
    };
    assert.ok((await change(6, notReached)).isKnown, "nothing was sent: it keeps what it was known to keep");
    assert.ok((await change(4, lost)).isUnsure);
    assert.ok(!(await change(6, notReached)).isKnown, "it may keep the end whose answer was lost");
  });

  test("is asked again if it began anew while it was asked", async () => {
    const reading = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    let isHolding = false;
    let reads = 0;
    const { row, world, untilSeen } = await withArmedEnd((machine) => async (order) => {
      const said = machine.obey(order);
      if (!order) reads += 1;
      if (!order && isHolding) {
        isHolding = false;
        reading.resolve();
        await go.promise;
      }
      return said;
    });
    const restart = async () => {
      setState(world, requireInstance(world, row.value.id), "stopped");
      await untilSeen("stopped");
      setState(world, requireInstance(world, row.value.id), "running");
      await untilSeen("running");
    };
    isHolding = true;
    await restart();
    await reading.promise;
    await restart();
    const before = reads;
    go.resolve();
    await eventually(() => reads > before, "it is asked about what runs now");
  });

  test("isn't called armed by an answer from before the one that was lost", async () => {
    const reading = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    let holdRead = false;
    const { first, row, set, now, world, machine, untilSeen } = await withArmedEnd((machine) => async (order) => {
      const said = machine.obey(order);
      if (!order && holdRead) {
        holdRead = false;
        reading.resolve();
        await go.promise;
      }
      if (order?.wait && order.wait > 8 * HOUR) throw lost();
      return said;
    });
    holdRead = true;
    // Once it was started again, it is asked again.
    const { id } = row.value;
    setState(world, requireInstance(world, id), "stopped");
    await untilSeen("stopped");
    setState(world, requireInstance(world, id), "running");
    await untilSeen("running");
    await reading.promise;
    const change = await set({ until: now + 9 * HOUR, ending: "destroy" });
    assert.ok(typeof change === "object" && change.kind === "held" && change.isUnsure, JSON.stringify(change));
    go.resolve();
    await sleep(3000);
    const kept = Math.round(((machine.state.until ?? 0) - now) / HOUR);
    const shown = first.autoStops.findAutoStop(row.value);
    const is = `the instance keeps ${kept} h, shown ${Math.round(((shown?.until ?? 0) - now) / HOUR)} h ${JSON.stringify(shown?.guard)}`;
    assert.ok(kept === 5 || shown?.guard?.kind !== "armed", is);
  });

  for (const [name, said] of [
    ["that never showed it", undefined],
    ["whose key is refused", { isAccepted: false }],
    ["where nothing keeps an end", "missing"],
  ] as const)
    test(`${name} isn't said to still end itself`, async () => {
      const began = Date.now();
      let isGone = said === undefined;
      const { guard, set, inHours, clock, row } = await addSelfStop(() => {
        if (isGone) throw notReached();
        if (said === "missing") return "missing";
        const until = began + 5 * HOUR;
        return {
          count: 0,
          at: 0,
          until,
          written: until / 1000,
          ending: "destroy",
          lives: true,
          isAccepted: false,
          wasDue: false,
        };
      });
      if (said !== undefined) {
        await eventually(() => {
          const known = guard();
          return known?.kind === "unverified" && known.doubt !== undefined;
        }, "its doubt is known");
      }
      isGone = true;
      const change = await set(inHours(8, "destroy"));
      assert.ok(typeof change === "object" && change.kind === "held" && !change.isUnsure, JSON.stringify(change));
      const text = describeHeldEnd(change.kind, { instance: row.value, ...change }, clock.now());
      assert.doesNotMatch(text, /It will still end itself at/, `${JSON.stringify(guard())}: ${text}`);
    });

  test("isn't said to end itself at a new end if there is none", async () => {
    const { row, set, clock, machine } = await withArmedEnd((machine) => (order) => {
      const said = machine.obey(order);
      if (order && order.wait === undefined) throw lost();
      return said;
    });
    const change = await set(undefined);
    assert.ok(typeof change === "object" && change.isUnsure);
    const text = describeHeldEnd(change.kind, { instance: row.value, ...change }, clock.now());
    assert.equal(machine.state.until, undefined, "it keeps no end any more");
    assert.doesNotMatch(text, /It may end itself at .* or at the new time/, text);
  });

  test("isn't said to have ended itself if its person destroyed it just before", async () => {
    const { first, row, forward, kinds, world, untilOver } = await withArmedEnd();
    forward(5 * HOUR - 9 * MINUTE);
    await eventually(() => kinds().includes("soon"), "reminded");
    assert.ok(await first.destroy(row.value.id));
    assert.ok(!world.listInstances().some((one) => one.id === row.value.id));
    forward(10 * MINUTE);
    await untilOver();
    assert.ok(!kinds().includes("itself"), kinds().join());
  });

  test("isn't said to have ended itself if it was gone long before", async () => {
    const { first, row, forward, kinds, world, untilOver } = await withArmedEnd();
    destroyInstance(world, row.value.id);
    forward(HOUR);
    await first.instances.collection.refresh();
    assert.equal(first.instances.find(row.value.id), undefined, "the list says so, four hours before its end");
    forward(4 * HOUR + 5 * MINUTE); // The computer slept.
    await untilOver();
    assert.ok(!kinds().includes("itself"), kinds().join());
  });

  test("isn't called armed at the end of one window by what it answered another one", async () => {
    const asked = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    let isReachable = true;
    const {
      first,
      row,
      set,
      now,
      machine,
      windows: all,
    } = await withArmedEnd(
      (machine) => async (order) => {
        if (!isReachable) throw notReached();
        const said = machine.obey(order);
        if (order && (order.wait ?? 0) < 3.5 * HOUR && (order.wait ?? 0) > 2.5 * HOUR) {
          asked.resolve();
          await go.promise;
        }
        return said;
      },
      { count: 2 },
    );
    const one = set({ until: now + 3 * HOUR, ending: "destroy" }, all[1]);
    await asked.promise; // The instance keeps 3 h, its answer is on the way.
    isReachable = false;
    const change = await set({ until: now + 2 * HOUR, ending: "destroy" });
    assert.ok(typeof change === "object" && change.kind === "partly" && !change.isUnsure, JSON.stringify(change));
    go.resolve();
    await one;
    await first.autoStops.wake();
    await sleep(1500);
    const shown = first.autoStops.findAutoStop(row.value);
    const is = `the instance keeps ${Math.round(((machine.state.until ?? 0) - now) / HOUR)} h, shown ${Math.round(((shown?.until ?? 0) - now) / HOUR)} h ${JSON.stringify(shown?.guard)}`;
    assert.ok(shown?.guard?.kind !== "armed", is);
  });

  test("isn't called armed again over what it said meanwhile", async () => {
    const asked = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    let isRefused = false;
    const {
      set,
      now,
      guard,
      windows: all,
    } = await withArmedEnd(
      (machine) => async (order) => {
        if (order) {
          asked.resolve();
          await go.promise;
          throw notReached();
        }
        return { ...machine.answer(), isAccepted: !isRefused };
      },
      { count: 2 },
    );
    isRefused = true; // Its key was taken back.
    const change = set({ until: now + 9 * HOUR, ending: "destroy" });
    await asked.promise;
    await eventually(async () => {
      for (const one of all) {
        await one.instances.collection.refresh();
        one.autoStops.wake();
      }
      const known = guard();
      return known?.kind === "unverified" && known.doubt === "refused";
    }, "a window was told that it can't end itself");
    go.resolve();
    await change;
    await sleep(1500);
    assert.notEqual(guard()?.kind, "armed");
  });
});
