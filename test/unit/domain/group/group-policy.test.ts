// How a member stands, and what follows for its group.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { decideGroup, isUnwanted, judgeMember, type MemberState } from "../../../../src/domain/group/group-policy.ts";
import type { Instance } from "../../../../src/domain/instance/instance.ts";
import type { LaunchFact, LaunchRecord } from "../../../../src/domain/launch/launch-record.ts";

const launch = (facts: readonly LaunchFact[], ids: readonly number[] = []): LaunchRecord => ({
  token: "vsc-aaaaaaaaaaaaaaaa",
  prepared: undefined,
  facts: new Set(facts),
  ids: ids as LaunchRecord["ids"],
  late: new Set(),
});
const instance = (actual_status: string, intended_status = "running") =>
  ({ id: 1, actual_status, intended_status, cur_state: intended_status }) as unknown as Instance;
const NOTHING = { isSending: false, launch: undefined, instance: undefined, isStartingSsh: false, isUnlisted: false };

describe("a member", () => {
  const cases: readonly (readonly [name: string, given: Partial<typeof NOTHING> | object, state: MemberState])[] = [
    ["that is still to be rented", { isSending: true }, "coming"],
    ["that never was", {}, "missing"],
    ["that was written down and never sent", { launch: launch([]) }, "missing"],
    ["whose answer got lost", { launch: launch(["claimed"]) }, "unknown"],
    ["that was refused", { launch: launch(["claimed", "refused"]) }, "missing"],
    ["that was searched for and not found", { launch: launch(["claimed", "absent"]) }, "missing"],
    ["that isn't listed yet", { launch: launch(["claimed"], [1]) }, "coming"],
    ["that isn't listed any more", { launch: launch(["claimed"], [1]), isUnlisted: true }, "gone"],
    ["that was rented twice", { launch: launch(["claimed"], [1, 2]), instance: instance("running") }, "ready"],
    ["that runs", { launch: launch(["claimed"], [1]), instance: instance("running") }, "ready"],
    ["whose login is waited for", { instance: instance("running"), isStartingSsh: true }, "coming"],
    ["that loads", { instance: instance("loading") }, "coming"],
    ["that its owner stopped", { instance: instance("stopped", "stopped") }, "stopped"],
    ["that its owner stopped, and the service calls exited", { instance: instance("exited", "stopped") }, "stopped"],
    ["that its owner stopped on a host that is offline", { instance: instance("offline", "stopped") }, "stopped"],
    ["that crashed", { instance: instance("exited") }, "dead"],
    [
      "that is found though it was refused",
      { launch: launch(["claimed", "refused"]), instance: instance("running") },
      "ready",
    ],
  ];
  for (const [name, given, state] of cases)
    test(`${name} is ${state}`, () => assert.equal(judgeMember({ ...NOTHING, ...given }), state));
});

describe("a group", () => {
  const decide = (least: number, members: readonly MemberState[], isOver = false) =>
    decideGroup({ prepared: { least } as never }, members, isOver);

  test("is complete once all are ready, also after its time", () => {
    assert.equal(decide(2, ["ready", "ready"]), "complete");
    assert.equal(decide(2, ["ready", "ready"], true), "complete");
  });

  test("waits as long as waiting can change anything", () => {
    assert.equal(decide(2, ["ready", "coming"]), "wait");
    assert.equal(decide(2, ["ready", "unknown"]), "wait");
    assert.equal(decide(1, ["ready", "coming"]), "wait", "the others may still come");
    assert.equal(decide(2, ["ready", "stopped"]), "wait", "who stopped it may start it again");
    assert.equal(decide(2, ["dead", "stopped"]), "short", "one of two is lost anyway");
  });

  test("has too few once too many are lost, or its time is over", () => {
    assert.equal(decide(2, ["ready", "dead"]), "short");
    assert.equal(decide(2, ["ready", "coming"], true), "short");
    assert.equal(decide(1, ["missing", "gone"]), "short");
  });

  test("has enough if as many as agreed are ready, and the others can't be or weren't in time", () => {
    assert.equal(decide(1, ["ready", "dead"]), "enough");
    assert.equal(decide(1, ["ready", "coming"], true), "enough");
  });

  test("wants none of its members if they are too few, and those that run if they are enough", () => {
    const states: readonly MemberState[] = ["coming", "unknown", "ready", "stopped", "dead", "gone", "missing"];
    assert.ok(states.every((state) => isUnwanted("short", state)));
    assert.deepEqual(
      states.filter((state) => !isUnwanted("enough", state)),
      ["ready", "stopped"],
    );
    assert.ok(states.every((state) => !isUnwanted("complete", state)));
  });
});
