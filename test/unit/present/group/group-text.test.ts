// What is said of groups, for one and for several, for what is known and what isn't.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { GroupFacts } from "../../../../src/domain/group/group-facts.ts";
import type { MemberState } from "../../../../src/domain/group/group-policy.ts";
import type { Decision } from "../../../../src/domain/group/group-record.ts";
import type { InstanceAutoStop } from "../../../../src/domain/instance/auto-stop.ts";
import { buildMachineGroupRow, describeGroupState } from "../../../../src/present/group/group-rows.ts";
import { describeDecision, describeEndedGroup } from "../../../../src/present/group/group-text.ts";

function group(
  states: readonly MemberState[],
  decision?: Decision,
  rest: "ask" | "destroy" = "ask",
  least = states.length,
) {
  const members = states.map((state, rank) => ({
    rank,
    token: "",
    id: rank + 1,
    state,
    instance: undefined,
    price: 1,
  }));
  const listed = members.filter(({ state }) => !["missing", "gone", "unknown"].includes(state)).map(({ id }) => id);
  return {
    id: "grp-aaaaaaaaaaaaaaaa",
    name: "sweep-7",
    members,
    listed,
    isSending: false,
    record: { prepared: { least, rest, deadline: 0 }, facts: new Set(), decided: decision && { decision } },
  } as unknown as GroupFacts;
}
const rows = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    value: { id: at + 1, dph_total: 0.5, actual_status: "running" },
    launchPrice: undefined,
  })) as never;
const said = (of: GroupFacts, count: number, isOverdue = false, why?: string) =>
  describeDecision(of, rows(count), isOverdue, why);

describe("a group", () => {
  test("says how many are ready, and what the others do", () => {
    assert.equal(describeGroupState(group(["ready", "ready"])), "2 of 2 ready");
    const renting = group(["coming", "coming", "coming"]);
    const [first, ...others] = renting.members;
    assert.ok(first);
    const waiting = others.map((member) => ({ ...member, id: undefined }));
    assert.equal(
      describeGroupState({ ...renting, members: [first, ...waiting] }),
      "0 of 3 ready, 2 not rented yet, 1 starting",
    );
    assert.equal(
      describeGroupState(group(["ready", "coming", "coming", "unknown", "dead", "gone", "missing", "stopped"])),
      "1 of 8 ready, 2 starting, 1 stopped, 1 unresolved, 1 failed, 1 no longer exists, 1 not rented",
    );
  });

  test("that runs is told with what all of it costs", () => {
    const { severity, text } = said(group(["ready", "ready"], "complete"), 2);
    assert.deepEqual([severity, text], ["info", "Group “sweep-7” is running: 2 instances at $1.00/h."]);
  });

  test("that has too few is told with why, and what it costs until it is decided", () => {
    const { severity, text } = said(group(["ready", "missing"], "short"), 1, false, "That offer was just taken.");
    assert.equal(severity, "warning");
    assert.equal(
      text,
      "Group “sweep-7” has too few instances: 1 of 2 ready, 1 not rented. You asked for at least 2. That offer was just taken. It costs $0.50/h.",
    );
  });

  test("of which nothing came costs nothing", () => {
    assert.match(said(group(["missing", "missing"], "short"), 0).text, /Nothing in this group is being billed\.$/);
  });

  test("never says that nothing costs money of what is rented, or may be, and isn't listed yet", () => {
    const unlisted = (rest: "ask" | "destroy", ...states: readonly MemberState[]) => ({
      ...group(states, "short", rest),
      listed: [],
    });
    assert.match(
      said(unlisted("ask", "unknown", "missing"), 0).text,
      /at least 2\. 1 instance isn't in the list yet and may cost money\.$/,
    );
    assert.match(
      said(unlisted("destroy", "coming", "coming", "missing"), 0).text,
      /2 instances aren't in the list yet and may cost money\. Cloud GPU destroys any instance it finds, as you chose\.$/,
    );
    assert.match(said(unlisted("destroy", "coming", "missing"), 0, true).text, /may cost money\.$/);
    const { severity, text } = said(group(["ready", "unknown"], "enough", "ask", 1), 1);
    assert.equal(severity, "warning");
    assert.match(text, /which meets your minimum\. 1 instance isn't in the list yet and may cost money\.$/);
  });

  test("that is ended as agreed says so, unless it is too late for that", () => {
    const short = group(["ready", "missing"], "short", "destroy");
    assert.match(said(short, 1).text, /Cloud GPU is destroying it, as you chose\.$/);
    assert.match(said(short, 1, true).text, /nothing was destroyed\.$/);
    const enough = group(["ready", "coming"], "enough", "destroy", 1);
    assert.match(
      said(enough, 2).text,
      /^Group “sweep-7” is running with 1 of 2 instances, .* Cloud GPU is destroying .*, as you chose\.$/,
    );
  });

  test("that ended is told with its numbers", () => {
    assert.equal(describeEndedGroup("a", [7]), "Destroyed instance 7 of group “a”, as you chose.");
    assert.equal(describeEndedGroup("a", [7, 8]), "Destroyed 2 instances of group “a”, as you chose: 7, 8.");
  });

  test("names one end of all, unless they differ in what they do", () => {
    const now = new Date(2026, 10, 24, 14, 0).getTime();
    const until = now + 4 * 3_600_000;
    const both = { until, ending: "stop", stoppedHours: 24 } as const;
    const words = (...ends: readonly InstanceAutoStop[]) =>
      buildMachineGroupRow({ group: group(["ready", "ready"]), tag: "t", prices: [], ends, staleSince: undefined, now })
        .description;
    assert.equal(words(both, both), "2 of 2 ready · stops at 18:00, destroys 24 h later if still stopped");
    for (const other of [
      { until, ending: "stop" },
      { ...both, stoppedHours: 48 },
      { ...both, until: until + 1 },
      { ...both, ending: "destroy", second: "kept" },
    ] as const)
      assert.match(words(both, other) ?? "", / · first stops at 18:00/);
  });

  test("is a row that can be acted on as long as something of it is listed", () => {
    const row = (of: GroupFacts) =>
      buildMachineGroupRow({ group: of, tag: "t", prices: [1, undefined], ends: [], staleSince: undefined, now: 0 });
    assert.equal(row(group(["ready", "dead"])).context, "machineGroup hasMembers hasRunning");
    assert.equal(row(group(["dead", "dead"])).context, "machineGroup hasMembers");
    assert.equal(row(group(["missing", "unknown"])).context, "machineGroup");
    assert.match(
      row(group(["ready", "dead"])).accessible,
      /^Group sweep-7, 1 of 2 ready, 1 failed, \$1\.00 \+ \$\?\/h/,
    );
  });
});
