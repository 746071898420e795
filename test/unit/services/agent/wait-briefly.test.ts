// What an agent is told of what the person agreed to, and what the person is told of it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { waitBriefly } from "../../../../src/services/agent/wait-briefly.ts";
import { steppedClock } from "../../../journeys/stepped-clock.ts";

function waiting() {
  const { clock, pass } = steppedClock();
  const work = Promise.withResolvers<string>();
  const errors: unknown[] = [];
  const answer = waitBriefly(clock, work.promise, {
    ...{ late: "late", failed: "failed" },
    tellError: (error) => void errors.push(error),
  });
  return { pass, work, errors, answer };
}

test("what is done soon is told as it is", async () => {
  const { work, answer, errors } = waiting();
  work.resolve("done");
  assert.deepEqual([await answer, errors], ["done", []]);
});

test("what fails is told to both, soon or late", async () => {
  const soon = waiting();
  soon.work.reject(new Error("no"));
  assert.deepEqual([await soon.answer, soon.errors.length], ["failed", 1]);
  const late = waiting();
  await late.pass(31_000);
  assert.equal(await late.answer, "late");
  assert.deepEqual(late.errors, []);
  late.work.reject(new Error("no"));
  await late.pass(1);
  assert.equal(late.errors.length, 1);
});
