// How long a run may take: typed, written, and as a moment.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  assertKeepable,
  calculateLimitEnd,
  describeLimits,
  findMostPerHour,
  formatLimits,
  parseRunLimits,
  pickLimits,
  type RunLimits,
  toTypedLimits,
  USUAL_HOURS,
  withUsualTime,
} from "../../../../src/domain/run/run-limits.ts";

const HOUR = 3_600_000;

describe("limits that somebody types", () => {
  for (const [typed, limits] of [
    ["8 h", { maxHours: 8 }],
    ["8h", { maxHours: 8 }],
    ["90 min", { maxHours: 1.5 }],
    ["2 d", { maxHours: 48 }],
    [" $5 ", { maxCost: 5 }],
    ["8 h, $5.50", { maxHours: 8, maxCost: 5.5 }],
    ["$ 5; 0.5H", { maxHours: 0.5, maxCost: 5 }],
    ["$0.80/h", { maxPricePerHour: 0.8 }],
    ["8 h, $5, $ 0.8 / H", { maxHours: 8, maxCost: 5, maxPricePerHour: 0.8 }],
  ] as const)
    test(typed, () => assert.deepEqual(parseRunLimits(typed), limits));

  for (const typed of [
    "",
    "8",
    "h",
    "-1 h",
    "8 h 30",
    "8 h or $5",
    "$",
    "1e3 h",
    "5 €",
    "８ h",
    "8 h/h",
    "/h",
    "$/h",
    "0.8/h",
    "x".repeat(10_000),
    "8 h, 9 h",
    "$5, $6",
    "8 h, 8 h, $5",
  ])
    test(`not ${JSON.stringify(typed.slice(0, 20))}`, () =>
      assert.throws(
        () => parseRunLimits(typed),
        /Enter a time limit, a cost limit, or both, such as “8 h” or “8 h, \$5”\./,
      ));

  for (const typed of ["0 h", "721 h", "$0", "$100001", `${"9".repeat(400)} h`])
    test(`out of range: ${typed.slice(0, 20)}`, () =>
      assert.throws(() => parseRunLimits(typed), /above 0 and at most 720 h\. The cost limit must be above \$0/));

  for (const typed of ["$0/h", "$100001/h"])
    test(`out of range: ${typed}`, () =>
      assert.throws(() => parseRunLimits(typed), /The price per hour must be above \$0\./));

  test("come back as what somebody would type for them", () => {
    for (const limits of [
      { maxHours: 24 },
      { maxHours: 0.5 },
      { maxCost: 5 },
      { maxHours: 1.5, maxCost: 5.5 },
      { maxHours: 8, maxPricePerHour: 0.8 },
    ] as RunLimits[])
      assert.deepEqual(parseRunLimits(toTypedLimits(limits)), limits);
    for (const typed of ["100 min", "90 h", "1 min", "20 min", "1.5 h", "0.1234 h", "8 h, $5", "2.25 h", "1.1 h"])
      assert.equal(toTypedLimits(parseRunLimits(typed)), typed);
  });
});

