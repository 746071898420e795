import assert from "node:assert/strict";
import { test } from "node:test";
import { InstanceId } from "../../../../src/domain/base/id.ts";
import { Instance } from "../../../../src/domain/instance/instance.ts";
import type { Clock } from "../../../../src/lib/clock.ts";
import type { SessionService } from "../../../../src/services/core/session.ts";
import type { Listing } from "../../../../src/services/instance/instances.ts";
import { Sightings } from "../../../../src/services/instance/sightings.ts";

const id = InstanceId.parse(5);
const MINUTE = 60_000;
const session = {} as Listing["session"];
const END = { at: 0, until: 60 * MINUTE };

type Seen = readonly [minute: number, seen: "running" | "exited" | "offline" | "missing"];

/** Lists at the minutes at which they were asked; each arrives at once. */
function see(...lists: readonly Seen[]) {
  let now = 0;
  const clock = { now: () => now, elapsed: () => now } as Clock;
  const sightings = new Sightings({ current: session } as SessionService, clock);
  for (const [minute, seen] of lists) {
    now = Math.max(now, minute * MINUTE);
    const intended_status = seen === "exited" ? "stopped" : "running";
    const value = Instance.parse({ id, actual_status: seen, intended_status });
    const rows = seen === "missing" ? [] : [{ value, raw: {} }];
    sightings.take({ session, askedAt: minute * MINUTE, rows, unreadable: 0, complete: true });
  }
  return sightings;
}

test("one that ran until its end may have ended itself", () => {
  assert.ok(see([1, "running"], [59, "running"], [61, "missing"]).mayHaveEndedItself(id, undefined, END));
  assert.ok(see([1, "running"], [59, "exited"]).mayHaveEndedItself(id, undefined, END));
});

test("one that was stopped, or gone, well before its end didn't end itself", () => {
  for (const seen of ["exited", "missing"] as const)
    assert.ok(!see([1, "running"], [20, seen], [61, seen]).mayHaveEndedItself(id, undefined, END), seen);
});

test("what it showed over SSH after that counts, unless it was seen not to run again", () => {
  const proof = { version: 1, at: 50 * MINUTE } as const;
  assert.ok(see([1, "running"], [20, "offline"]).mayHaveEndedItself(id, proof, END));
  assert.ok(!see([1, "running"], [20, "offline"], [55, "offline"]).mayHaveEndedItself(id, proof, END));
});

test("a list that arrives late says nothing of what came after it was asked", () => {
  const seen = see([1, "running"], [20, "exited"], [10, "running"]);
  assert.ok(!seen.mayHaveEndedItself(id, undefined, { ...END, at: 5 * MINUTE }));
});

test("one that was stopped and ran after that was started again, whatever it does by now", () => {
  const wasRestarted = (...lists: readonly Seen[]) => see(...lists).wasRestartedSince(id, END.until);
  assert.ok(wasRestarted([61, "exited"], [70, "running"], [71, "exited"], [90, "missing"]));
  assert.ok(!wasRestarted([1, "running"], [61, "exited"], [90, "exited"]));
  assert.ok(!wasRestarted([61, "running"], [62, "exited"]), "it hadn't been seen to be stopped");
  assert.ok(!wasRestarted([20, "exited"], [30, "running"], [61, "exited"]), "that was before");
  assert.ok(!wasRestarted([61, "exited"], [90, "exited"], [80, "running"]), "a list that arrives late");
});

test("one that was stopped at its end and runs was started again; one that was out of reach wasn't", () => {
  assert.ok(see([1, "running"], [61, "exited"], [62, "running"]).wasStartedAgain(id, END.until));
  assert.ok(!see([1, "running"], [61, "offline"], [62, "running"]).wasStartedAgain(id, END.until));
  assert.ok(!see([1, "running"], [20, "exited"], [62, "running"]).wasStartedAgain(id, END.until));
  assert.ok(!see([1, "running"], [61, "exited"]).wasStartedAgain(id, END.until));
});
