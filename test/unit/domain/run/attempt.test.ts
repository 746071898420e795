// What the attempts at a run cost together.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Attempt, calculateAttemptsCost } from "../../../../src/domain/run/attempt.ts";

const HOUR = 3_600_000;

const attempt = (hours: number, price?: number): Attempt =>
  ({ run: "20261125-201500-a-abcd", instance: 5, at: HOUR, end: HOUR * (1 + hours), price }) as unknown as Attempt;

test("attempts cost what their instances cost together, as far as their prices are known", () => {
  for (const [attempts, cost, isWhole] of [
    [[], 0, true],
    [[attempt(1, 0.5), attempt(0.5, 1)], 1, true],
    [[attempt(1, 0.5), attempt(1)], 0.5, false],
    [[attempt(1)], 0, false],
    [[{ ...attempt(1, 0.5), atLeast: true }], 0.5, false],
    // A clock that was set back counts for nothing.
    [[attempt(-1, 0.5), attempt(1, 0.25)], 0.25, true],
  ] as const)
    assert.deepEqual(calculateAttemptsCost(attempts), { cost, isWhole });
});
