import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { InstanceId } from "../../../../src/domain/base/id.ts";
import { type AutoStop, MOST_ASKED, SelfStopProof } from "../../../../src/domain/instance/auto-stop.ts";
import {
  buildAskedProof,
  buildUnaskedProof,
  findSoonest,
  toOrder,
} from "../../../../src/domain/instance/kept-self-stop.ts";

const NOW = 1_800_000_000_000;
const HOUR = 3_600_000;
const autoStopIn = (hours: number | null, ending: AutoStop["ending"] = "destroy"): AutoStop => ({
  ...{ version: 1, id: InstanceId.parse(5), origin: "https://gpu.example.com", account: "a" },
  ...{ until: hours === null ? null : NOW + hours * HOUR, ending, at: NOW, count: 2 },
});
const hoursOf = (proof: SelfStopProof | undefined, autoStop: AutoStop) => {
  const until = findSoonest(proof, autoStop, NOW)?.until;
  return until === undefined ? undefined : (until - NOW) / HOUR;
};

describe("the first end that an instance may keep", () => {
  const armed = { version: 1, at: NOW } as const;
  test("is the one that was set as long as it showed no other", () => {
    assert.equal(hoursOf(undefined, autoStopIn(4)), 4);
    assert.equal(hoursOf(armed, autoStopIn(4)), 4);
    assert.equal(hoursOf({ ...armed, doubt: "missing" }, autoStopIn(4)), 4);
    assert.equal(hoursOf({ ...armed, doubt: "other", until: NOW + 7 * HOUR }, autoStopIn(4)), 7);
    assert.equal(hoursOf(armed, autoStopIn(4, "remind")), undefined);
    assert.equal(hoursOf(armed, autoStopIn(null)), undefined);
  });
  test("is a stop that is followed by a second step, but not that step, for which it doesn't run", () => {
    const both = { version: 2, stoppedHours: 24 } as const;
    assert.equal(hoursOf(undefined, { ...autoStopIn(4, "stop"), ...both }), 4);
    assert.deepEqual(toOrder({ ...autoStopIn(4, "stop"), ...both }, NOW).wait, 4 * HOUR);
    assert.equal(hoursOf(undefined, { ...autoStopIn(4), ...both }), undefined);
    assert.equal(toOrder({ ...autoStopIn(4), ...both }, NOW).wait, undefined);
  });
  test("is the soonest of all that it was told of without an answer", () => {
    const told = buildAskedProof(armed, autoStopIn(9));
    assert.equal(hoursOf(told, autoStopIn(4)), 4, "the one that was set");
    assert.equal(hoursOf(told, autoStopIn(null)), 9, "once that is over, the other one");
    assert.equal(hoursOf(buildAskedProof(told, autoStopIn(6)), autoStopIn(null)), 6);
    assert.equal(
      hoursOf(buildAskedProof(told, autoStopIn(null)), autoStopIn(null)),
      9,
      "it may not have heard that there is none",
    );
  });
  test("is still among those that it can't be told to drop", () => {
    const untold = buildUnaskedProof(buildAskedProof(armed, autoStopIn(9)), autoStopIn(5), NOW);
    assert.equal(hoursOf(untold, autoStopIn(2)), 2);
    assert.equal(hoursOf(untold, autoStopIn(null)), 5);
    const later = findSoonest(untold, autoStopIn(null), NOW + 6 * HOUR)?.until;
    assert.equal(later, NOW + 9 * HOUR, "after the first has passed");
    assert.equal(findSoonest(untold, autoStopIn(null), NOW + 10 * HOUR), undefined, "those that passed weren't kept");
  });
  test("is remembered for a bounded number of answers that were lost", () => {
    let proof: SelfStopProof = armed;
    for (let hours = 1; hours < 100; hours += 1) proof = buildAskedProof(proof, autoStopIn(hours));
    assert.equal(proof.asked?.length, MOST_ASKED);
    assert.ok(SelfStopProof.safeParse(JSON.parse(JSON.stringify(proof))).success);
  });
});
