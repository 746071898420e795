// Ends that an instance keeps although they no longer hold, since it couldn't be told: they are named until it is.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { AppError } from "../../src/domain/base/error.ts";
import type { LeaseWish } from "../../src/domain/instance/lease.ts";
import { found, setState } from "../../src/sandbox/handlers/instance-state.ts";
import { HOUR, MINUTE } from "./lease-windows.ts";
import { withArmedEnd } from "./own-end.ts";
import { eventually } from "./support.ts";

const notReached = () => new AppError("rejected", "The instance can't be logged in to.", { notSent: true });

/** One that keeps an end in 5 h, and can be out of reach. */
async function withReach() {
  let isAway = false;
  const windows = await withArmedEnd(({ obey }) => (order) => {
    if (isAway) throw notReached();
    return obey(order);
  });
  const setAway = (away: boolean) => {
    isAway = away;
  };
  return { ...windows, setAway };
}

/** A window stopped it at an end that it was never told of, and the person started it again. */
async function withLeftEnd() {
  const windows = await withReach();
  const { first, row, set, now, forward, untilSeen, untilOver } = windows;
  windows.setAway(true);
  const change = await set({ until: now + 2 * HOUR, ending: "stop" });
  assert.ok(typeof change === "object" && change.kind === "partly" && change.isKnown, JSON.stringify(change));
  forward(2 * HOUR + 3 * MINUTE);
  await untilSeen("stopped");
  await untilOver();
  forward(MINUTE);
  await first.actions.start(first.me(), row.value.id);
  await untilSeen("running");
  return windows;
}

describe("an end that an instance keeps although a window has carried out a sooner one", () => {
  test("is named as long as the instance can't be told, and then taken back there", async () => {
    const { first, row, now, machine, setAway } = await withLeftEnd();
    const end = () => first.leases.endOf(row.value);
    await eventually(() => end()?.isLeft === true, "its row names it");
    assert.deepEqual([end()?.until, end()?.ending], [now + 5 * HOUR, "destroy"]);
    setAway(false);
    await eventually(() => end() === undefined, "nothing ends it anymore");
    assert.equal(machine.state.until, undefined, "and the instance knows that");
  });

  test("keeps a later one from being set without a word, and can be put off once it can be told", async () => {
    const { first, row, set, now, machine, setAway } = await withLeftEnd();
    const later: LeaseWish = { until: now + 9 * HOUR, ending: "destroy" };
    const change = await set(later);
    assert.ok(typeof change === "object" && change.kind === "held" && change.isKnown, JSON.stringify(change));
    assert.equal(change.until, now + 5 * HOUR);
    await eventually(() => first.leases.endOf(row.value)?.isLeft === true, "its row goes on naming it");
    const left = first.leases.endOf(row.value);
    setAway(false);
    assert.equal(
      await first.leases.set(first.me(), { id: row.value.id }, later, left),
      "set",
      "as *Extend 1 h* does it",
    );
    assert.equal(machine.state.until && Math.round((machine.state.until - now) / HOUR), 9);
  });

  test("is left out while the instance doesn't run: it keeps none then", async () => {
    const { first, row, untilSeen, world } = await withLeftEnd();
    await eventually(() => first.leases.endOf(row.value)?.isLeft === true, "its row names it");
    setState(world, found(world, row.value.id), "stopped");
    await untilSeen("stopped");
    assert.equal(first.leases.endOf(row.value), undefined);
  });
});

test("no contact with its host isn't taken for an instance that can't end itself", async () => {
  const { first, row, set, now, forward, world, untilSeen, setAway } = await withReach();
  setAway(true);
  const one = found(world, row.value.id);
  one.timeline = [...one.timeline, { at: world.now(), status: "offline", message: "The host has lost its connection" }];
  await untilSeen("lost");
  assert.equal(first.leases.endOf(row.value)?.guard?.kind, "armed", "it has shown that it ends itself");
  forward(5 * HOUR + 11 * MINUTE);
  const change = await set({ until: now + 8 * HOUR, ending: "destroy" });
  assert.ok(typeof change === "object" && change.kind === "held", JSON.stringify(change));
});
