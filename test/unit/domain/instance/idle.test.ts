// When an instance counts as idle: only by readings that were taken, close enough together that no work fits between them.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import {
  calculateQuietTime,
  canBeIdle,
  continueSpell,
  getLoadSource,
  isIdle,
  type LoadReading,
  type Moment,
  type QuietSpell,
  readLoad,
} from "../../../../src/domain/instance/idle.ts";
import { Instance } from "../../../../src/domain/instance/instance.ts";

const MINUTE = 60_000;
const at = (minutes: number, wall = minutes): Moment => ({ elapsed: minutes * MINUTE, now: 1e12 + wall * MINUTE });
const reading = (minutes: number, load: number | undefined, more: Partial<LoadReading> = {}): LoadReading => ({
  ...{ at: at(minutes), load, source: "service" },
  ...more,
});
const follow = (readings: readonly LoadReading[], percent = 10) =>
  readings.reduce<QuietSpell | undefined>((spell, one) => continueSpell(spell, one, percent), undefined);
const each = (from: number, to: number, load: number | undefined = 0) =>
  Array.from({ length: to - from + 1 }, (_, index) => reading(from + index, load));
const idle = (spell: QuietSpell | undefined, minutes: number, now = 30) =>
  spell !== undefined && isIdle(spell, { minutes, at: at(now) });

describe("a load", () => {
  test("that is missing or can't be isn't known", () => {
    const loads = [null, -1, -0.1, 100.1, 1e9, "7", Number.NaN, undefined].map((gpu_util) =>
      readLoad(Instance.parse({ id: 1, gpu_util }), 10),
    );
    assert.deepEqual(new Set(loads), new Set([undefined]));
  });

  test("of several GPUs isn't known to be low where one may do the work of all", () => {
    const of = (gpu_util: number, num_gpus: number | undefined) => readLoad({ gpu_util, num_gpus }, 10);
    assert.deepEqual([of(0, 1), of(9.5, 1), of(100, 1)], [0, 9.5, 100]);
    assert.deepEqual([of(0, undefined), of(9.5, undefined), of(10, undefined)], [0, undefined, 10], "of how many?");
    assert.deepEqual([of(0, 8), of(1.2, 8), of(1.25, 8), of(7.5, 8), of(10, 8)], [0, 1.2, undefined, undefined, 10]);
  });
});

describe("an instance is idle", () => {
  test("after all of the time, not before", () => {
    const spell = follow(each(0, 30, 9.9));
    assert.ok(idle(spell, 30));
    assert.ok(!idle(spell, 30.1));
    assert.ok(!idle(spell, 0), "0 is off");
    assert.equal(spell && calculateQuietTime(spell), 30 * MINUTE);
  });

  test("never by one reading, however old", () => {
    assert.ok(!idle(follow([reading(0, 0)]), 30));
    assert.ok(!idle(follow([reading(0, 0), reading(30, 0)]), 30), "what was between isn't known");
  });

  test("not with one reading at the limit", () => {
    for (const busy of [10, 55, 100])
      assert.ok(!idle(follow([...each(0, 15), reading(15.5, busy), ...each(16, 30)]), 15));
  });

  test("not by what was before `from`", () => {
    const spell = follow(each(0, 30));
    assert.ok(spell);
    assert.ok(isIdle(spell, { minutes: 20, at: at(30), from: 10 * MINUTE }));
    assert.ok(!isIdle(spell, { minutes: 20, at: at(30), from: 11 * MINUTE }));
  });

  test("no longer once the last reading is old", () => {
    const spell = follow(each(0, 30));
    assert.ok(idle(spell, 30, 32));
    assert.ok(!idle(spell, 30, 33));
  });

  test("although one reading in a while is missing, but not one of two", () => {
    const without = (missing: (minute: number) => boolean) =>
      follow(each(0, 30).filter((_, minute) => !missing(minute)));
    assert.ok(
      idle(
        without((minute) => minute % 7 === 3),
        30,
      ),
    );
    assert.ok(
      !idle(
        without((minute) => minute % 2 === 1),
        30,
      ),
    );
    assert.ok(
      !idle(
        without((minute) => minute === 10 || minute === 11),
        30,
      ),
      "two in a row may hide work",
    );
    const unknown = follow(each(0, 30).map((one, minute) => (minute % 2 === 1 ? { ...one, load: undefined } : one)));
    assert.ok(!idle(unknown, 30), "a reading that says nothing is missing");
  });

  test("not over a sleep, by whichever clock shows it, nor over a clock that was set", () => {
    const slept = (wall: number, elapsed: number) =>
      follow([
        ...each(0, 15),
        ...each(16, 30).map((one, index) => ({ ...one, at: at(16 + index + elapsed, 16 + index + wall) })),
      ]);
    for (const [wall, elapsed] of [
      [480, 0],
      [480, 480],
      [-60, 0],
      [0, 480],
    ] as const) {
      const spell = slept(wall, elapsed);
      assert.ok(spell);
      assert.equal(calculateQuietTime(spell), 14 * MINUTE, `${wall} ${elapsed}`);
    }
  });

  test("by another limit only from then on", () => {
    const spell = continueSpell(follow(each(0, 29, 30), 50), reading(30, 5), 10);
    assert.equal(spell && calculateQuietTime(spell), 0);
  });

  test("if the service says nothing and the machine does", () => {
    const both = each(0, 30).flatMap(({ at: when }) => [
      { at: when, load: undefined, source: "service" as const },
      { at: when, load: 3, source: "machine" as const },
    ]);
    const spell = follow(both);
    assert.ok(spell && idle(spell, 30));
    assert.equal(getLoadSource(spell, at(30)), "machine");
    assert.equal(getLoadSource(spell, at(33)), "service", "the machine was read too long ago");
    const busy = follow([
      ...both,
      { at: at(30), load: 40, source: "machine" },
      { at: at(30.1), load: 0, source: "service" },
    ]);
    assert.ok(!idle(busy, 1, 31), "whoever says that it works is right");
  });
});

