// What instances cost, from readings of the list: what was seen, what follows from it, and what is only possible.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { findAbsence } from "../../../../src/domain/account/absence.ts";
import {
  isSameSeen,
  LineReader,
  type Reading,
  type SeenInstance,
  toSeenInstance,
  writeLine,
} from "../../../../src/domain/account/ledger.ts";
import {
  clipStretch,
  type Spent,
  splitByDay,
  startOfDay,
  sumSpent,
  toSpentRange,
  traceSpending,
} from "../../../../src/domain/account/spending.ts";
import { InstanceId } from "../../../../src/domain/base/id.ts";
import { Instance } from "../../../../src/domain/instance/instance.ts";

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];
const seen = (id = 1, more: Partial<SeenInstance> = {}): SeenInstance => ({
  id: InstanceId.parse(id),
  low: 1,
  high: 1,
  start: 0,
  ...more,
});
const reading = (at: number, all: readonly SeenInstance[], hasGaps = false): Reading => ({
  at,
  hasGaps,
  seen: new Map(all.map((one) => [one.id, one])),
});
const spend = (readings: readonly Reading[], from = 0, to = 1000 * HOUR): Spent =>
  sumSpent(traceSpending(readings, from, to));
/** Every minute of a span, both ends included. */
const watched = (from: number, to: number, all: readonly SeenInstance[]) =>
  Array.from({ length: (to - from) / MINUTE + 1 }, (_, at) => reading(from + at * MINUTE, all));
const near = (one: number, other: number) => assert.ok(Math.abs(one - other) < 1e-9, `${one} ≈ ${other}`);

describe("what an instance cost", () => {
  test("is what was seen while somebody looked", () => {
    const { observed, inferred } = spend(watched(0, HOUR, [seen()]));
    near(observed, 1);
    assert.deepEqual(inferred, { low: 0, high: 0 });
  });

  test("in a gap is worked out if it was the same before and after", () => {
    const { observed, inferred } = spend([...watched(0, HOUR, [seen()]), ...watched(5 * HOUR, 6 * HOUR, [seen()])]);
    near(observed, 2);
    near(inferred.low, 4);
    near(inferred.high, 4);
  });

  test("in a gap in which it ended, or was rented, lies between nothing and all of it", () => {
    const gone = spend([...watched(0, HOUR, [seen()]), reading(5 * HOUR, [])]);
    assert.deepEqual(gone.inferred, { low: 0, high: 4 });
    const rented = spend([reading(0, []), reading(4 * HOUR, [seen(1, { start: 7200 })])]);
    assert.deepEqual(rented.inferred, { low: 0, high: 2 }, "not before its contract began");
    const unknown = spend([reading(0, []), reading(4 * HOUR, [seen(1, { start: 9e9 })])]);
    assert.deepEqual(unknown.inferred, { low: 0, high: 4 }, "a date that can't be");
  });

  test("before the first reading isn't counted: nobody was there", () => {
    assert.deepEqual(spend([reading(4 * HOUR, [seen()])]), {
      observed: 0,
      inferred: { low: 0, high: 0 },
      isOpen: false,
    });
  });

  test("is the price of its disk while it is stopped, and lies between both where it changed", () => {
    const stopped = seen(1, { low: 0.1, high: 0.1, isStopped: true });
    const spent = spend([...watched(0, HOUR, [seen()]), ...watched(2 * HOUR, 3 * HOUR, [stopped])]);
    near(spent.observed, 1.1);
    near(spent.inferred.low, 0.1);
    near(spent.inferred.high, 1);
  });

  test("of another contract with the same number isn't taken for the same one", () => {
    const { inferred } = spend([reading(0, [seen()]), reading(4 * HOUR, [seen(1, { start: 5 })])]);
    assert.ok(inferred.low <= 4 && inferred.high === 4);
  });

  test("is seen also where the start of its contract is a little different each time, as by another clock", () => {
    const first = 10 * HOUR;
    const readings = [0, 1, 2].map((at) => reading(first + at * MINUTE, [seen(1, { start: 9 * 3600 - at * 59 })]));
    const { observed, inferred } = spend(readings, first, first + 2 * MINUTE);
    near(observed, 2 / 60);
    near(inferred.high, 0);
  });

  test("without a price is open", () => {
    const { high: _, ...unpriced } = seen(1, { low: 0 });
    const spent = spend(watched(0, HOUR, [unpriced]));
    assert.ok(spent.isOpen);
    assert.equal(spent.observed, 0);
  });

  test("isn't ended by a list with gaps", () => {
    const spent = spend([
      ...watched(0, HOUR, [seen()]),
      reading(HOUR + MINUTE, [], true),
      ...watched(HOUR + 2 * MINUTE, 2 * HOUR, [seen()]),
    ]);
    near(spent.observed, 2);
    assert.deepEqual(spent.inferred, { low: 0, high: 0 });
  });

  test("is counted once, however many windows look, and in whatever order", () => {
    const one = watched(0, 2 * HOUR, [seen()]);
    const other = watched(0, 2 * HOUR, [seen()]).map(({ at, ...rest }) => ({ ...rest, at: at + 20_000 }));
    near(spend([...other, ...one].reverse(), 0, 2 * HOUR).observed, 2);
  });

  test("of a span of time is the part of it", () => {
    near(spend(watched(0, 4 * HOUR, [seen()]), HOUR, 2 * HOUR).observed, 1);
  });
});