describe("what comes first counts", () => {
  for (const [limits, price, hours] of [
    [{ maxHours: 8 }, 0.5, 8],
    [{ maxHours: 8 }, undefined, 8],
    [{ maxCost: 5 }, 0.5, 10],
    [{ maxHours: 8, maxCost: 5 }, 0.5, 8],
    [{ maxHours: 24, maxCost: 5 }, 0.5, 10],
    [{ maxHours: 24, maxCost: 5 }, Number.NaN, 24],
  ] as const)
    test(`${JSON.stringify(limits)} at ${price}`, () =>
      assert.equal(calculateLimitEnd(limits, 1000, price), 1000 + hours * HOUR));

  test("nothing ends what has no limit, and a sum can't be kept without a price", () => {
    assert.equal(calculateLimitEnd({}, 0, 1), undefined);
    for (const price of [undefined, 0, -1, Number.NaN]) {
      assert.equal(calculateLimitEnd({ maxCost: 5 }, 0, price), undefined);
      for (const limits of [{ maxCost: 5 }, { maxHours: 1, maxCost: 5 }])
        assert.throws(() => assertKeepable(limits, price), /The price is unknown, so a dollar limit can't be enforced/);
      assert.doesNotThrow(() => assertKeepable({ maxHours: 1 }, price));
    }
    assert.doesNotThrow(() => assertKeepable({ maxCost: 5 }, 0.1));
  });
});

describe("what an instance may cost per hour", () => {
  test("says nothing about time: the usual one counts where nothing else ends the command", () => {
    assert.deepEqual(withUsualTime({ maxPricePerHour: 0.8 }), { maxPricePerHour: 0.8, maxHours: USUAL_HOURS });
    assert.deepEqual(withUsualTime({}), { maxHours: USUAL_HOURS });
    for (const limits of [
      { maxHours: 1, maxPricePerHour: 0.8 },
      { maxCost: 5, maxPricePerHour: 0.8 },
    ])
      assert.deepEqual(withUsualTime(limits), limits);
    assert.equal(calculateLimitEnd({ maxPricePerHour: 0.8 }, 0, 0.5), undefined);
  });

  test("refuses what costs more, or nobody knows how much, and says what to do", () => {
    for (const price of [0.1, 0.8]) assert.doesNotThrow(() => assertKeepable({ maxPricePerHour: 0.8 }, price));
    assert.throws(() => assertKeepable({ maxPricePerHour: 0.8 }, 0.801), {
      message: "This costs $0.801/h, above the run's limit of $0.80/h. Choose another machine, or change the limit.",
      facts: {
        fields: {
          maxPricePerHour:
            "This costs $0.801/h, above the run's limit of $0.80/h. Choose another machine, or change the limit.",
        },
      },
    });
    for (const price of [undefined, 0, Number.NaN])
      assert.throws(
        () => assertKeepable({ maxPricePerHour: 0.8 }, price),
        /^AppError: The price is unknown, so the run's limit/,
      );
  });
});

test("limits in words, with what a time costs at most", () => {
  assert.equal(formatLimits({ maxHours: 24 }, 0.82), "24 h (at most about $19.68)");
  // Another instance may cost more.
  assert.equal(formatLimits({ maxHours: 24, maxAttempts: 2 }, 0.8), "24 h (at most about $24.00)");
  assert.equal(formatLimits({ maxHours: 1.5 }), "90 min");
  assert.equal(formatLimits({ maxHours: 0.0001 }), "1 s");
  assert.equal(formatLimits({ maxHours: 0.008 }), "29 s");
  assert.equal(formatLimits({ maxHours: 8, maxCost: 5 }, 0.5), "8 h (at most about $4.00) or $5.00");
  assert.equal(formatLimits({}), "");
  assert.equal(
    describeLimits({ maxHours: 8, maxPricePerHour: 0.8 }, 0.5),
    "8 h (at most about $4.00), at most $0.80/h",
  );
  assert.equal(describeLimits({ maxPricePerHour: 0.8 }), "at most $0.80/h");
});

test("no instance that is rented without a question costs more than was agreed to, or a quarter more than the first", () => {
  for (const [limits, price, most] of [
    [{}, 0.4, 0.5],
    [{ maxPricePerHour: 0.41 }, 0.4, 0.41],
    [{}, 0.1234, 0.155],
    [{}, undefined, undefined],
    [{ maxPricePerHour: 1 }, undefined, 1],
  ] as const)
    assert.equal(findMostPerHour(limits, price), most);
});

test("what a task says beside its limits is none of them", () => {
  const task = { command: "true", maxHours: 2, maxAttempts: 3 };
  assert.deepEqual(pickLimits(task), { limits: { maxHours: 2, maxAttempts: 3 } });
  assert.deepEqual(pickLimits({ command: "true" } as RunLimits), {});
});
