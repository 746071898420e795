// What is said of an instance that was rented for a run.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { InstanceId, RunId } from "../../../../src/domain/base/id.ts";
import type { Results, RunRecord } from "../../../../src/domain/run/run-record.ts";
import { describeStopped } from "../../../../src/present/run/rental-text.ts";

const runWith = (results: Results): RunRecord => ({
  ...{ version: 1, id: RunId.parse("20260101-000000-train-abcd"), base: "", account: "", window: "", at: 0 },
  ...{
    instance: InstanceId.parse(42),
    plan: { name: "train.py", command: "true", setup: "", folder: "/f", remote: "/r" },
  },
  state: { kind: "ended", at: 1, exit: 0, results },
});
const fetched = { kind: "fetched", place: "/f/.cloud-gpu/runs/a", files: 1, bytes: 1, log: "run.log" } as const;

describe("an instance that is stopped", () => {
  test("is to be started only for results that aren't here", () => {
    for (const results of [{ ...fetched, isWhole: false }, { kind: "failed", why: "" } as const])
      assert.match(describeStopped(runWith(results), 0.1), /To download them, start the instance and reattach\./);
  });

  test("is said to cost money if they are", () => {
    const run = runWith({ ...fetched, isWhole: true });
    assert.equal(
      describeStopped(run, 0.01),
      "Instance 42 is stopped. The results of “train.py” are on this computer. Instance 42 costs $0.01/h until you destroy it.",
    );
    assert.doesNotMatch(describeStopped(run, undefined), /download/);
  });

  test("isn't said to have left nothing there if something went on after the download", () => {
    const run = runWith({ ...fetched, isWhole: true });
    const { exit: _, ...unknown } = { ...run.state, exit: 0 };
    for (const state of [{ ...run.state, hasLeft: true }, unknown] as RunRecord["state"][])
      assert.match(describeStopped({ ...run, state }, 0.1), /The results of “train\.py” are still on its disk/);
  });
});
