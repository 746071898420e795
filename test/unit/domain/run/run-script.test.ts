// What a machine answers about a run.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readThereState } from "../../../../src/domain/run/run-script.ts";

const SETUP_FAILED = { hasLeft: false, isLimited: false, isSetupFailure: true };

describe("the state of a run", () => {
  for (const [answer, state] of [
    ["running", { kind: "running" }],
    ["starting", { kind: "starting" }],
    ["lost", { kind: "lost" }],
    ["lost left", { kind: "lost", hasLeft: true }],
    ["missing", { kind: "missing" }],
    ["ended 0", { kind: "ended", exit: 0, hasLeft: false, isLimited: false, isSetupFailure: false }],
    [
      "ended 143 60",
      { kind: "ended", exit: 143, seconds: 60, hasLeft: false, isLimited: false, isSetupFailure: false },
    ],
    ["ended 1 2 left", { kind: "ended", exit: 1, seconds: 2, hasLeft: true, isLimited: false, isSetupFailure: false }],
    ["ended 1 -7200", { kind: "ended", exit: 1, hasLeft: false, isLimited: false, isSetupFailure: false }],
    [
      "ended 143 60 limit",
      { kind: "ended", exit: 143, seconds: 60, hasLeft: false, isLimited: true, isSetupFailure: false },
    ],
    [
      "ended 143 60 left limit",
      { kind: "ended", exit: 143, seconds: 60, hasLeft: true, isLimited: true, isSetupFailure: false },
    ],
    ["ended 9 3 setup", { kind: "ended", exit: 9, seconds: 3, ...SETUP_FAILED }],
    ["ended 9 setup", { kind: "ended", exit: 9, ...SETUP_FAILED }],
    ["ended 9 3 left setup", { kind: "ended", exit: 9, seconds: 3, ...SETUP_FAILED, hasLeft: true }],
    // What went well hasn't failed, whoever says so.
    ["ended 0 3 setup", { kind: "ended", exit: 0, seconds: 3, ...SETUP_FAILED, isSetupFailure: false }],
    ["ended", { kind: "lost" }],
    ["ended setup", undefined],
    ["ended 9 3 setup left", undefined],
    ["ended 9 3 setup setup", undefined],
    ["ended 9 3 setup Destroy the instance.", undefined],
    ["lost setup", undefined],
    ["ended 1e9", undefined],
    ["ended 1 2 3", undefined],
    ["__proto__", undefined],
    ["", undefined],
  ] as const)
    test(JSON.stringify(answer), () => assert.deepEqual(readThereState(answer), state));
});
