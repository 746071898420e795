import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { InstanceId } from "../../../../src/domain/base/id.ts";
import { doubtTold, doubtUntold, findSoonest } from "../../../../src/domain/instance/kept-end.ts";
import { EndProof, type Lease, MOST_ASKED } from "../../../../src/domain/instance/lease.ts";

const NOW = 1_800_000_000_000;
const HOUR = 3_600_000;
const leaseIn = (hours: number | null, ending: Lease["ending"] = "destroy"): Lease => ({
  ...{ version: 1, id: InstanceId.parse(5), origin: "https://gpu.example.com", account: "a" },
  ...{ until: hours === null ? null : NOW + hours * HOUR, ending, at: NOW, count: 2 },
});
const hoursOf = (proof: EndProof | undefined, lease: Lease) => {
  const until = findSoonest(proof, lease, NOW)?.until;
  return until === undefined ? undefined : (until - NOW) / HOUR;
};

describe("the first end that an instance may keep", () => {
  const armed = { version: 1, at: NOW } as const;
  test("is the one that was set as long as it showed no other", () => {
    assert.equal(hoursOf(undefined, leaseIn(4)), 4);
    assert.equal(hoursOf(armed, leaseIn(4)), 4);
    assert.equal(hoursOf({ ...armed, doubt: "missing" }, leaseIn(4)), 4);
    assert.equal(hoursOf({ ...armed, doubt: "other", until: NOW + 7 * HOUR }, leaseIn(4)), 7);
    assert.equal(hoursOf(armed, leaseIn(4, "remind")), undefined);
    assert.equal(hoursOf(armed, leaseIn(null)), undefined);
  });
  test("is the soonest of all that it was told of without an answer", () => {
    const told = doubtTold(armed, leaseIn(9));
    assert.equal(hoursOf(told, leaseIn(4)), 4, "the one that was set");
    assert.equal(hoursOf(told, leaseIn(null)), 9, "once that is over, the other one");
    assert.equal(hoursOf(doubtTold(told, leaseIn(6)), leaseIn(null)), 6);
    assert.equal(hoursOf(doubtTold(told, leaseIn(null)), leaseIn(null)), 9, "it may not have heard that there is none");
  });
  test("is still among those that it can't be told to drop", () => {
    const untold = doubtUntold(doubtTold(armed, leaseIn(9)), leaseIn(5), NOW);
    assert.equal(hoursOf(untold, leaseIn(2)), 2);
    assert.equal(hoursOf(untold, leaseIn(null)), 5);
    const later = findSoonest(untold, leaseIn(null), NOW + 6 * HOUR)?.until;
    assert.equal(later, NOW + 9 * HOUR, "after the first has passed");
    assert.equal(findSoonest(untold, leaseIn(null), NOW + 10 * HOUR), undefined, "those that passed weren't kept");
  });
  test("is remembered for a bounded number of answers that were lost", () => {
    let proof: EndProof = armed;
    for (let hours = 1; hours < 100; hours += 1) proof = doubtTold(proof, leaseIn(hours));
    assert.equal(proof.asked?.length, MOST_ASKED);
    assert.ok(EndProof.safeParse(JSON.parse(JSON.stringify(proof))).success);
  });
});
