// An instance that is to end itself: what it is told and what is written down here must be the same moment.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { LaunchPlan } from "../../../../src/domain/launch/launch-plan.ts";
import type { SignedIn } from "../../../../src/services/core/session.ts";
import { assertCanEnd, withFixedEnd } from "../../../../src/services/launch/self-stop-plan.ts";
import { PLAN } from "../../support.ts";

const HOUR = 3_600_000;
const NOW = 1_700_000_000_000;
const ADDRESS = "https://gpu.example.com/api/v0";

const withEnd = (end: LaunchPlan["end"]): LaunchPlan => ({ ...PLAN, end });

test("hours until its own end are counted once", () => {
  const plan = withEnd({ hours: 8, ending: "destroy", byItself: ADDRESS });
  const fixed = { until: NOW + 8 * HOUR, ending: "destroy", byItself: ADDRESS } as const;
  assert.deepEqual(withFixedEnd(plan, NOW), withEnd(fixed));
  assert.deepEqual(withFixedEnd(withEnd(fixed), NOW + HOUR), withEnd(fixed));
});

test("what follows its own end is kept", () => {
  const end = { ending: "stop", byItself: ADDRESS, stoppedHours: 24 } as const;
  assert.deepEqual(withFixedEnd(withEnd({ ...end, hours: 8 }), NOW).end, { ...end, until: NOW + 8 * HOUR });
});

test("an end that the window sees to stays as it was chosen, and so does none", () => {
  for (const end of [{ hours: 8, ending: "stop" }, { until: NOW, ending: "remind" }, undefined] as const)
    assert.deepEqual(withFixedEnd(withEnd(end), NOW), withEnd(end));
});

test("nothing is rented to end at a time that has passed, or by another service", () => {
  const account = { address: { base: ADDRESS } } as SignedIn;
  const judge = (end: LaunchPlan["end"]) => () => assertCanEnd(account, withEnd(end), NOW);
  for (const ending of ["remind", "stop", "destroy"] as const) {
    assert.throws(
      judge({ until: NOW, ending }),
      /^AppError: The time of this auto-stop has passed\. Choose another auto-stop\.$/,
    );
    assert.doesNotThrow(judge({ until: NOW + 1, ending }));
  }
  assert.throws(
    judge({ hours: 1, ending: "stop", byItself: "https://other.example.com" }),
    /chosen for another service/,
  );
  assert.doesNotThrow(judge(undefined));
});
