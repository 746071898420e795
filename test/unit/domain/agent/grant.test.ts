// What a budget of agents pays for: by the launch journal alone, and never above what the person agreed to.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  countGrant,
  Grant,
  isGrantOpen,
  judgeGranted,
  parseGrantDollars,
  parseGrantHours,
  parseGrantLaunches,
} from "../../../../src/domain/agent/grant.ts";
import { InstanceId } from "../../../../src/domain/base/id.ts";
import type { LaunchPlan } from "../../../../src/domain/launch/launch-plan.ts";
import { type LaunchFact, type LaunchRecord, Prepared } from "../../../../src/domain/launch/launch-record.ts";
import { seeded } from "../../../fuzz/answers.ts";
import { assertRejected, offerOf, PLAN } from "../../support.ts";

const HOUR = 3_600_000;
const NAME = "gra-0123456789abcdef0123";
const GRANT = Grant.parse({
  ...{ version: 1, origin: "https://a.test", account: "tag", amount: 5, perHour: 1, launches: 2 },
  ...{ at: 1000, until: 1000 + 4 * HOUR },
});

const record = (
  facts: readonly LaunchFact[],
  ids: readonly number[] = [],
  granted: object | undefined = { grant: NAME, most: 1.5, until: HOUR },
): LaunchRecord => ({
  token: "vsc-aaaaaaaaaaaaaaaa",
  prepared: Prepared.parse({
    ...{ version: 1, origin: "https://a.test", account: "tag", offer: 7, machine: "m", at: 1000, tracked: true },
    granted,
  }),
  facts: new Set(facts),
  ids: ids.map((id) => InstanceId.parse(id)),
  late: new Set(),
});

describe("a budget counts", () => {
  const rows: readonly [string, LaunchRecord, used: number][] = [
    ["nothing for one that wasn't claimed", record([]), 0],
    ["one whose outcome is open", record(["claimed"]), 1],
    ["one that was refused, which isn't proven", record(["claimed", "refused"]), 1],
    ["nothing for one that wasn't sent", record(["claimed", "not-sent"]), 0],
    ["nothing for one that never appeared", record(["claimed", "absent"]), 0],
    ["one that was rented", record(["claimed"], [7]), 1],
    ["one that appeared after all", record(["claimed", "absent"], [7]), 1],
    ["each that one request rented", record(["claimed"], [7, 8]), 2],
    ["nothing of another budget", record(["claimed"], [7], { grant: "gra-x", most: 1, until: 1 }), 0],
    ["nothing that the person rented", { ...record(["claimed"], [7]), prepared: undefined }, 0],
  ];
  for (const [what, launch, used] of rows)
    test(what, () => {
      const counted = countGrant(NAME, GRANT, [launch]);
      assert.deepEqual([counted.used, counted.spent], [used, used * 1.5]);
    });

  test("no launch twice, and not the one that asks", () => {
    const own = record(["claimed"]);
    const other = { ...record(["claimed"], [7]), token: "vsc-bbbbbbbbbbbbbbbb" };
    assert.equal(countGrant(NAME, GRANT, [own, other], own.token).spent, 1.5);
    assert.equal(countGrant(NAME, GRANT, [own, other]).spent, 3);
  });
});

const NOW = 1000;
const OPEN = countGrant(NAME, GRANT, []);
const planOf = (fields: Partial<LaunchPlan> = {}, price = 0.5): LaunchPlan => ({
  ...PLAN,
  offer: offerOf({ id: 7, dph_total: price }),
  end: { hours: 2, ending: "destroy", byItself: "https://a.test" },
  ...fields,
});

