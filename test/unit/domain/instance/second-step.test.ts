// The second step of an auto-stop: what is seen of a stopped instance, and whether that is enough to destroy it.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { InstanceId } from "../../../../src/domain/base/id.ts";
import { AutoStop } from "../../../../src/domain/instance/auto-stop.ts";
import { Instance } from "../../../../src/domain/instance/instance.ts";
import {
  addLook,
  buildCalledOff,
  buildFirstSpan,
  buildSecondStep,
  isMeantToRun,
  isSecondStep,
  isSeenStopped,
  mayHaveBeenStopped,
  type SecondStep,
  type StoppedSpan,
  UNREAD_SPAN,
  wasStoppedAllAlong,
} from "../../../../src/domain/instance/second-step.ts";

const [MINUTE, HOUR] = [60_000, 3_600_000];
const STOP = 1_800_000_000_000;
const id = InstanceId.parse(7);
const FIRST: AutoStop = {
  ...{ version: 2, id, token: "vsc-aaaaaaaaaaaaaaaa", origin: "o", account: "a" },
  ...{ until: STOP, ending: "stop", at: STOP - HOUR, count: 3, stoppedHours: 24 },
};
const SECOND = buildSecondStep(FIRST, id, STOP) as SecondStep;
const instance = (actual?: string, intended?: string, held?: string) =>
  Instance.parse({ id, actual_status: actual, intended_status: intended, cur_state: held });
const STOPPED = instance("exited", "stopped");

