// A request that waits for its turn may come too late for what it was meant for.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createClient } from "../../../src/api/client.ts";
import { AppError } from "../../../src/domain/base/error.ts";
import type { InstanceId } from "../../../src/domain/base/id.ts";
import { realClock } from "../../../src/lib/clock.ts";
import { KEY, type Recorder, recorder } from "../support/recorder.ts";

let server: Recorder;
before(async () => {
  server = await recorder();
});
after(() => server.stop());

test("what may no longer leave when its turn comes isn't sent, and that is proven", async () => {
  let mayLeave = true;
  const sleep = async () => {
    mayLeave = false;
  };
  const client = createClient({ baseUrl: server.baseUrl, apiKey: KEY, clock: { ...realClock, sleep } });
  const refused = (error: unknown) => error instanceof AppError && error.facts.notSent === true;
  server.answer(200, { success: true, msg: "Destroyed instance 4." });
  await client.destroyInstance(4 as InstanceId, () => mayLeave);
  await assert.rejects(
    client.destroyInstance(5 as InstanceId, () => mayLeave),
    refused,
  );
  server.answer(200, { success: true });
  await assert.rejects(
    client.setInstanceState(6 as InstanceId, "stopped", () => mayLeave),
    refused,
  );
  assert.deepEqual(
    server.requests.map(({ line }) => line),
    ["DELETE /api/v0/instances/4/"],
  );
  client.close();
});

test("what may no longer leave once there is a connection isn't sent, and that is proven", async () => {
  const { client, requests } = server;
  const before = requests.length;
  let asked = 0;
  const mayLeave = () => {
    asked += 1;
    return asked === 1;
  };
  await assert.rejects(
    client.destroyInstance(7 as InstanceId, mayLeave),
    (error: unknown) => error instanceof AppError && error.facts.notSent === true,
  );
  assert.deepEqual([asked, requests.length], [2, before]);
  await client.destroyInstance(7 as InstanceId, () => true);
  assert.equal(requests.length, before + 1);
});