test("one that is young, or doesn't run, isn't idle", () => {
  const of = (more: object) => Instance.parse({ id: 1, actual_status: "running", intended_status: "running", ...more });
  const [long, short] = [follow(each(0, 30)), follow(each(0, 9))];
  assert.ok(long && short);
  const now = at(30);
  const rented = (minutes: number) => now.now / 1000 - minutes * 60;
  assert.ok(canBeIdle(of({ start_date: rented(10) }), short, now));
  assert.ok(!canBeIdle(of({ start_date: rented(9) }), long, now));
  assert.ok(!canBeIdle(of({ start_date: rented(-60) }), long, now));
  assert.ok(canBeIdle(of({}), long, now), "then it was watched for long enough");
  assert.ok(!canBeIdle(of({}), short, now));
  for (const actual_status of ["loading", "stopped", "exited", "offline", null])
    assert.ok(!canBeIdle(of({ actual_status, start_date: rented(600) }), long, now));
});

/** Drawn lives: steps between readings in seconds, and what each says. */
const liveness = fc.array(
  fc.record({
    step: fc.oneof({ weight: 9, arbitrary: fc.integer({ min: 5, max: 70 }) }, fc.integer({ min: 71, max: 4000 })),
    wall: fc.oneof({ weight: 19, arbitrary: fc.constant(0) }, fc.integer({ min: -90_000, max: 90_000 })),
    load: fc.oneof(
      { weight: 24, arbitrary: fc.double({ min: 0, max: 9.99, noNaN: true }) },
      { weight: 3, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: fc.double({ min: 10, max: 100, noNaN: true }) },
    ),
    source: fc.constantFrom<LoadReading["source"][]>("service", "machine"),
  }),
  { maxLength: 150 },
);

test("drawn lives: whoever is called idle had readings all the time, enough of them, and none of work", () => {
  let found = 0;
  fc.assert(
    fc.property(
      liveness,
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 0, max: 200 }),
      (steps, minutes, later) => {
        const readings: LoadReading[] = [];
        let [elapsed, now] = [0, 1e12];
        for (const { step, wall, load, source } of steps) {
          elapsed += step * 1000;
          now += (step + wall) * 1000;
          readings.push({ at: { elapsed, now }, load, source });
        }
        const spell = follow(readings);
        const end = { elapsed: elapsed + later * 1000, now: now + later * 1000 };
        if (!spell || !isIdle(spell, { minutes, at: end })) return;
        found += 1;
        const known = readings.filter(({ load }) => load !== undefined);
        const last = known.at(-1)?.at.elapsed ?? 0;
        assert.ok(end.elapsed - last <= 2.5 * MINUTE, "the last reading is recent");
        const begin = last - minutes * MINUTE;
        const window = known.filter((one) => one.at.elapsed >= begin);
        assert.ok(
          window.every(({ load = 100 }) => load < 10),
          "no work",
        );
        const first = known.findLastIndex((one) => one.at.elapsed <= begin);
        assert.ok(first >= 0, "it was watched from its beginning");
        const covering = known.slice(first);
        for (const [index, one] of covering.entries()) {
          const next = covering[index + 1]?.at ?? end;
          assert.ok(next.elapsed - one.at.elapsed <= 2.5 * MINUTE, "no gap");
          assert.ok(Math.abs(next.now - one.at.now) <= 2.5 * MINUTE, "no sleep");
        }
        // Of the minutes, at least 80 % have a reading, but for where one falls a little into the next.
        const slots = new Set(window.map((one) => Math.floor((one.at.elapsed - begin) / (1.5 * MINUTE))));
        assert.ok(slots.size >= Math.floor((0.8 * minutes) / 1.5) - 1, `${slots.size} of ${minutes}`);
      },
    ),
    { numRuns: 4000 },
  );
  assert.ok(found > 50, `${found} were idle`);
});

test("drawn lives: without a known reading in the last minutes nothing is idle", () => {
  fc.assert(
    fc.property(liveness, fc.integer({ min: 1, max: 40 }), (steps, minutes) => {
      let spell: QuietSpell | undefined;
      let [elapsed, now] = [0, 1e12];
      for (const { step } of steps) {
        elapsed += step * 1000;
        now += step * 1000;
        spell = continueSpell(spell, { at: { elapsed, now }, load: undefined, source: "service" }, 10);
        assert.equal(spell, undefined);
      }
      const quiet = follow(each(0, 60));
      assert.ok(quiet);
      const later = at(63);
      const kept = continueSpell(quiet, { at: later, load: undefined, source: "service" }, 10);
      assert.ok(kept === undefined || !isIdle(kept, { minutes, at: later }));
    }),
    { numRuns: 200 },
  );
});
