// What a person orders for an idle instance: how its time is read, when it warns, and what its files may hold.
import assert from "node:assert/strict";
import { test } from "node:test";
import { calculateWarningTime, IdleOrder, parseIdleTime } from "../../../../src/domain/instance/idle-order.ts";

test("times are read as they are typed, within bounds", () => {
  assert.deepEqual(["5 min", " 90 min", "2 h", "0.5 h", "1 d"].map(parseIdleTime), [5, 90, 120, 30, 1440]);
  for (const text of ["", "30", "18:00", "-5 min", "2 weeks", "1e3 min"])
    assert.throws(() => parseIdleTime(text), /such as 30 min or 2 h/, text);
  for (const text of ["4 min", "0 min", "25 h", "2 d"])
    assert.throws(() => parseIdleTime(text), /between 5 min and 24 h/, text);
});

test("the warning comes ten minutes before, or halfway", () => {
  assert.deepEqual([5, 20, 30, 1440].map(calculateWarningTime), [2.5, 10, 20, 1430]);
});

test("a file that says something else than an order is none", () => {
  const order = {
    ...{ version: 1, id: 7, origin: "https://gpu.example.com", account: "a", at: 1, count: 1 },
    wish: { minutes: 30, ending: "destroy" },
  };
  assert.ok(IdleOrder.safeParse(order).success);
  assert.ok(IdleOrder.safeParse({ ...order, wish: null }).success);
  for (const odd of [
    { version: 2 },
    { id: 0.5 },
    { wish: { minutes: 0, ending: "destroy" } },
    { wish: { minutes: 30, ending: "remind" } },
    { wish: { minutes: Number.POSITIVE_INFINITY, ending: "stop" } },
    { wish: undefined },
    { count: 0 },
    { at: -1 },
  ])
    assert.ok(!IdleOrder.safeParse({ ...order, ...odd }).success, JSON.stringify(odd));
});