describe("what follows a stop", () => {
  test("is a day later, and outranks it", () => {
    assert.ok(isSecondStep(SECOND));
    assert.deepEqual(
      [SECOND.until, SECOND.ending, SECOND.count, SECOND.version, SECOND.id],
      [STOP + 24 * HOUR, "destroy", 4, 2, id],
    );
    assert.deepEqual(AutoStop.parse(JSON.parse(JSON.stringify(SECOND))), SECOND);
  });
  test("counts from the moment that it was stopped, which is no earlier than its end", () => {
    assert.equal(buildSecondStep(FIRST, id, STOP + 7 * MINUTE)?.until, STOP + 7 * MINUTE + 24 * HOUR);
    assert.equal(buildSecondStep(FIRST, id, STOP - 7 * MINUTE)?.until, STOP + 24 * HOUR);
  });
  test("is nothing for any other end", () => {
    const { stoppedHours: _, ...plain } = FIRST;
    for (const other of [plain, { ...FIRST, until: null }, { ...FIRST, ending: "destroy" as const }, SECOND])
      assert.equal(buildSecondStep(other, id, STOP), undefined);
    assert.ok(!isSecondStep(FIRST));
    assert.ok(isSecondStep({ ...SECOND, version: 1 }), "no version makes it an end that asks for nothing");
  });
  test("can't be read by what knows the first version only, nor can the stop, and what was written before is still read", () => {
    const first = AutoStop.shape.version.options[0];
    assert.deepEqual(
      [FIRST, SECOND].map(({ version }) => first.safeParse(version).success),
      [false, false],
    );
    const { stoppedHours: _, ...plain } = { ...FIRST, version: 1 as const };
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

describe("an answer", () => {
  for (const [what, answer, isStarted, isStopped] of [
    ["of what was stopped", STOPPED, false, true],
    ["of what is on its way down", instance("running", "stopped", "running"), false, true],
    ["that calls it stopped, and says no more", instance("stopped"), false, true],
    ["of what runs", instance("running", "running", "running"), true, false],
    ["of what runs, and says no more", instance("running"), true, false],
    ["of what is on its way up", instance("loading", "running"), true, false],
    ["of what waits for its GPU", instance("stopped", "running", "stopped"), true, false],
    ["of what is still called stopped, and is to run", instance("stopped", "running", "running"), true, false],
    ["of what has ended, and is to run", instance("exited", "running"), true, false],
    ["of what can't be reached, and is to run", instance("offline", "running"), true, false],
    ["of what is called stopped while its GPU is held", instance("stopped", "stopped", "running"), false, false],
    ["of what is called stopped with a held GPU alone", instance("stopped", undefined, "running"), false, false],
    ["with another word for what it is to be", instance("stopped", "frozen"), false, false],
    ["of what has ended", instance("exited"), false, false],
    ["of what can't be reached", instance("offline", "stopped"), false, false],
    ["that says nothing", instance(), false, false],
    ["that says that it is loading alone", instance("loading"), false, false],
    ["of what is loading, and is to stop", instance("loading", "stopped"), false, false],
    ["of what is rebooting, and is to stop", instance("rebooting", "stopped", "stopped"), false, false],
    ["that only says that it is to stop", instance(undefined, "stopped"), false, false],
    ["of what is frozen", instance("frozen", "stopped"), false, false],
  ] as const)
    test(what, () => assert.deepEqual([isMeantToRun(answer), isSeenStopped(answer)], [isStarted, isStopped]));
});

describe("a look", () => {
  const span = (from: number | null, to: number): StoppedSpan => ({ version: 1, from, to });
  const LATER = STOP + HOUR + MINUTE;
  for (const [what, before, seen, now, expected] of [
    ["without one before knows nothing of the time before", undefined, STOPPED, LATER, span(null, LATER)],
    ["after one that can't be read knows nothing, either", UNREAD_SPAN, STOPPED, LATER, span(null, LATER)],
    ["goes on from the one before", span(STOP, STOP + HOUR), STOPPED, LATER, span(STOP, LATER)],
    [
      "counts what is on its way down",
      span(STOP, STOP + HOUR),
      instance("running", "stopped"),
      LATER,
      span(STOP, LATER),
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
    ["never forgets that there was a gap", span(null, STOP + HOUR), STOPPED, LATER, span(null, LATER)],
    ["sees that it runs", span(STOP, STOP + HOUR), instance("running", "running"), LATER, span(null, LATER)],
    [
      "sees that it waits for its GPU",
      span(STOP, STOP + HOUR),
      instance("loading", "running"),
      LATER,
      span(null, LATER),
    ],
    ["at an answer that says nothing proves nothing", span(STOP, STOP + HOUR), instance(), LATER, span(null, LATER)],
    ["at what has ended proves nothing", span(STOP, STOP + HOUR), instance("exited"), LATER, span(null, LATER)],
    [
      "at what can't be reached says nothing",
      span(STOP, STOP + HOUR),
      instance("offline", "stopped"),
      LATER,
      undefined,
    ],
    [
      "at what can't be reached, and is to run, sees that",
      span(STOP, STOP + HOUR),
      instance("offline", "running"),
      LATER,
      span(null, LATER),
    ],
    [
      "at what isn't let go of yet says nothing",
      span(STOP, STOP + HOUR),
      instance("stopped", "stopped", "running"),
      LATER,
      undefined,
    ],
  ] as const)
    test(what, () => assert.deepEqual(addLook(before, seen, now), expected));

  test("begins what is seen only right after the stop", () => {
    assert.deepEqual(buildFirstSpan(STOP, STOP + MINUTE), span(STOP + MINUTE, STOP + MINUTE));
    assert.equal(buildFirstSpan(STOP, STOP + 3 * MINUTE), undefined);
    assert.equal(buildFirstSpan(STOP, STOP - 1), undefined, "by a clock that was set back");
  });
  test("shows enough only at the end of the day, without a gap up to then", () => {
    const due = SECOND.until + MINUTE;
    const all = (from: number | null, to: number) => wasStoppedAllAlong(SECOND, span(from, to), due);
    assert.ok(all(STOP + MINUTE, due - MINUTE));
    assert.ok(!all(STOP + MINUTE + 1, due - MINUTE), "not a whole day");
    assert.ok(!all(STOP, due - 3 * MINUTE), "no one looked lately");
    assert.ok(!all(null, due));
    assert.ok(!all(STOP, due + 1), "a look that is to come");
    assert.ok(!wasStoppedAllAlong(SECOND, undefined, due));
    assert.ok(!wasStoppedAllAlong(SECOND, UNREAD_SPAN, due));
  });
  test("may still show enough as long as there was one, and none too late", () => {
    assert.ok(!mayHaveBeenStopped(undefined, STOP));
    assert.ok(mayHaveBeenStopped(span(STOP, STOP + HOUR), LATER));
    assert.ok(!mayHaveBeenStopped(span(null, STOP + HOUR), LATER));
    assert.ok(!mayHaveBeenStopped(span(STOP, STOP + HOUR), STOP + 2 * HOUR));
  });
});
