// What the attempts at a run cost together, and what they leave of its limits.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Attempt, calculateAttemptsCost, findLimitsLeft } from "../../../../src/domain/run/attempt.ts";

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

test("the next attempt gets what the last one left, and nothing if that is too little or not known", () => {
  const now = 5 * HOUR;
  const whole = { maxHours: 8, maxCost: 5, maxAttempts: 3 };
  for (const [limits, last, most, left] of [
    // The time passes until now, and the money until the instance ended.
    [whole, attempt(2, 0.5), 1, { maxHours: 4, maxCost: 4, maxAttempts: 2 }],
    [
      { ...whole, maxPricePerHour: 1 },
      attempt(2, 0.5),
      1,
      { maxPricePerHour: 1, maxHours: 4, maxCost: 4, maxAttempts: 2 },
    ],
    // What isn't known to have ended costs money until now.
    [whole, { ...attempt(2, 0.5), atLeast: true }, 1, { maxHours: 4, maxCost: 3, maxAttempts: 2 }],
    [{ maxHours: 8, maxAttempts: 2 }, attempt(2), 1, { maxHours: 4, maxAttempts: 1 }],
    // A clock that was set back gives nothing back.
    [whole, { ...attempt(2, 0.5), at: 9 * HOUR }, 1, undefined],
    [whole, attempt(-1, 0.5), 1, undefined],
    [{ ...whole, maxHours: 4.2 }, attempt(2, 0.5), 1, { maxHours: 0.2, maxCost: 4, maxAttempts: 2 }],
    [{ ...whole, maxHours: 4.1 }, attempt(2, 0.5), 1, undefined],
    [{ ...whole, maxCost: 1.5 }, attempt(2, 0.5), 4, undefined],
    [{ ...whole, maxCost: 0.5 }, attempt(2, 0.5), 1, undefined],
    [whole, attempt(2), 1, undefined],
    [{ ...whole, maxAttempts: 1 }, attempt(2, 0.5), 1, undefined],
    [{ maxHours: 8 }, attempt(2, 0.5), 1, undefined],
  ] as const)
    assert.deepEqual(findLimitsLeft(limits, last, { now, most }), left, JSON.stringify([limits, last]));
});