test("drawn lives: what was billed lies in the range, and no more was observed", () => {
  const minute = fc.integer({ min: 1, max: 600 });
  // Rented, stopped and destroyed, each in a minute of its own or never; someone looks for some minutes, several times.
  const liveness = fc
    .uniqueArray(minute, { minLength: 1, maxLength: 3 })
    .map((minutes) => minutes.sort((a, b) => a - b));
  const looks = fc.array(fc.tuple(minute, fc.integer({ min: 1, max: 40 })), { minLength: 1, maxLength: 6 });
  let observedAtAll = 0;
  fc.assert(
    fc.property(liveness, looks, ([rented = 0, stopped = 1e9, gone = 1e9], spans) => {
      const priceAt = (at: number) => {
        if (at < rented || at >= gone) return 0;
        return at < stopped ? 1 : 0.1;
      };
      const minutes = [
        ...new Set([0, ...spans.flatMap(([from, length]) => Array.from({ length }, (_, at) => from + at))]),
      ];
      const last = Math.max(...minutes);
      const readings = minutes.map((at) => {
        const price = priceAt(at);
        const now = {
          low: price,
          high: price,
          start: rented * 60,
          ...(price < 1 ? { isStopped: true, running: 1 } : {}),
        };
        return reading(at * MINUTE, price === 0 ? [] : [seen(1, now)]);
      });
      // What lived and ended between two looks is known to the service alone.
      if (readings.every((one) => one.seen.size === 0))
        return assert.deepEqual(spend(readings).inferred, { low: 0, high: 0 });
      const bill = Array.from({ length: last }, (_, at) => priceAt(at) / 60).reduce((sum, one) => sum + one, 0);
      const spent = spend(readings, 0, last * MINUTE);
      const { low, high } = toSpentRange(spent);
      observedAtAll += spent.observed;
      assert.ok(spent.observed <= bill + 1e-9, `${spent.observed} observed, ${bill} billed`);
      assert.ok(low <= bill + 1e-9 && bill <= high + 1e-9, `${low} ≤ ${bill} ≤ ${high}`);
    }),
    { numRuns: 1000 },
  );
  assert.ok(observedAtAll > 100, "something was observed");
});

