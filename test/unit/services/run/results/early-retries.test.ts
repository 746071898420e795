// When results that couldn't be brought are tried again.
import assert from "node:assert/strict";
import { test } from "node:test";
import { EarlyRetries } from "../../../../../src/services/run/results/early-retries.ts";

/** The looks at which something that always fails is tried. */
function listTries(minutes: number, looks: number): readonly number[] {
  const retries = new EarlyRetries(minutes);
  const tries: number[] = [];
  for (let look = 1; look <= looks; look += 1) {
    retries.countLook();
    if (!retries.isDue("./a")) continue;
    tries.push(look);
    assert.equal(retries.noteFailed("./a"), tries.length === 1);
  }
  return tries;
}

test("what fails is tried the next time, then after pauses that double up to an hour", () => {
  assert.deepEqual(listTries(1, 250), [1, 2, 4, 8, 16, 32, 64, 124, 184, 244]);
  assert.deepEqual(listTries(10, 30), [1, 2, 4, 8, 14, 20, 26]);
  assert.deepEqual(listTries(60, 4), [1, 2, 3, 4]);
  assert.deepEqual(listTries(1440, 4), [1, 2, 3, 4]);
});

test("what works again begins anew, and nothing waits for what fails", () => {
  const retries = new EarlyRetries(1);
  for (let look = 0; look < 2; look += 1) {
    retries.countLook();
    retries.noteFailed("./a");
  }
  retries.countLook();
  assert.deepEqual([retries.isDue("./a"), retries.isDue("./b")], [false, true]);
  retries.noteDone("./a");
  assert.equal(retries.isDue("./a"), true);
  assert.equal(retries.noteFailed("./a"), true);
});
