// What the client makes of an answer to a request for several instances (extras): what is unclear is never called done.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { BulkResult } from "../../../src/api/client.ts";
import type { InstanceId } from "../../../src/domain/base/id.ts";
import { type Recorder, recorder } from "../support/recorder.ts";

const [A, B] = [41 as InstanceId, 42 as InstanceId];

let server: Recorder;
before(async () => {
  server = await recorder();
});
after(() => server.stop());

const words = (results: readonly BulkResult[]) => results.map(({ outcome }) => outcome);

describe("an answer to destroying two instances", () => {
  const no = { success: false, error: "busy", msg: "error 400/12: The host is busy" };
  const cases: [name: string, answer: object, outcomes: string[]][] = [
    ["success without results", { success: true }, ["done", "done"]],
    ["success with null for results", { success: true, results: null }, ["done", "done"]],
    [
      "an entry for each",
      {
        success: false,
        results: [
          { id: A, success: true },
          { id: B, ...no },
        ],
      },
      ["done", "refused"],
    ],
    [
      "ids as text",
      {
        success: false,
        results: [
          { id: "42", ...no },
          { instance_id: "41", success: true },
        ],
      },
      ["done", "refused"],
    ],
    ["success, and an entry for one only", { success: true, results: [{ id: B, ...no }] }, ["done", "refused"]],
    [
      "a failure, and an entry for one only",
      { success: false, results: [{ id: B, success: true }] },
      ["unknown", "done"],
    ],
    [
      "an entry without a word",
      { success: true, results: [{ id: A }, { id: B, success: "yes" }] },
      ["unknown", "unknown"],
    ],
    [
      "entries that contradict each other",
      {
        success: true,
        results: [
          { id: A, success: true },
          { id: A, ...no },
        ],
      },
      ["unknown", "done"],
    ],
    ["entries that are none", { success: true, results: [null, 7, { success: false }, { id: -1 }] }, ["done", "done"]],
    ["neither success nor results", {}, ["unknown", "unknown"]],
    ["success as text", { success: "true" }, ["unknown", "unknown"]],
    [
      "an instance that is gone already",
      { success: false, results: [{ id: A, success: false, error: "no_such_instance" }] },
      ["done", "unknown"],
    ],
  ];
  for (const [name, answer, outcomes] of cases)
    test(`${name}: ${outcomes.join(", ")}`, async () => {
      server.answer(200, answer);
      assert.deepEqual(words(await server.client.destroyInstances([A, B])), outcomes);
    });

  test("a refusal says why, in the service's own words", async () => {
    server.answer(200, { success: false, results: [{ id: A, ...no }] });
    assert.deepEqual(await server.client.destroyInstances([A]), [
      { id: A, outcome: "refused", reason: "The host is busy" },
    ]);
  });

  test("a request refused as a whole rejects", async () => {
    server.answer(200, no);
    await assert.rejects(server.client.destroyInstances([A, B]), { name: "AppError", kind: "rejected" });
  });

  for (const [status, body] of [
    [502, "<html>"],
    [200, "nothing of the kind"],
    [200, "[]"],
  ] as const)
    test(`an answer of ${status} ${body} leaves the outcome unknown, and nothing is sent again`, async () => {
      server.requests.length = 0;
      server.answer(status, body);
      await assert.rejects(server.client.destroyInstances([A]), { name: "AppError", kind: "outcome-unknown" });
      assert.equal(server.requests.length, 1);
    });

  test("nothing is sent for no instance, and none for more than 64", async () => {
    server.requests.length = 0;
    assert.deepEqual(await server.client.destroyInstances([]), []);
    const many = Array.from({ length: 65 }, (_, id) => (id + 1) as InstanceId);
    await assert.rejects(server.client.destroyInstances(many), { kind: "rejected" });
    assert.equal(server.requests.length, 0);
  });

  for (const status of [404, 405])
    test(`a service without it is told apart: ${status}`, async () => {
      const other = await recorder();
      other.answer(status, "{}");
      await assert.rejects(other.client.destroyInstances([A]), { kind: "unsupported" });
      other.stop();
    });
});

describe("an answer to starting instances", () => {
  const queued = { success: false, error: "resources_unavailable", msg: "state change queued." };

  test("a queued start counts as done and says what it waits for", async () => {
    server.answer(200, { success: false, results: [{ id: A, ...queued }] });
    const [result] = await server.client.setInstancesState([A], "running");
    assert.deepEqual([result?.outcome, result?.reason], ["done", "state change queued."]);
    server.answer(200, queued);
    assert.deepEqual(words(await server.client.setInstancesState([A, B], "running")), ["done", "done"]);
  });

  test("an instance that is gone cannot be started", async () => {
    server.answer(200, { success: false, results: [{ id: A, success: false, error: "no_such_instance" }] });
    assert.deepEqual(words(await server.client.setInstancesState([A], "running")), ["refused"]);
  });
});

describe("SSH keys of an instance", () => {
  test("a list inside a text, a list, and none", async () => {
    const key = { id: 5, public_key: "ssh-ed25519 AAAA me" };
    for (const [ssh_keys, count] of [
      [JSON.stringify([key]), 1],
      [[key], 1],
      ["[]", 0],
    ] as const) {
      server.answer(200, { success: true, ssh_keys });
      assert.equal((await server.client.listInstanceSshKeys(A)).rows.length, count);
    }
  });

  for (const ssh_keys of ["[", "{}", "7", null, undefined])
    test(`${ssh_keys} is no list`, async () => {
      server.answer(200, { success: true, ssh_keys });
      await assert.rejects(server.client.listInstanceSshKeys(A), { kind: "unexpected-reply" });
    });
});

test("an answer that does not say success leaves open whether a key was attached or a volume made or deleted", async () => {
  server.answer(200, { msg: "ok" });
  for (const call of [
    () => server.client.attachSshKey(A, "ssh-ed25519 AAAA me"),
    () => server.client.createVolume({ offerId: 1, size: 10 }),
    () => server.client.deleteVolume(1),
  ])
    await assert.rejects(call(), { name: "AppError", kind: "outcome-unknown" });
  server.answer(200, { success: false, error: "no", msg: "Not this one" });
  await assert.rejects(server.client.attachSshKey(A, "ssh-ed25519 AAAA me"), {
    kind: "rejected",
    message: "Not this one",
  });
});