describe("the lines of a file", () => {
  const row = (id: number, status: string, more: object = {}) => ({
    value: Instance.parse({
      id,
      actual_status: status,
      dph_total: 1,
      storage_total_cost: 0.1,
      num_gpus: 2,
      gpu_name: "RTX 4090",
      ...more,
    }),
    launchPrice: undefined,
  });

  test("lead back to the readings they were written of", () => {
    const readings = [
      reading(0, []),
      reading(1, [seen(1), seen(2)]),
      reading(2, [seen(1), seen(2)]),
      reading(3, [seen(2, { high: 2 }), seen(3)], true),
      reading(4, []),
    ];
    const reader = new LineReader();
    const again = readings.map((now, at) => reader.read(JSON.stringify(writeLine(readings[at - 1], now))));
    assert.deepEqual(again, readings);
  });

  test("after one that is damaged mean nothing until one says everything", () => {
    const [one, two, three] = [reading(1, [seen(1)]), reading(2, [seen(1), seen(2)]), reading(3, [seen(2)])];
    const reader = new LineReader();
    assert.ok(reader.read(JSON.stringify(writeLine(undefined, one))));
    for (const damaged of [
      "",
      "{",
      '{"at":2,"set":[{"id":1',
      "[]",
      '{"at":-1}',
      '{"at":5,"gone":["x"]}',
      '{"at":1,"set":[{"id":1,"low":-1}]}',
    ])
      assert.equal(reader.read(damaged), undefined, damaged);
    assert.equal(reader.read(JSON.stringify(writeLine(two, three))), undefined);
    assert.deepEqual(reader.read(JSON.stringify(writeLine(undefined, three))), three);
  });

  test("say nothing of a start that a service gives differently each time, unless something began since", () => {
    const at = 1e12;
    const [one, jitter, begun] = [{ start: 1e8 }, { start: 1e8 + 7 }, { start: 1e9 + 5 }].map((more, index) =>
      reading(at + index * 10_000, [seen(1, more)]),
    );
    assert.ok(one && jitter && begun);
    assert.equal(isSameSeen(one, jitter), true);
    assert.equal(writeLine(one, jitter).set, undefined);
    assert.equal(isSameSeen(one, begun), false);
    assert.equal(writeLine(one, begun).set?.length, 1);
    for (const more of [{ low: 0.5 }, { high: 9 }, { isStopped: true }, { label: "other" }])
      assert.equal(isSameSeen(one, reading(at + 1, [seen(1, { start: 1e8, ...more })])), false, JSON.stringify(more));
  });

  test("an unchanged list takes few bytes", () => {
    const many = Array.from({ length: 50 }, (_, at) => seen(at + 1));
    assert.ok(JSON.stringify(writeLine(reading(1e12, many), reading(1e12 + 60_000, many))).length < 30);
  });

  test("a machine that isn't billed in full for certain has a price from and to", () => {
    const prices = (status: string, more: object = {}) => {
      const { low, high, isStopped } = toSeenInstance(row(1, status, more));
      return [low, high, isStopped];
    };
    assert.deepEqual(prices("running"), [1, 1, undefined]);
    assert.deepEqual(prices("loading"), [0.1, 1, undefined]);
    assert.deepEqual(prices("stopped"), [0.1, 0.1, true]);
    assert.deepEqual(prices("offline"), [0, 1, undefined]);
    assert.deepEqual(prices("running", { dph_total: -1 }), [0, undefined, undefined]);
  });

  test("hold no secret that somebody put into a label, and no text without end", () => {
    const one = toSeenInstance(
      row(1, "running", { label: `--api-key ${"s3cret".repeat(9)} train`, template_name: "x".repeat(5000) }),
      "my project",
    );
    assert.doesNotMatch(JSON.stringify(one), /s3cret/);
    assert.equal(one.template?.length, 300);
    assert.equal(one.project, "my project");
  });
});

describe("an absence", () => {
  const before = watched(0, HOUR, [seen(1), seen(2), seen(3)]);

  test("tells what ended, what was stopped, what is new and what is billed", () => {
    const now = [seen(2, { isStopped: true, low: 0.1, high: 0.1 }), seen(3), seen(4)];
    const absence = findAbsence([...before, reading(9 * HOUR, now)], 8.9 * HOUR);
    assert.ok(absence);
    const ids = (all: readonly SeenInstance[]) => all.map(({ id }) => Number(id));
    assert.deepEqual(
      [ids(absence.ended), ids(absence.stopped), ids(absence.begun), ids(absence.billed)],
      [[1], [2], [4], [2, 3, 4]],
    );
    assert.deepEqual([absence.from, absence.to], [HOUR, 9 * HOUR]);
    assert.ok(toSpentRange(absence.spent).high > 8);
  });

  test("is none if it was short, if another window looked, if nothing was and is rented, or if nobody ever looked", () => {
    assert.equal(findAbsence([...before, reading(1.9 * HOUR, [])], 1.5 * HOUR), undefined);
    assert.equal(findAbsence([...before, ...watched(HOUR, 9 * HOUR, [seen()])], 8.99 * HOUR), undefined);
    assert.equal(findAbsence([reading(0, []), reading(9 * HOUR, [])], 8 * HOUR), undefined);
    assert.equal(findAbsence([reading(9 * HOUR, [seen()])], 8 * HOUR), undefined);
    assert.equal(
      findAbsence([...before, reading(9 * HOUR, [], true)], 8 * HOUR),
      undefined,
      "a list with gaps says nothing yet",
    );
  });
});

