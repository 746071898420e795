// An extra is believed missing only after several sightings and for a while; what ever answered is failing, not missing.
import assert from "node:assert/strict";
import type { RequestListener } from "node:http";
import { describe, test } from "node:test";
import type { ClientOptions } from "../../../src/api/client.ts";
import type { InstanceId } from "../../../src/domain/base/id.ts";
import { realClock } from "../../../src/lib/clock.ts";
import { failsAs, serve } from "./hostile.ts";

const QUICK = { patience: 0.01 };
const V1 = "/api/v1/instances/";
const V0 = "/api/v0/instances/";
const LIST = '{"success":true,"instances":[],"instances_found":0,"total_instances":0,"next_token":null}';

/** A server whose lists answer 404 while `broken`; it counts the requests to each. */
async function flaky(options: Partial<ClientOptions> = {}) {
  const state = { broken: true, status: 404, asked: new Map<string, number>() };
  const listener: RequestListener = (request, response) => {
    const path = (request.url ?? "").split("?")[0] ?? "";
    state.asked.set(path, (state.asked.get(path) ?? 0) + 1);
    if (state.broken) response.writeHead(state.status).end("<h1>Not Found</h1>");
    else response.end(path === V0 ? '{"instances":[]}' : LIST);
  };
  const { client } = await serve(listener, { ...QUICK, ...options });
  return { client, state, asked: (path: string) => state.asked.get(path) ?? 0 };
}

describe("an endpoint that answered in this session", () => {
  for (const status of [404, 405, 410, 501]) {
    test(`fails with a ${status} later, is asked again like any read, and never counts as missing`, async () => {
      const { client, state, asked } = await flaky();
      state.broken = false;
      await client.listInstances(undefined);
      state.broken = true;
      state.status = status;
      const error = await failsAs(client.listInstances(undefined), "unexpected-reply", /temporarily unavailable/);
      assert.deepEqual([error.facts.status, asked(V1), asked(V0)], [status, 4, 0], "three tries, and no older list");
      client.forgetMissingEndpoints();
      await failsAs(client.listInstances(undefined), "unexpected-reply");
      state.broken = false;
      assert.deepEqual((await client.listInstances(undefined)).rows, []);
    });
  }
});

describe("an endpoint that never answered", () => {
  test("is believed missing after three sightings, not after a gateway's one or two", async () => {
    for (const failures of [1, 2]) {
      let left = failures;
      const { client, count } = await serve((_, response) => {
        left -= 1;
        if (left >= 0) response.writeHead(404).end("");
        else response.end(LIST);
      }, QUICK);
      assert.equal((await client.listInstances(undefined)).complete, true);
      assert.equal(count(), failures + 1, "the older list was not asked");
    }
  });

  test("is asked again after 1, 2, 4, 8 and then every 15 minutes", async () => {
    let now = 0;
    const { client, asked } = await flaky({ clock: { ...realClock, elapsed: () => now } });
    const refresh = () => failsAs(client.listInstances(undefined), "unsupported");
    await refresh();
    assert.deepEqual([asked(V1), asked(V0)], [3, 3]);
    let before = asked(V1);
    for (const minutes of [1, 2, 4, 8, 15, 15]) {
      now += minutes * 60_000 - 1;
      await refresh();
      assert.equal(asked(V1), before, `not within ${minutes} min`);
      now += 1;
      await refresh();
      assert.equal(asked(V1), before + 1, `after ${minutes} min`);
      before = asked(V1);
    }
  });

  test("is there as soon as it answers, and then fails instead of missing", async () => {
    let now = 0;
    const { client, state, asked } = await flaky({ clock: { ...realClock, elapsed: () => now } });
    await failsAs(client.listInstances(undefined), "unsupported");
    state.broken = false;
    now += 60_000;
    await client.listInstances(undefined);
    const older = asked(V0);
    state.broken = true;
    await failsAs(client.listInstances(undefined), "unexpected-reply");
    assert.equal(asked(V0), older);
  });

  test("is asked at once after a refresh by hand", async () => {
    const { client, asked } = await flaky();
    await failsAs(client.listInstances(undefined), "unsupported");
    client.forgetMissingEndpoints();
    await failsAs(client.listInstances(undefined), "unsupported");
    assert.equal(asked(V1), 6);
  });

  test("the older list stands in only while the paged one is believed missing", async () => {
    const { client, count } = await serve((request, response) => {
      if (request.url?.startsWith(V1)) response.writeHead(500).end("");
      else response.end('{"instances":[]}');
    }, QUICK);
    await failsAs(client.listInstances(undefined), "server");
    assert.equal(count(), 3);
    const old = await serve((request, response) => {
      if (request.url?.startsWith(V1)) response.writeHead(404).end("");
      else response.end('{"instances":[{"id":7}]}');
    }, QUICK);
    assert.equal((await old.client.listInstances(undefined)).rows.length, 1);
  });
});

test("a call about one thing teaches nothing about the next", async () => {
  const { client, count } = await serve((_, response) => response.writeHead(405).end(""), QUICK);
  for (const id of [7, 8]) await failsAs(client.rebootInstance(id as InstanceId), "unsupported");
  assert.equal(count(), 2);
});
