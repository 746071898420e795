// What an instance does by its statuses, and what it costs.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { burn, Instance, type Phase, phase } from "../../../../src/domain/instance/instance.ts";

describe("instances (interface 3)", () => {
  const cases: readonly [fields: Record<string, unknown>, phase: Phase][] = [
    [{}, "starting"],
    [{ actual_status: null }, "starting"],
    [{ actual_status: "created" }, "starting"],
    [{ actual_status: "loading" }, "starting"],
    [{ actual_status: "running" }, "running"],
    [{ actual_status: "running", intended_status: "stopped" }, "stopping"],
    [{ actual_status: "exited" }, "ended"],
    [{ actual_status: "exited", intended_status: "stopped" }, "stopped"],
    [{ actual_status: "exited", intended_status: "running", cur_state: "stopped" }, "scheduling"],
    [{ actual_status: "unknown" }, "lost"],
    [{ actual_status: "offline" }, "lost"],
    [{ actual_status: "frobnicating" }, "unclear"],
    [{ actual_status: 7 }, "starting"],
  ];
  for (const [fields, expected] of cases) {
    test(`${JSON.stringify(fields)} is ${expected}`, () =>
      assert.equal(phase(Instance.parse({ id: 1, ...fields })), expected));
  }
  test("a stopped one costs its disk, an unpriced one nothing that is known", () => {
    assert.equal(
      burn(Instance.parse({ id: 1, actual_status: "stopped", dph_total: 2, storage_total_cost: 0.01 })),
      0.01,
    );
    assert.equal(burn(Instance.parse({ id: 1, actual_status: "running" })), undefined);
    assert.equal(burn(Instance.parse({ id: 1, actual_status: "running", dph_total: 0 })), undefined);
    const queued = { id: 1, actual_status: "exited", intended_status: "running", cur_state: "stopped" };
    assert.equal(
      burn(Instance.parse({ ...queued, dph_total: 1, storage_total_cost: 0.01 })),
      0.01,
      "it has no GPU yet",
    );
  });
});
