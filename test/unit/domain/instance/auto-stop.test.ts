// When an instance is to end: what people type, and when they are reminded.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  calculateEndTime,
  calculateReminderTime,
  fixEndTime,
  isOverdue,
  parseDefaultAutoStop,
  parseEndTime,
} from "../../../../src/domain/instance/auto-stop.ts";

const [MINUTE, HOUR] = [60_000, 3_600_000];
const NOW = new Date(2026, 10, 24, 17, 30).getTime();
const at = (...parts: [number, number, number, number, number]) => new Date(...parts).getTime();

describe("what is typed", () => {
  test("is a span from the rental, or a time of this computer", () => {
    assert.deepEqual(parseEndTime("90 min", NOW), { hours: 1.5 });
    assert.deepEqual(parseEndTime(" 8h ", NOW), { hours: 8 });
    assert.deepEqual(parseEndTime("2 d", NOW), { hours: 48 });
    for (const [text, hours] of [
      ["2h30", 2.5],
      ["1 h 30 min", 1.5],
      ["1d 12h", 36],
      ["90m", 1.5],
      ["1,5 h", 1.5],
      ["2 hours", 2],
      ["1 day", 24],
      ["45 Minutes", 0.75],
    ] as const)
      assert.deepEqual(parseEndTime(text, NOW), { hours }, text);
    assert.deepEqual(parseEndTime("6 pm", NOW), { until: at(2026, 10, 24, 18, 0) });
    assert.deepEqual(parseEndTime("6:30PM", NOW), { until: at(2026, 10, 24, 18, 30) });
    assert.deepEqual(parseEndTime("12 am", NOW), { until: at(2026, 10, 25, 0, 0) });
    assert.deepEqual(parseEndTime("2026-12-24 12:05 p.m.", NOW), { until: at(2026, 11, 24, 12, 5) });
    assert.deepEqual(parseEndTime("18:00", NOW), { until: at(2026, 10, 24, 18, 0) });
    assert.deepEqual(parseEndTime("2026-12-24 18:00", NOW), { until: at(2026, 11, 24, 18, 0) });
  });
  test("a time that has passed today is tomorrow's", () => {
    assert.deepEqual(parseEndTime("9:15", NOW), { until: at(2026, 10, 25, 9, 15) });
    assert.deepEqual(parseEndTime("17:30", NOW), { until: at(2026, 10, 25, 17, 30) });
  });
  test("a day that doesn't exist, a time in the past and one too far away are refused", () => {
    for (const text of [
      "2h60",
      "30 min 1 h",
      "1 h 1 h",
      "2 h x",
      "x 2 h",
      "13 pm",
      "0 am",
      "5 p",
      "1.2.3 h",
      "2 ham",
      "1,440 min",
      "1,000 h",
    ])
      assert.throws(() => parseEndTime(text, NOW), /Enter a duration \(90 min/, text);
    for (const text of ["", "soon", "8", "-1 h", "25:00", "12:60", "2026-02-30 10:00", "1e9 h", "8 h, stop"])
      assert.throws(() => parseEndTime(text, NOW), /Enter a duration \(90 min/, text);
    assert.throws(() => parseEndTime("2026-11-24 17:00", NOW), /at least a minute from now/);
    assert.throws(() => parseEndTime("0 h", NOW), /at least a minute from now/);
    assert.throws(() => parseEndTime("91 d", NOW), /within 90 days/);
    assert.throws(() => parseEndTime("9999-01-01 10:00", NOW), /within 90 days/);
  });
  test("in the setting, it says what happens as well", () => {
    assert.equal(parseDefaultAutoStop(" ", NOW), undefined);
    assert.deepEqual(parseDefaultAutoStop("8 h, Destroy", NOW), { hours: 8, ending: "destroy" });
    assert.deepEqual(parseDefaultAutoStop("8 h", NOW), { hours: 8, ending: "remind" });
    for (const text of ["8 h, sell", "8 h, stop, destroy"])
      assert.throws(() => parseDefaultAutoStop(text, NOW), /remind, stop, or destroy/);
    assert.throws(() => parseDefaultAutoStop("stop", NOW), /Enter a time and an action|Enter a duration/);
  });
});

test("hours count from when it is set", () => {
  assert.equal(calculateEndTime({ hours: 2, ending: "stop" }, NOW), NOW + 2 * HOUR);
  assert.equal(calculateEndTime({ until: 5, ending: "stop" }, NOW), 5);
});

test("a wish for a fixed moment keeps all else", () => {
  const more = { byItself: "https://gpu.example.com", stoppedHours: 24, isSecond: true } as const;
  for (const rest of [
    { ending: "remind" },
    { ending: "stop", stoppedHours: 24 },
    { ending: "destroy", ...more },
  ] as const) {
    assert.deepEqual(fixEndTime({ hours: 2, ...rest }, NOW), { until: NOW + 2 * HOUR, ...rest });
    assert.deepEqual(fixEndTime({ until: 5, ...rest }, NOW), { until: 5, ...rest });
  }
});

test("the reminder comes ten minutes before, or halfway to an end that is closer", () => {
  assert.equal(calculateReminderTime(NOW + HOUR, NOW), NOW + 50 * MINUTE);
  assert.equal(calculateReminderTime(NOW + 2 * MINUTE, NOW), NOW + MINUTE);
  assert.equal(calculateReminderTime(NOW - 1, NOW), NOW - 1, "a clock that was set back");
});

test("after ten minutes, nothing is ended without asking", () => {
  assert.equal(isOverdue(NOW, NOW + 10 * MINUTE), false);
  assert.equal(isOverdue(NOW, NOW + 10 * MINUTE + 1), true);
});
