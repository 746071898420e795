// What the journal of launches says to an agent that asks what became of its own.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createAbsent, toAgentLaunch, toRecordedLaunch } from "../../../../src/domain/agent/agent-launch.ts";
import { AppError } from "../../../../src/domain/base/error.ts";
import { InstanceId } from "../../../../src/domain/base/id.ts";
import type { LaunchFact } from "../../../../src/domain/launch/launch-record.ts";

const TOKEN = "vsc-aaaaaaaaaaaaaaaa";

describe("a recorded launch", () => {
  const told = (facts: readonly LaunchFact[], ids: readonly number[] = []) =>
    toRecordedLaunch({
      ...{ token: TOKEN, prepared: undefined, late: new Set() },
      ...{ facts: new Set(facts), ids: ids.map((id) => InstanceId.parse(id)) },
    });
  const rows: readonly [readonly LaunchFact[], string, proven?: boolean][] = [
    [[], "unknown"],
    [["claimed"], "unknown"],
    [["claimed", "refused"], "not-rented", false],
    [["claimed", "absent"], "not-rented", false],
    [["claimed", "dismissed"], "not-rented", false],
    [["claimed", "not-sent"], "not-rented", true],
  ];
  for (const [facts, kind, proven] of rows)
    test(`with ${facts.join(", ") || "nothing noted"} is ${kind}`, () => {
      const launch = told(facts);
      assert.equal(launch.kind, kind);
      assert.equal("proven" in launch ? launch.proven : undefined, proven);
    });

  test("that rented is of an earlier call, whatever was noted before", () => {
    assert.deepEqual(told(["claimed", "absent"], [7, 8]), { kind: "rented", ids: [7, 8], isEarlier: true });
  });
});

test("a message says what became of it, and one about a machine that runs says nothing new", () => {
  const error = new AppError("gone", "That offer was just taken.");
  assert.deepEqual(toAgentLaunch({ kind: "not-rented", error, proven: true }), {
    ...{ kind: "not-rented", error, proven: true },
  });
  assert.deepEqual(toAgentLaunch({ kind: "unknown", reason: "", token: TOKEN, tracked: true }), {
    ...{ kind: "unknown", token: TOKEN },
  });
  const cancelled = toAgentLaunch({ kind: "cancelled" });
  assert.ok(cancelled?.kind === "not-rented" && cancelled.proven);
  assert.equal(toAgentLaunch({ kind: "gone", id: InstanceId.parse(7) }), undefined);
  const absent = createAbsent();
  assert.ok(absent.kind === "not-rented" && !absent.proven);
});
