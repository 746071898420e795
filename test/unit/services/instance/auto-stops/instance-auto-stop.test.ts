// The span of a second step among several ends of an instance.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { InstanceId } from "../../../../../src/domain/base/id.ts";
import type { AutoStop } from "../../../../../src/domain/instance/auto-stop.ts";
import { buildSecondStep, type StoppedSpan } from "../../../../../src/domain/instance/second-step.ts";
import type { AutoStopEntry } from "../../../../../src/services/instance/auto-stops/auto-stop-entry.ts";
import { findSpan } from "../../../../../src/services/instance/auto-stops/instance-auto-stop.ts";

const HOUR = 3_600_000;
const STOP = 1_800_000_000_000;
const id = InstanceId.parse(7);
const FIRST: AutoStop = {
  ...{ version: 2, id, origin: "o", account: "a", until: STOP, ending: "stop" },
  ...{ at: STOP - HOUR, count: 1, stoppedHours: 24 },
};
const SECOND = buildSecondStep(FIRST, id, STOP) as AutoStop;
const span = (from: number | null, to: number): StoppedSpan => ({ version: 1, from, to });

describe("the span of a second step among several ends of an instance", () => {
  const entryOf = (autoStop: AutoStop, seen?: StoppedSpan): AutoStopEntry => ({
    name: `lea-${autoStop.count}`,
    autoStop,
    ids: new Set([id]),
    over: new Set(),
    seen: new Set(),
    doubted: new Set(),
    told: new Map(),
    proofs: new Map(),
    proofCounts: new Map(),
    stopped: new Map(seen ? [[id, { count: 1, span: seen }]] : []),
  });
  const stop = (count: number) => entryOf({ ...FIRST, count });
  const second = (count: number, seen?: StoppedSpan) => entryOf({ ...SECOND, count }, seen);
  const none = (count: number) => {
    const { stoppedHours: _, ...rest } = FIRST;
    return entryOf({ ...rest, version: 1, until: null, ending: "remind", count });
  };
  const [old, now] = [span(STOP - 9 * HOUR, STOP), span(STOP, STOP)];
  for (const [what, entries, expected] of [
    ["the last second step counts", [stop(1), second(2, now)], now],
    ["one that was put off goes on from the one before", [stop(1), second(2, now), second(3)], now],
    ["and then from its own", [stop(1), second(2, old), second(3, now)], now],
    ["one of an earlier time doesn't count", [stop(1), second(2, old), none(3), stop(4), second(5)], undefined],
    ["nor does one that was called off", [stop(1), second(2, old), none(3)], undefined],
    ["nor one before an end that can't be read", [stop(1), second(2, old), second(4)], undefined],
  ] as const)
    test(what, () => assert.deepEqual(findSpan([...entries].reverse(), id), expected));
});
