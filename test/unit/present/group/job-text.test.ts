// How a job ended, in words: nothing that still costs money goes without saying.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { RentalEnd, RunRecord } from "../../../../src/domain/run/run-record.ts";
import { describeJobEnd, describeRankEnd } from "../../../../src/present/group/job-text.ts";

const RENTED = { token: "vsc-a", at: 0, whenDone: "destroy" } as const;

function runOf(exit: number, rental?: RentalEnd): RunRecord {
  return {
    ...{ version: 1, id: "20261125-201500-a-r0-abcd" as never, base: "https://a", account: "a", instance: 7 as never },
    ...{ plan: { name: "train.py [0]", command: "true", setup: "", folder: "/a", remote: "/b" }, at: 0, window: "w" },
    ...(rental ? { rented: RENTED } : {}),
    state: { kind: "ended", at: 1000, exit, seconds: 1, results: { kind: "none" }, ...(rental ? { rental } : {}) },
  };
}
const endOf = (rank: number, run?: RunRecord) => ({ rank, run, error: undefined, mayRun: false });
const ends = (...runs: readonly RunRecord[]) => runs.map((run, rank) => ({ rank, run }));

test("a rank says why its instance was kept that was to end", () => {
  const kept = runOf(0, { kind: "kept", why: "The run's results couldn't be downloaded." });
  assert.match(
    describeRankEnd(endOf(1, kept)),
    /^\[1\] Ended with exit code 0 .*The run's results couldn't be downloaded\./,
  );
  assert.equal(describeRankEnd(endOf(0, runOf(3))), "[0] Ended with exit code 3 after 1 s.");
  const error = new Error("It isn't running.");
  assert.equal(describeRankEnd({ ...endOf(2), error }), "[2] It isn't running.");
  assert.equal(describeRankEnd({ ...endOf(2), error, mayRun: true }), "[2] It isn't running. It may still be running.");
});

test("what became of the instances is said, and a warning where it isn't what was agreed", () => {
  const destroyed = runOf(0, { kind: "destroyed", at: 1 });
  const kept = runOf(0, { kind: "kept", why: "x" });
  for (const [runs, severity, says] of [
    [[runOf(0), runOf(0)], "info", /succeeded on 2 instances\. They're still running and costing money\.$/],
    [[runOf(0), runOf(1)], "warning", /succeeded on 1 of 2 instances\. They're still running/],
    [[destroyed, destroyed], "info", /The instances were destroyed\.$/],
    [[destroyed, kept], "warning", /1 instance may still be running and costing money\.$/],
  ] as const) {
    const message = describeJobEnd("train.py", ends(...runs));
    assert.equal(message.severity, severity);
    assert.match(message.text, says);
  }
});
