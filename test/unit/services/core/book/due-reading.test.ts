import assert from "node:assert/strict";
import { test } from "node:test";
import { DueReading } from "../../../../../src/services/core/book/due-reading.ts";

const full = Object.assign(new Error("no permission"), { code: "EACCES" });
let now = 0;
const clock = { elapsed: () => now };
const read = async () => {};
const fail = () => Promise.reject(full);

test("files are read at first, and again once they were marked, also during a reading", async () => {
  const due = new DueReading(500, clock);
  assert.equal(due.wait, 0);
  await due.run(read);
  assert.equal(due.wait, undefined);
  due.mark();
  assert.equal(due.wait, 0);
  await due.run(async () => due.mark());
  assert.equal(due.wait, 0);
});

test("files that couldn't be read are read again soon, and it is told once if that fails as well", async () => {
  const due = new DueReading(500, clock);
  const told: unknown[] = [];
  due.onDidGetStuck((error) => told.push(error));
  await assert.rejects(due.run(fail), full);
  now += 200;
  due.mark();
  assert.equal(due.wait, 300, "what is marked meanwhile postpones nothing");
  assert.deepEqual(told, []);
  for (const _ of [1, 2, 3]) await assert.rejects(due.run(fail), full);
  assert.deepEqual(told, [full]);
  await due.run(read);
  assert.equal(due.wait, undefined);
  for (const _ of [1, 2]) await assert.rejects(due.run(fail), full);
  assert.deepEqual(told, [full, full]);
});

test("whoever was disposed of tells nobody that it can't read", async () => {
  const due = new DueReading(500, clock);
  const told: unknown[] = [];
  due.onDidGetStuck((error) => told.push(error));
  due.dispose();
  for (const _ of [1, 2, 3]) await assert.rejects(due.run(fail), full);
  assert.deepEqual(told, []);
});
