// What an instance does by its statuses, and what it costs.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  getPhase,
  getReportedPrice,
  hasRunSince,
  Instance,
  isDead,
  type Phase,
} from "../../../../src/domain/instance/instance.ts";

describe("the environment and the end of an instance", () => {
  const envOf = (extra_env: unknown) => Instance.parse({ id: 1, extra_env }).extra_env;
  const cases: readonly [what: string, given: unknown, expected: [string, string][]][] = [
    [
      "pairs, as public services send them",
      [
        ["A", "b c"],
        ["-p 8080:8080", "1"],
      ],
      [
        ["A", "b c"],
        ["-p 8080:8080", "1"],
      ],
    ],
    [
      "an object, as requests have it",
      { A: "b", N: 1, ON: true },
      [
        ["A", "b"],
        ["N", "1"],
        ["ON", "true"],
      ],
    ],
    [
      "the later of two values",
      [
        ["A", "1"],
        ["A", "2"],
      ],
      [["A", "2"]],
    ],
    [
      "nothing that is no pair",
      [["A"], "B=c", null, 7, [["A"], "x"], ["", "x"], ["C", {}], ["D", null], ["E", "e"]],
      [["E", "e"]],
    ],
    [
      "a name that objects have already",
      [
        ["__proto__", "x"],
        ["constructor", "y"],
      ],
      [
        ["__proto__", "x"],
        ["constructor", "y"],
      ],
    ],
    ["an empty list", [], []],
  ];
  for (const [what, given, expected] of cases) test(what, () => assert.deepEqual([...(envOf(given) ?? [])], expected));
  for (const given of [undefined, null, "A=b", 7])
    test(`${JSON.stringify(given)} is none, and costs no row`, () => assert.equal(envOf(given), undefined));
  test("have a reliability only if it is a share", () => {
    const readAs = (reliability2: unknown) => Instance.parse({ id: 1, reliability2 }).reliability2;
    assert.equal(readAs(0.995), 0.995);
    for (const odd of [1e308, 99.5, -0.1, "0,9", "9", null]) assert.equal(readAs(odd), undefined);
  });

  test("a token that is no text and an end that is no number are absent", () => {
    const { jupyter_token, end_date } = Instance.parse({ id: 1, jupyter_token: null, end_date: "soon" });
    assert.deepEqual([jupyter_token, end_date], [undefined, undefined]);
    const known = Instance.parse({ id: 1, jupyter_token: "t", end_date: 1_790_000_000.5 });
    assert.deepEqual([known.jupyter_token, known.end_date], ["t", 1_790_000_000.5]);
  });
});

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
      assert.equal(getPhase(Instance.parse({ id: 1, ...fields })), expected));
  }
  const fates: readonly [fields: Record<string, unknown>, isExpectedDead: boolean][] = [
    [{ actual_status: "exited" }, true],
    [{ actual_status: "exited", intended_status: "running" }, true],
    [{ actual_status: "exited", intended_status: "stopped" }, false],
    [{ actual_status: "exited", intended_status: "running", cur_state: "stopped" }, false],
    [{ actual_status: "offline" }, true],
    [{ actual_status: "offline", intended_status: "stopped" }, false],
    [{ actual_status: "unknown", intended_status: "running" }, true],
    [{ actual_status: "unknown", intended_status: "stopped" }, false],
    [{ actual_status: "stopped" }, false],
    [{ actual_status: "running" }, false],
    [{ actual_status: "frobnicating" }, false],
    [{}, false],
  ];
  for (const [fields, isExpectedDead] of fates) {
    test(`${JSON.stringify(fields)} ${isExpectedDead ? "will never run" : "isn't dead"}`, () =>
      assert.equal(isDead(Instance.parse({ id: 1, ...fields })), isExpectedDead));
  }
  test("a stopped one costs its disk, an unpriced one nothing that is known", () => {
    assert.equal(
      getReportedPrice(Instance.parse({ id: 1, actual_status: "stopped", dph_total: 2, storage_total_cost: 0.01 })),
      0.01,
    );
    assert.equal(getReportedPrice(Instance.parse({ id: 1, actual_status: "running" })), undefined);
    assert.equal(getReportedPrice(Instance.parse({ id: 1, actual_status: "running", dph_total: 0 })), undefined);
    const queued = { id: 1, actual_status: "exited", intended_status: "running", cur_state: "stopped" };
    assert.equal(
      getReportedPrice(Instance.parse({ ...queued, dph_total: 1, storage_total_cost: 0.01 })),
      0.01,
      "it has no GPU yet",
    );
  });
});

describe("for how long an instance has run", () => {
  const NOW = 1_790_000_000_000;
  for (const [uptime, minutes, isExpected] of [
    [10, 5, true],
    [10, 10, true],
    [10, 10.5, false],
    [0, 0.5, false],
    [undefined, 2, false],
    [Number.NaN, 2, false],
    [-5, 2, false],
    [1e15, 2, false],
  ] as const)
    test(`${uptime} minutes: ${isExpected ? "" : "not known to have run "}for the last ${minutes}`, () =>
      assert.equal(hasRunSince({ uptime_mins: uptime }, NOW - minutes * 60_000, NOW), isExpected));
});