describe("a launch", () => {
  test("is paid for until its auto-stop, with a quarter of an hour for the service to end it", () => {
    const judged = judgeGranted(OPEN, planOf(), NOW);
    assert.deepEqual(judged, { grant: NAME, most: 1.125, until: NOW + 2 * HOUR });
  });

  test("takes what it was written down with, though less of it is left by now", () => {
    const plan = planOf({ end: { until: NOW + 2 * HOUR, ending: "destroy", byItself: "a" } });
    const later = NOW + HOUR;
    const [noted, left] = [1.125, { ...OPEN, spent: 4 }];
    assert.equal(typeof judgeGranted(left, plan, later), "object");
    assert.match(String(judgeGranted(left, plan, later, noted)), /may cost \$1\.13 until/);
  });

  const refused: readonly [string, LaunchPlan, object, RegExp][] = [
    ["that is interruptible", planOf({ type: "bid", bid: 0.1 }), {}, /only for on-demand/],
    ["without an auto-stop", planOf({ end: undefined }), {}, /Nothing on this instance/],
    ["that only stops", planOf({ end: { hours: 2, ending: "stop", byItself: "a" } }), {}, /Nothing on this instance/],
    ["that a window has to end", planOf({ end: { hours: 2, ending: "destroy" } }), {}, /Nothing on this instance/],
    ["without a price", planOf({ offer: offerOf({ id: 7 }) }), {}, /price is unknown/],
    ["that is too dear", planOf({}, 1.01), {}, /costs \$1\.01\/h, and the budget allows \$1\.00\/h/],
    ["that is one too many", planOf(), { used: 2 }, /rented 2 of 2/],
    [
      "that outlives the budget",
      planOf({ end: { hours: 4.01, ending: "destroy", byItself: "a" } }),
      {},
      /after the end of the budget/,
    ],
    [
      "for which too little is left",
      planOf(),
      { spent: 3.9 },
      /may cost \$1\.13 until its auto-stop, and \$1\.10 is left/,
    ],
  ];
  for (const [what, plan, fields, why] of refused)
    test(`${what} needs the person`, () => assert.match(String(judgeGranted({ ...OPEN, ...fields }, plan, NOW)), why));

  test("is never paid for above the amount, whatever is drawn", () => {
    const random = seeded(11);
    for (let story = 0; story < 2000; story += 1) {
      const launches: LaunchRecord[] = [];
      let now = NOW;
      for (let at = 0; at < 8; at += 1) {
        const plan = planOf({ end: { hours: 4 * random(), ending: "destroy", byItself: "a" } }, 1.2 * random());
        const state = countGrant(NAME, GRANT, launches);
        const judged = judgeGranted(state, plan, now);
        now += 1_000_000 * random();
        if (typeof judged === "string") continue;
        const facts: LaunchFact[] = random() < 0.2 ? ["claimed", "not-sent"] : ["claimed"];
        launches.push({ ...record(facts, random() < 0.5 ? [at + 1] : [], judged), token: `vsc-${at}` });
      }
      const { spent, used } = countGrant(NAME, GRANT, launches);
      assert.ok(spent <= GRANT.amount + 1e-6 && used <= GRANT.launches, `story ${story}: ${spent}, ${used}`);
    }
  });
});

test("a budget is open from its first moment to its last, also by a clock that was set back", () => {
  const open = [999, 1000, 1000 + 4 * HOUR - 1, 1000 + 4 * HOUR].map((now) => isGrantOpen(GRANT, now));
  assert.deepEqual(open, [false, true, true, false]);
});

describe("what is typed", () => {
  test("is read", () => {
    assert.deepEqual(
      ["5", "$5", " $ 0.5", "100000"].map((text) => parseGrantDollars("Budget", text)),
      [5, 5, 0.5, 100_000],
    );
    assert.deepEqual(
      ["1", "50"].map((text) => parseGrantLaunches("Instances", text)),
      [1, 50],
    );
    assert.deepEqual(
      ["4", "0.25", "24 h"].map((text) => parseGrantHours("Hours", text)),
      [4, 0.25, 24],
    );
  });

  const wrong: readonly [(name: string, text: string) => number, readonly string[]][] = [
    [parseGrantDollars, ["", "0", "-1", "1,5", "five", "100001", "1e3", "NaN", "Infinity", "$"]],
    [parseGrantLaunches, ["", "0", "1.5", "51", "two"]],
    [parseGrantHours, ["", "0", "0.1", "24.5", "1 d", "h"]],
  ];
  for (const [parse, texts] of wrong)
    for (const text of texts)
      test(`is refused by its name: ${parse.name} ${JSON.stringify(text)}`, () =>
        assertRejected(() => parse("The field", text), /^The field: /));
});
