// When a watched price counts as reached, when that is told, and when the next look comes.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { anySearch, MOST_OFFERS } from "../../../../src/domain/offer/offer-search.ts";
import {
  calculateLookPause,
  isSnoozed,
  judgeLook,
  parseGoalPrice,
  parseGoalReliability,
  proposeGoalPrice,
  SNOOZE,
  toMachineKey,
  toWatchSearch,
  type WatchGoal,
  type WatchMemory,
} from "../../../../src/domain/offer/price-watch.ts";
import { offerOf } from "../../support.ts";

const NOW = 1_800_000_000_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const GOAL: WatchGoal = { kind: "price", most: 0.3 };
const NONE: WatchMemory = { told: [], lastTold: undefined, snoozedUntil: undefined };

const offer = (dph_total: number, machine_id: number | undefined = 1, over = {}) =>
  offerOf({ id: (machine_id ?? 0) + 100, machine_id, num_gpus: 1, dph_total, ...over });
const told = (machine: string, ago: number): WatchMemory => ({
  ...NONE,
  told: [{ machine, at: NOW - ago }],
  lastTold: NOW - ago,
});

describe("a goal is told", () => {
  test("with the first offer at or below it, and not above it", () => {
    assert.equal(judgeLook(GOAL, [offer(0.301)], NONE, NOW).tells, false);
    assert.equal(judgeLook(GOAL, [offer(0.3)], NONE, NOW).tells, true);
    const verdict = judgeLook(GOAL, [offer(0.4, 2), offer(0.25, 1)], NONE, NOW);
    assert.deepEqual([verdict.tells, verdict.best?.price, verdict.best?.offer.machine_id], [true, 0.25, 1]);
  });

  test("by GPU if it is about GPUs", () => {
    const goal: WatchGoal = { kind: "gpuPrice", most: 0.3 };
    const verdict = judgeLook(goal, [offer(0.5, 1), offer(2, 2, { num_gpus: 8 })], NONE, NOW);
    assert.deepEqual([verdict.tells, verdict.best?.price, verdict.best?.offer.machine_id], [true, 0.25, 2]);
  });

  test("never with a price that isn't known or not to be believed", () => {
    for (const price of [Number.NaN, 0, -1, 1e308, Number.POSITIVE_INFINITY]) {
      const verdict = judgeLook(GOAL, [offer(price)], NONE, NOW);
      assert.deepEqual([verdict.tells, verdict.isMet, verdict.best], [false, false, undefined], String(price));
    }
  });

  test("not again on the same machine, however the price swings around the goal", () => {
    const memory = told("1", 3 * HOUR);
    for (const price of [0.29, 0.3, 0.301, 0.306, 0.2]) {
      const { tells, rearms } = judgeLook(GOAL, [offer(price)], memory, NOW);
      assert.deepEqual([tells, rearms], [false, false], String(price));
    }
  });

  test("again after the price was more than 2 % above it, or nothing was offered", () => {
    assert.equal(judgeLook(GOAL, [offer(0.3061)], told("1", HOUR), NOW).rearms, true);
    assert.equal(judgeLook(GOAL, [], told("1", HOUR), NOW).rearms, true);
    assert.equal(judgeLook(GOAL, [offer(0.5)], NONE, NOW).rearms, false, "nothing was told");
    assert.equal(judgeLook(GOAL, [offer(Number.NaN)], told("1", HOUR), NOW).rearms, false, "no price is known");
  });

  test("again with a machine that wasn't told, and not with one that was", () => {
    const memory: WatchMemory = {
      ...told("1", 5 * HOUR),
      told: [
        { machine: "1", at: NOW - 5 * HOUR },
        { machine: "2", at: NOW - 3 * HOUR },
      ],
    };
    assert.equal(judgeLook(GOAL, [offer(0.29, 3)], memory, NOW).tells, true);
    assert.equal(judgeLook(GOAL, [offer(0.29, 2)], memory, NOW).tells, false);
    assert.equal(judgeLook(GOAL, [offer(0.29, 1)], memory, NOW).tells, false);
  });

  test("at most once an hour, even if the clock was set back a little", () => {
    for (const ago of [0, 59 * MINUTE, -59 * MINUTE])
      assert.equal(judgeLook(GOAL, [offer(0.2, 9)], told("1", ago), NOW).tells, false, String(ago));
    for (const ago of [HOUR, -HOUR])
      assert.equal(judgeLook(GOAL, [offer(0.2, 9)], told("1", ago), NOW).tells, true, String(ago));
    const rearmed = { ...NONE, lastTold: NOW - MINUTE };
    assert.equal(judgeLook(GOAL, [offer(0.2)], rearmed, NOW).tells, false);
  });

  test("not while it is snoozed, which never lasts longer than an hour", () => {
    const until = (snoozedUntil: number) => judgeLook(GOAL, [offer(0.2)], { ...NONE, snoozedUntil }, NOW).tells;
    assert.deepEqual([until(NOW + 1), until(NOW + SNOOZE)], [false, false]);
    assert.deepEqual([until(NOW), until(NOW + SNOOZE + 1)], [true, true]);
    assert.equal(isSnoozed(undefined, NOW), false);
  });

  test("whatever happens, not twice within an hour, and not for one machine without a rise between", () => {
    const look = fc.record({
      minutes: fc.integer({ min: 5, max: 90 }),
      price: fc.constantFrom(0.2, 0.3, 0.304, 0.4),
      machine: fc.integer({ min: 1, max: 3 }),
    });
    fc.assert(
      fc.property(fc.array(look, { maxLength: 40 }), (looks) => {
        let [memory, now] = [NONE, NOW];
        const seen: { at: number; machine: number; above: number }[] = [];
        let above = 0;
        for (const { minutes, price, machine } of looks) {
          now += minutes * MINUTE;
          if (price > 0.306) above += 1;
          const { tells, rearms } = judgeLook(GOAL, [offer(price, machine)], memory, now);
          if (rearms) memory = { ...memory, told: [] };
          if (!tells) continue;
          assert.ok(price <= 0.3);
          const last = seen.at(-1);
          assert.ok(!last || now - last.at >= HOUR);
          assert.ok(!seen.some((one) => one.machine === machine && one.above === above));
          seen.push({ at: now, machine, above });
          memory = { ...memory, told: [...memory.told, { machine: String(machine), at: now }], lastTold: now };
        }
      }),
    );
  });
});

