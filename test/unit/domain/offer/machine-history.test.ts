// How machines served: what is added up of rentals, and how long an image took to run.
import assert from "node:assert/strict";
import { test } from "node:test";
import { describeCondition } from "../../../../src/domain/offer/filter-words.ts";
import {
  addUpHistories,
  findStartTimes,
  listFailed,
  listProven,
  type MachineUse,
} from "../../../../src/domain/offer/machine-history.ts";
import { describeStartTimes, formatHistory } from "../../../../src/present/offer/machine-history.ts";

const use = (more: Partial<MachineUse>): MachineUse => ({
  ...{ machine: 1, host: 9, image: "a/b:1", since: 0, hours: undefined, startSeconds: undefined },
  ...{ didNotStart: false, wasLost: false },
  ...more,
});

test("rentals of a machine add up, and each machine stands alone", () => {
  const all = addUpHistories([
    use({ hours: 8 }),
    use({ hours: 32, wasLost: true }),
    use({ didNotStart: true }),
    use({ machine: 2, hours: 1 }),
    use({ machine: 3, hours: 0 }),
  ]);
  assert.deepEqual(all.get(1), { rentals: 3, hours: 40, startsFailed: 1, contactsLost: 1 });
  assert.deepEqual([listProven(all), listFailed(all)], [[2], [1]]);
  assert.equal(formatHistory(all.get(1)), "you rented it 3 times: 40 h, failed to start once, contact lost once");
  assert.equal(formatHistory(all.get(3)), "you rented it once");
  assert.equal(formatHistory(all.get(4)), undefined);
});

test("how long an image took counts the last five starts that were watched, with its tag", () => {
  const starts = [600, 60, 61, 62, 63, 240].map((startSeconds, at) => use({ since: at, startSeconds }));
  const others = [
    use({ since: 9 }),
    use({ image: "a/b:2", startSeconds: 1 }),
    use({ image: undefined, startSeconds: 1 }),
  ];
  assert.deepEqual(findStartTimes([...starts, ...others], "a/b:1"), { count: 5, least: 60, most: 240 });
  assert.equal(findStartTimes(others, "a/b:1"), undefined);
});

test("an image without a tag is its latest, also behind the port of a registry", () => {
  const uses = [use({ image: "host:5000/a/b:latest", startSeconds: 30 }), use({ image: "a/b", startSeconds: 90 })];
  assert.equal(findStartTimes(uses, "host:5000/a/b")?.most, 30);
  assert.equal(findStartTimes(uses, "a/b:latest")?.most, 90);
  assert.equal(findStartTimes(uses, "a/b@sha256:00"), undefined);
});

test("of many machines a filter says how many", () => {
  assert.equal(describeCondition("machine_id", { in: [7, 8, 9, 10] }), "machine 7, 8, 9, 10");
  assert.equal(describeCondition("machine_id", { notin: [7, 8, 9, 10, 11] }), "machine ≠ 7, 8, 9 and 2 more");
});

test("minutes are rounded up, and one number is no span", () => {
  assert.equal(describeStartTimes({ count: 1, least: 5, most: 5 }), "1 min the last time with this image");
  assert.equal(describeStartTimes({ count: 3, least: 61, most: 240 }), "2 to 4 min the last 3 times with this image");
});
