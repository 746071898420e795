// Records of runs: any program of this computer can write such files.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  canContinueAutomatically,
  createRunId,
  formatResultFolderName,
  isRunOf,
  type RunRecord,
  readRunRecord,
  toRunDraft,
} from "../../../../src/domain/run/run-record.ts";

const at = new Date(2026, 10, 23, 9, 5, 7).getTime();
const id = createRunId("Train model (v2).py", at, "ab12-rest");
const RECORD = {
  ...{ version: 1, id, base: "https://a.example/api", account: "tag", instance: 7, at, window: "w" },
  plan: { name: "train.py", command: "true", setup: "", folder: "/home/me/p", remote: "/workspace/p" },
  state: { kind: "started" },
} as const;

test("a run is named by its time and its file, and its results by that as well", () => {
  assert.equal(id, "20261123-090507-train-model-v2-py-ab12");
  assert.equal(formatResultFolderName({ id }), "20261123-090507-train-model-v2-py");
  assert.match(createRunId("漢字", at, "zz99"), /^20261123-090507-run-zz99$/);
  assert.match(createRunId("x".repeat(300), at, "zz99"), /^20261123-090507-x{30}-zz99$/);
});

test("a record knows the image that its instance was rented with, if it is one", () => {
  const rented = (image: string) =>
    readRunRecord(JSON.stringify({ ...RECORD, rented: { token: "t", at, whenDone: "stop", image } }))?.rented;
  assert.deepEqual([rented("a/b:1")?.image, rented("a/b:1")?.whenDone], ["a/b:1", "stop"]);
  assert.equal(rented("-e A=b"), undefined);
});

describe("a record that isn't one is passed over", () => {
  test("one that is", () => assert.equal(readRunRecord(JSON.stringify(RECORD))?.id, id));
  for (const [what, text] of [
    ["no JSON", "{"],
    ["another version", JSON.stringify({ ...RECORD, version: 2 })],
    ["a name that leads elsewhere", JSON.stringify({ ...RECORD, id: "../../x" })],
    ["a name for a shell", JSON.stringify({ ...RECORD, id: "20261123-090507-$(id)" })],
    [
      "a place on the machine that is no path",
      JSON.stringify({ ...RECORD, plan: { ...RECORD.plan, remote: "~; id" } }),
    ],
    ["one that is huge", JSON.stringify({ ...RECORD, window: "x".repeat(500_000) })],
  ] as const)
    test(what, () => assert.equal(readRunRecord(text), undefined));
});

test("a run is its account's, by the key or by the service's ID for the account, at that service alone", () => {
  const run = readRunRecord(JSON.stringify({ ...RECORD, user: 5 }));
  assert.ok(run);
  const base = RECORD.base;
  assert.equal(isRunOf(run, { base, tag: "tag", user: undefined }), true);
  assert.equal(isRunOf(run, { base, tag: "renewed", user: 5 }), true);
  assert.equal(isRunOf(run, { base, tag: "other", user: 6 }), false);
  assert.equal(isRunOf(run, { base: "https://b.example/api", tag: "tag", user: 5 }), false);
});

test("only a rented run whose instance no longer works on it continues automatically, where that was agreed to", () => {
  const lost = { kind: "ended", at: 5, rental: { kind: "gone" } };
  for (const [change, expected] of [
    [{}, true],
    [{ state: { kind: "started" } }, true],
    [{ state: { ...lost, exit: 1 } }, false],
    [{ state: { ...lost, rental: { kind: "kept", why: "" } } }, false],
    [{ state: { kind: "uploading" } }, false],
    [{ rented: undefined }, false],
    [{ isStopAsked: true }, false],
    [{ member: {} }, false],
    [{ plan: { limits: { maxHours: 8 } } }, false],
    [{ plan: { limits: { maxAttempts: 1 } } }, false],
  ] as const) {
    const run = { rented: {}, plan: { limits: { maxAttempts: 2 } }, state: lost, ...change } as unknown as RunRecord;
    assert.equal(canContinueAutomatically(run), expected, JSON.stringify(change));
  }
});

test("what is run once more has the limits that were agreed to, not what earlier attempts left of them", () => {
  const plan = { name: "a", command: "b", setup: "", folder: "/a", remote: "/b", limits: { maxHours: 2 } };
  const { remote: _, ...draft } = plan;
  assert.deepEqual(toRunDraft({ plan }), draft);
  assert.deepEqual(toRunDraft({ plan, agreed: { maxHours: 8 } }), { ...draft, limits: { maxHours: 8 } });
});