test("days are split at local midnight, and together are the whole", () => {
  const from = startOfDay(Date.UTC(2026, 9, 20));
  const to = from + 12 * 24 * HOUR;
  const stretches = traceSpending(watched(from, to, [seen()]), from, to);
  const days = splitByDay(stretches, from, to);
  assert.ok(days.size >= 12);
  for (const day of days.keys()) assert.equal(new Date(day).getHours(), 0);
  const sum = [...days.values()].reduce((all, own) => all + sumSpent(own).observed, 0);
  near(Math.round(sum * 1e6) / 1e6, 288);
});

// It is worked out again with each list.
describe("the months before the time that is asked for", () => {
  test("are not gone through again with each list", () => {
    let looks = 0;
    class Counted extends Map<InstanceId, SeenInstance> {
      override [Symbol.iterator]() {
        looks += 1;
        return super[Symbol.iterator]();
      }
    }
    const one = seen(1);
    const all = new Counted([[one.id, one]]);
    const readings = Array.from({ length: 60 * 24 * 60 + 1 }, (_, at) => ({
      at: at * MINUTE,
      hasGaps: false,
      seen: all,
    }));
    const { observed } = sumSpent(traceSpending(readings, 59.5 * DAY, 60 * DAY));
    near(Math.round(observed * 1e6) / 1e6, 12);
    assert.ok(looks <= 12 * 60 + 2, `${looks} readings`);
  });

  test("drawn lives: without them it is the same", () => {
    const moment = fc.record({
      at: fc.integer({ min: 0, max: 300 }),
      ids: fc.uniqueArray(fc.integer({ min: 1, max: 3 })),
      low: fc.integer({ min: 0, max: 2 }),
      hasGaps: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.uniqueArray(moment, { selector: ({ at }) => at }), fc.nat(300), (moments, begin) => {
        const readings = moments.map(({ at, ids, low, hasGaps }): Reading => {
          const rows = ids.map((id) => seen(id, { low, high: 2 }));
          return { at: at * MINUTE, hasGaps, seen: new Map(rows.map((row) => [row.id, row])) };
        });
        const [from, to] = [begin * MINUTE, 300 * MINUTE];
        const whole = traceSpending(readings, 0, to).flatMap((one) => clipStretch(one, from, to));
        const [one, other] = [sumSpent(traceSpending(readings, from, to)), sumSpent(whole)];
        near(one.observed, other.observed);
        near(one.inferred.low, other.inferred.low);
        near(one.inferred.high, other.inferred.high);
        assert.equal(one.isOpen, other.isOpen);
      }),
    );
  });
});

test("an instance that is known to be gone has ended, although what else there is isn't known", () => {
  const id = InstanceId.parse(1);
  const here: Reading = { at: 0, hasGaps: true, seen: new Map([[id, seen(1)]]) };
  const gone: Reading = { at: DAY, hasGaps: true, seen: new Map(), ended: [id] };
  const lines = new LineReader();
  const read = [writeLine(undefined, here), writeLine(here, gone), writeLine(gone, { ...gone, at: 2 * DAY })].map(
    (one) => lines.read(JSON.stringify(one)),
  );
  const readings = read.filter((one) => one !== undefined);
  assert.equal(readings.length, 3);
  assert.deepEqual(sumSpent(traceSpending(readings, 0, 3 * DAY)).inferred, { low: 0, high: 24 });
});
