// What disks of stopped instances have cost: what was seen of it, and never more.
import assert from "node:assert/strict";
import { test } from "node:test";
import { sumDiskCosts } from "../../../../src/domain/account/disk-costs.ts";
import type { Reading, SeenInstance } from "../../../../src/domain/account/ledger.ts";
import { InstanceId } from "../../../../src/domain/base/id.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = Date.UTC(2026, 10, 1);
const id = InstanceId.parse(7);

const running: SeenInstance = { id, low: 1, high: 1 };
const stopped: SeenInstance = { id, low: 0.06, high: 0.06, running: 1, isStopped: true };
const BEGUN = { ...stopped, start: START / 1000 };
const at = (minutes: number, ...seen: readonly SeenInstance[]): Reading => ({
  ...{ at: START + minutes * MINUTE, hasGaps: false },
  seen: new Map(seen.map((one) => [one.id, one])),
});
/** A look each minute. */
const during = (from: number, to: number, one: SeenInstance): readonly Reading[] =>
  Array.from({ length: to - from + 1 }, (_, turn) => at(from + turn, one));
const costOf = (readings: readonly Reading[], now = START + 1000 * HOUR) => {
  const cost = sumDiskCosts(readings, now).get(id);
  return cost && [(cost.since - START) / MINUTE, Number(cost.amount.toFixed(6)), cost.isLeast];
};

const CASES: Readonly<Record<string, readonly [readonly Reading[], ReturnType<typeof costOf>]>> = {
  "stopped while someone looked": [
    [...during(0, 10, running), ...during(11, 71, stopped)],
    [11, 0.06, false],
  ],
  "stopped before anyone looked": [during(0, 60, stopped), [0, 0.06, true]],
  "stopped while no one looked": [
    [at(0, running), ...during(300, 360, stopped)],
    [300, 0.06, true],
  ],
  "no one looked in between": [
    [...during(0, 10, running), ...during(11, 12, stopped), at(611, stopped)],
    [11, 0.6, true],
  ],
  "started again and stopped": [
    [...during(0, 60, stopped), ...during(61, 70, running), ...during(71, 131, stopped)],
    [71, 0.06, false],
  ],
  "runs now": [[...during(0, 60, stopped), at(61, running)], undefined],
  "gone by a whole list": [[...during(0, 60, stopped), at(61)], undefined],
  "missing in a list with gaps": [
    [at(0, running), ...during(1, 2, stopped), { ...at(3), hasGaps: true }, at(4, stopped)],
    [1, 0.003, false],
  ],
  "ended, by a list with gaps": [[at(1, stopped), { ...at(2), hasGaps: true, ended: [id] }], undefined],
  "a price that isn't known": [during(0, 60, { id, low: 0, isStopped: true }), [0, 0, true]],
  "a price that rose": [
    [at(0, running), ...during(1, 61, stopped), at(62, { ...stopped, low: 0.12, high: 0.12 })],
    [1, 0.061, true],
  ],
  "seen by a clock that was behind": [
    [at(-60 * 24 * 20000, BEGUN), at(0, BEGUN), at(60, BEGUN)],
    [0, 0.06, true],
  ],
  "seen by a clock that was behind, as another contract shows": [
    [
      at(0, BEGUN, { ...running, id: InstanceId.parse(8), start: START / 1000 + 5 * 86_400 }),
      ...during(7200, 7260, BEGUN),
    ],
    [7200, 0.06, true],
  ],
};
for (const [what, [readings, expected]] of Object.entries(CASES))
  test(`the cost of a disk: ${what}`, () => {
    assert.deepEqual(costOf(readings), expected);
    assert.deepEqual(costOf([...readings].reverse()), expected, "in whatever order windows noted it");
  });

test("what was noted by a clock that was ahead says nothing", () => {
  const readings = [...during(0, 10, running), ...during(11, 71, stopped), at(5000, stopped)];
  assert.deepEqual(costOf(readings, START + 71 * MINUTE), [11, 0.06, false]);
});
