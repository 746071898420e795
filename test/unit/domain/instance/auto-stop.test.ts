// When an instance is to end: what people type, and when they are reminded.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  calculateEndTime,
  calculateReminderTime,
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
    assert.deepEqual(parseEndTime("18:00", NOW), { until: at(2026, 10, 24, 18, 0) });
    assert.deepEqual(parseEndTime("2026-12-24 18:00", NOW), { until: at(2026, 11, 24, 18, 0) });
  });
  test("a time that has passed today is tomorrow's", () => {
    assert.deepEqual(parseEndTime("9:15", NOW), { until: at(2026, 10, 25, 9, 15) });
    assert.deepEqual(parseEndTime("17:30", NOW), { until: at(2026, 10, 25, 17, 30) });
  });
  test("a day that doesn't exist, a time in the past and one too far away are refused", () => {
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

test("the reminder comes ten minutes before, or halfway to an end that is closer", () => {
  assert.equal(calculateReminderTime(NOW + HOUR, NOW), NOW + 50 * MINUTE);
  assert.equal(calculateReminderTime(NOW + 2 * MINUTE, NOW), NOW + MINUTE);
  assert.equal(calculateReminderTime(NOW - 1, NOW), NOW - 1, "a clock that was set back");
});

test("after ten minutes, nothing is ended without asking", () => {
  assert.equal(isOverdue(NOW, NOW + 10 * MINUTE), false);
  assert.equal(isOverdue(NOW, NOW + 10 * MINUTE + 1), true);
});
