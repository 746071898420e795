// The second step of an auto-stop: what is seen of a stopped instance, and whether that is enough to destroy it.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { InstanceId } from "../../../../src/domain/base/id.ts";
import { AutoStop } from "../../../../src/domain/instance/auto-stop.ts";
import { Instance } from "../../../../src/domain/instance/instance.ts";
import {
  addLook,
  buildCalledOff,
  buildSecondStep,
  isSecondStep,
  mayHaveBeenStopped,
  type SecondStep,
  type StoppedSpan,
  wasStoppedAllAlong,
} from "../../../../src/domain/instance/second-step.ts";

const [MINUTE, HOUR] = [60_000, 3_600_000];
const STOP = 1_800_000_000_000;
const id = InstanceId.parse(7);
const FIRST: AutoStop = {
  ...{ version: 1, id, token: "vsc-aaaaaaaaaaaaaaaa", origin: "o", account: "a" },
  ...{ until: STOP, ending: "stop", at: STOP - HOUR, count: 3, stoppedHours: 24 },
};
const SECOND = buildSecondStep(FIRST, id) as SecondStep;
const instance = (actual: string, intended: string) =>
  Instance.parse({ id, actual_status: actual, intended_status: intended });
const STOPPED = instance("exited", "stopped");

describe("what follows a stop", () => {
  test("is the same in each window, a day later, and outranks it", () => {
    assert.ok(isSecondStep(SECOND));
    assert.deepEqual(
      [SECOND.until, SECOND.ending, SECOND.count, SECOND.version, SECOND.id],
      [STOP + 24 * HOUR, "destroy", 4, 2, id],
    );
    assert.deepEqual(buildSecondStep(FIRST, id), SECOND);
    assert.deepEqual(AutoStop.parse(JSON.parse(JSON.stringify(SECOND))), SECOND);
  });
  test("is nothing for any other end", () => {
    const { stoppedHours: _, ...plain } = FIRST;
    for (const other of [plain, { ...FIRST, until: null }, { ...FIRST, ending: "destroy" as const }, SECOND])
      assert.equal(buildSecondStep(other, id), undefined);
    assert.ok(!isSecondStep(FIRST));
  });
  test("can't be read by what knows the first version only, and what was written before is still read", () => {
    assert.equal(AutoStop.shape.version.options[0].safeParse(SECOND.version).success, false);
    const { stoppedHours: _, ...plain } = FIRST;
    assert.deepEqual(AutoStop.parse(plain), plain);
  });
  test("is called off by an end without a time", () => {
    const off = buildCalledOff(SECOND, id);
    assert.deepEqual(
      [off.until, off.ending, off.count, off.version, off.stoppedHours],
      [null, "remind", 5, 1, undefined],
    );
  });
});

describe("a look", () => {
  const span = (from: number | null, to: number): StoppedSpan => ({ version: 1, from, to });
  for (const [what, before, seen, now, expected] of [
    ["at the stop begins a span", undefined, STOPPED, STOP + MINUTE, span(STOP + MINUTE, STOP + MINUTE)],
    ["counts what is on its way down", undefined, instance("running", "stopped"), STOP, span(STOP, STOP)],
    [
      "that comes too late for the stop knows nothing of it",
      undefined,
      STOPPED,
      STOP + 4 * MINUTE,
      span(null, STOP + 4 * MINUTE),
    ],
    [
      "goes on from the one before",
      span(STOP, STOP + HOUR),
      STOPPED,
      STOP + HOUR + MINUTE,
      span(STOP, STOP + HOUR + MINUTE),
    ],
    [
      "after a gap knows nothing of it",
      span(STOP, STOP + HOUR),
      STOPPED,
      STOP + HOUR + 3 * MINUTE,
      span(null, STOP + HOUR + 3 * MINUTE),
    ],
    [
      "by a clock that was set back knows nothing",
      span(STOP, STOP + HOUR),
      STOPPED,
      STOP + HOUR - 1,
      span(null, STOP + HOUR - 1),
    ],
    [
      "never forgets that there was a gap",
      span(null, STOP + HOUR),
      STOPPED,
      STOP + HOUR + MINUTE,
      span(null, STOP + HOUR + MINUTE),
    ],
    [
      "sees that it runs",
      span(STOP, STOP + HOUR),
      instance("running", "running"),
      STOP + HOUR + MINUTE,
      span(null, STOP + HOUR + MINUTE),
    ],
    [
      "sees that it waits for its GPU",
      span(STOP, STOP + HOUR),
      instance("loading", "running"),
      STOP + HOUR + MINUTE,
      span(null, STOP + HOUR + MINUTE),
    ],
    [
      "at what can't be reached says nothing",
      span(STOP, STOP + HOUR),
      instance("offline", "stopped"),
      STOP + HOUR + MINUTE,
      undefined,
    ],
  ] as const)
    test(what, () => assert.deepEqual(addLook(SECOND, before, seen, now), expected));

  test("shows enough only at the end of the day, without a gap up to then", () => {
    const due = SECOND.until + MINUTE;
    const all = (from: number | null, to: number) => wasStoppedAllAlong(SECOND, span(from, to), due);
    assert.ok(all(STOP + MINUTE, due - MINUTE));
    assert.ok(!all(STOP + MINUTE + 1, due - MINUTE), "not a whole day");
    assert.ok(!all(STOP, due - 3 * MINUTE), "no one looked lately");
    assert.ok(!all(null, due));
    assert.ok(!all(STOP, due + 1), "a look that is to come");
    assert.ok(!wasStoppedAllAlong(SECOND, undefined, due));
  });
  test("may still show enough as long as there was none too late", () => {
    assert.ok(mayHaveBeenStopped(SECOND, undefined, STOP + MINUTE));
    assert.ok(!mayHaveBeenStopped(SECOND, undefined, STOP + 4 * MINUTE));
    assert.ok(mayHaveBeenStopped(SECOND, span(STOP, STOP + HOUR), STOP + HOUR + MINUTE));
    assert.ok(!mayHaveBeenStopped(SECOND, span(null, STOP + HOUR), STOP + HOUR + MINUTE));
    assert.ok(!mayHaveBeenStopped(SECOND, span(STOP, STOP + HOUR), STOP + 2 * HOUR));
  });
});
