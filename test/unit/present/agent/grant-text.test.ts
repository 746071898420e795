// A budget of agents in words: what the person agrees to, what the status bar says, and what an agent is told.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  buildBudgetFacts,
  buildGrantQuestion,
  buildGrantView,
  describeGrantEnd,
  describeUnproven,
} from "../../../../src/present/agent/grant-text.ts";

const HOUR = 3_600_000;
const NOON = new Date(2026, 10, 30, 12, 0).getTime();
const TERMS = { amount: 5, perHour: 1, launches: 2 };
const GRANT = {
  ...{ version: 1 as const, name: "gra-a", origin: "https://a.test", account: "tag", ...TERMS },
  ...{ at: NOON, until: NOON + 4 * HOUR, used: 1, spent: 1.8 },
};

test("the question says how much, until when, what isn't included, and what agents may do then", () => {
  const { message, detail, go } = buildGrantQuestion(
    { ...TERMS, until: NOON + 4 * HOUR },
    { sandbox: false, payer: "Lab" },
    NOON,
  );
  assert.equal(message, "Let agents rent for up to $5.00 without asking you?");
  assert.equal(go, "Let Agents Rent");
  for (const part of [
    /Account: Lab/,
    /can rent 2 instances, on demand, for at most \$1\.00\/h each/,
    /Network traffic/,
  ])
    assert.match(detail, part);
  assert.match(detail, /even if VS Code is closed/);
  assert.doesNotMatch(detail, /sandbox/);
  assert.match(
    buildGrantQuestion({ ...TERMS, until: NOON + 4 * HOUR }, { sandbox: true, payer: undefined }, NOON).detail,
    /sandbox/,
  );
});

test("the status bar says what is committed, how long it lasts, and nothing once it is over", () => {
  assert.equal(buildGrantView(GRANT, NOON + 3 * HOUR + 19 * 60_000)?.text, "Agents: $1.80 of $5.00 · 41 min");
  assert.match(buildGrantView(GRANT, NOON)?.tooltip ?? "", /Instances: 1 of 2, for at most \$1\.00\/h each/);
  assert.equal(buildGrantView(GRANT, NOON + 4 * HOUR), undefined);
  assert.equal(buildGrantView(GRANT, NOON - 1), undefined, "the clock was set back");
  assert.equal(buildGrantView(undefined, NOON), undefined);
});

test("the end says what keeps running", () => {
  assert.doesNotMatch(describeGrantEnd(0), /keeps running/);
  assert.match(describeGrantEnd(2), /keeps running until its auto-stop: 2 of your instances/);
});

test("an instance that doesn't end itself is told of, with whether it is destroyed", () => {
  assert.match(describeUnproven({ id: 7, kind: "destroy", outcome: "done" }), /so Cloud GPU destroyed it/);
  assert.match(
    describeUnproven({ id: 7, kind: "destroy", outcome: "failed", reason: "busy" }),
    /isn't confirmed: busy/,
  );
  assert.match(describeUnproven({ id: 7, kind: "destroy", outcome: "left" }), /isn't confirmed: The service hasn't/);
});

test("an agent is told what is left, and why it doesn't pay for a quote", () => {
  const until = new Date(GRANT.until).toISOString();
  const left = { left: 3.2, instances_left: 1, until };
  assert.deepEqual(buildBudgetFacts(GRANT, undefined), { budget: { ...left, pays_for_this: true } });
  assert.deepEqual(buildBudgetFacts(GRANT, "Too dear."), {
    budget: { ...left, pays_for_this: false, why_not: "Too dear." },
  });
});