test("an offer that names no machine is one of its own", () => {
  assert.notEqual(toMachineKey(offer(1, undefined, { id: 7 })), toMachineKey(offer(1, 7)));
});

describe("a look asks for", () => {
  const search = { ...anySearch, diskGb: 40, sort: "reliability" } as const;

  test("the five cheapest", () => {
    const { limit, sort, filters, diskGb } = toWatchSearch({ search, goal: GOAL });
    assert.deepEqual([limit, sort, filters, diskGb], [5, "price", search.filters, 40]);
  });

  test("the five cheapest that are reliable enough, by the search or by the goal", () => {
    const goal: WatchGoal = { kind: "reliability", most: 0.3, least: 0.99 };
    assert.deepEqual(toWatchSearch({ search, goal }).filters.reliability, { gte: 0.99 });
    const strict = { ...search, filters: { reliability: { gte: 0.995, lt: 1 } } };
    assert.deepEqual(toWatchSearch({ search: strict, goal }).filters, { reliability: { gte: 0.995, lt: 1 } });
  });

  test("more of them where the cheapest GPU may be in a large machine", () => {
    const goal: WatchGoal = { kind: "gpuPrice", most: 0.3 };
    assert.equal(toWatchSearch({ search, goal }).limit, MOST_OFFERS);
    for (const num_gpus of [{ eq: 8 }, { in: [8] }])
      assert.equal(toWatchSearch({ search: { ...search, filters: { num_gpus } }, goal }).limit, 5);
    assert.equal(
      toWatchSearch({ search: { ...search, filters: { num_gpus: { in: [1, 8] } } }, goal }).limit,
      MOST_OFFERS,
    );
  });
});

describe("a look of a search that says how many offers it wants", () => {
  const goals: readonly WatchGoal[] = [
    { kind: "price", most: 0.3 },
    { kind: "gpuPrice", most: 0.3 },
    { kind: "reliability", most: 0.3, least: 0.99 },
  ];
  for (const goal of goals)
    test(`asks for as many, but for no more than a list does: ${goal.kind}`, () => {
      const limits = [1, 7, MOST_OFFERS, 15_000].map(
        (limit) => toWatchSearch({ search: { ...anySearch, limit }, goal }).limit,
      );
      assert.deepEqual(limits, [1, 7, MOST_OFFERS, MOST_OFFERS]);
    });
});

describe("the next look", () => {
  test("comes a tenth sooner or later than the setting says", () => {
    assert.equal(calculateLookPause(10, 0, 0), 9 * MINUTE);
    assert.equal(calculateLookPause(10, 0, 0.5), 10 * MINUTE);
    assert.equal(calculateLookPause(10, 0, 1), 11 * MINUTE);
  });

  test("comes twice as late after each refusal, up to four hours or what the person set", () => {
    const pauses = [0, 1, 2, 3, 4, 5, 99].map((refusals) => calculateLookPause(10, refusals, 0.5) / MINUTE);
    assert.deepEqual(pauses, [10, 20, 40, 80, 160, 240, 240]);
    assert.equal(calculateLookPause(600, 3, 0.5) / MINUTE, 600);
  });
});

describe("what is typed", () => {
  test("is a price with or without its sign", () => {
    assert.deepEqual([parseGoalPrice("0.3"), parseGoalPrice(" $ 1.25 ")], [0.3, 1.25]);
    for (const wrong of ["", "0", "0,3", "-1", "1001", "1e3", "NaN", "cheap"])
      assert.throws(() => parseGoalPrice(wrong), { kind: "rejected" }, wrong);
  });

  test("is a reliability in percent", () => {
    assert.deepEqual([parseGoalReliability("99"), parseGoalReliability("99.5 %")], [0.99, 0.995]);
    for (const wrong of ["", "0", "101", "99,5"])
      assert.throws(() => parseGoalReliability(wrong), { kind: "rejected" }, wrong);
  });

  test("is proposed a tenth below the present price", () => {
    assert.deepEqual([proposeGoalPrice(0.334), proposeGoalPrice(12.4), proposeGoalPrice(0.0173)], [0.3, 11, 0.016]);
    for (const price of [1e-7, 0.0005, 1500, 900_000])
      assert.equal(
        parseGoalPrice(String(proposeGoalPrice(price))),
        proposeGoalPrice(price),
        "it can be entered as it is",
      );
  });
});
