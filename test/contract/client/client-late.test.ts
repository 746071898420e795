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

const isProven = (error: unknown) => error instanceof AppError && error.facts.notSent === true;

test("what may no longer leave when its turn comes isn't sent, and that is proven", async () => {
  let mayLeave = true;
  const sleep = async () => {
    mayLeave = false;
  };
  const client = createClient({ baseUrl: server.baseUrl, apiKey: KEY, clock: { ...realClock, sleep } });
  server.answer(200, { success: true, msg: "Destroyed instance 4." });
  await client.destroyInstance(4 as InstanceId, { mayLeave: () => mayLeave });
  await assert.rejects(client.destroyInstance(5 as InstanceId, { mayLeave: () => mayLeave }), isProven);
  server.answer(200, { success: true });
  await assert.rejects(client.setInstanceState(6 as InstanceId, "stopped", { mayLeave: () => mayLeave }), isProven);
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
    return false;
  };
  await assert.rejects(client.destroyInstance(7 as InstanceId, { mayLeave }), isProven);
  assert.deepEqual([asked, requests.length], [1, before]);
  await client.destroyInstance(7 as InstanceId, { mayLeave: () => true });
  assert.equal(requests.length, before + 1);
});

/** A client on a clock that stands still but while it waits, so that each call waits for as long as its turn takes. */
function waiting() {
  let elapsed = 0;
  const sleep = async (ms: number) => {
    elapsed += ms;
  };
  const client = createClient({
    baseUrl: server.baseUrl,
    apiKey: KEY,
    clock: { ...realClock, elapsed: () => elapsed, sleep },
  });
  return { client, sleep, elapsed: () => elapsed };
}

test("what is looked at again is looked at once its turn has come, and one that says no or fails is sent nowhere", async () => {
  const { client, elapsed } = waiting();
  const before = server.requests.length;
  server.answer(200, { success: true });
  await client.destroyInstance(8 as InstanceId);
  const at: number[] = [];
  const say = (answer: () => Promise<boolean>) => ({
    recheck: () => {
      at.push(elapsed());
      return answer();
    },
  });
  await assert.rejects(
    client.destroyInstance(
      9 as InstanceId,
      say(async () => false),
    ),
    isProven,
  );
  await assert.rejects(
    client.setInstanceState(
      9 as InstanceId,
      "stopped",
      say(async () => false),
    ),
    isProven,
  );
  await assert.rejects(
    client.destroyInstance(
      9 as InstanceId,
      say(() => Promise.reject(new Error("silence"))),
    ),
    isProven,
  );
  assert.equal(server.requests.length, before + 1);
  await client.destroyInstance(
    9 as InstanceId,
    say(async () => true),
  );
  assert.equal(server.requests.length, before + 2);
  assert.deepEqual(at, [3000, 3000, 6000, 9000], "three seconds lie between two that destroy");
  client.close();
});

test("how long the look takes is no time of the request", async () => {
  const { client, sleep } = waiting();
  const before = server.requests.length;
  server.answer(200, { success: true });
  await client.destroyInstance(8 as InstanceId, {
    recheck: async () => {
      await sleep(600_000);
      return true;
    },
  });
  assert.equal(server.requests.length, before + 1);
  client.close();
});
