// What a caller hands in is judged before a byte leaves: each refusal is an AppError that names the operation.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Client } from "../../../src/api/client.ts";
import type { OfferId } from "../../../src/domain/base/id.ts";
import type { BackgroundJobs } from "../../../src/domain/host/background-jobs.ts";
import type { CreateInstanceBody } from "../../../src/domain/launch/create-request.ts";
import { startSandbox } from "../../../src/sandbox/start.ts";
import { BODY, failsAs, ID, OFFER, serve } from "./hostile.ts";

const json = (text: string) => JSON.parse(text) as Record<string, string>;
const JOBS = { machine: 7, price_gpu: 1, price_inetu: 0, price_inetd: 0, image: "a/b" };

function nested(levels: number): unknown {
  let value: unknown = {};
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

function cyclic(): Record<string, unknown> {
  const value: Record<string, unknown> = {};
  value.self = { again: [value] };
  return value;
}

describe("ids and bodies that cannot be sent", () => {
  const cases: Readonly<Record<string, (client: Client) => Promise<unknown>>> = {
    "an id that is none": (client) => client.getInstance("../1" as unknown as typeof ID),
    "no id at all": (client) => client.destroyInstance(undefined as unknown as typeof ID),
    "a bigint in filters": (client) => client.searchOffers({ gpu_ram: { gte: 1n } } as never),
    "a bigint in a query": (client) => client.searchTemplates({ id: { eq: 1n } } as never),
    "a bigint in the filters of a list": (client) => client.listInstances({ id: { eq: 1n } } as never),
    "a value that holds itself": (client) => client.editTemplate("h" as never, { volume_info: cyclic() }),
    "20,000 levels": (client) => client.editTemplate("h" as never, { volume_info: { a: nested(20_000) } }),
    "20,000 levels of filters": (client) => client.searchOffers({ gpu_ram: nested(20_000) } as never),
    "an infinite number": (client) =>
      client.editTemplate("h" as never, { volume_info: { size: Number.POSITIVE_INFINITY } }),
    "a function": (client) => client.editTemplate("h" as never, { volume_info: { size: () => 1 } }),
    "__proto__ in a launch's environment": (client) =>
      client.createInstance(OFFER, { ...BODY, env: json('{"A":"1","__proto__":"2"}') } as CreateInstanceBody),
    "__proto__ in a job's environment": (client) =>
      client.createBackgroundJobs({ ...JOBS, env: json('{"__proto__":"2"}') } as BackgroundJobs),
    "__proto__ in filters": (client) => client.searchOffers(json('{"__proto__":{"eq":1}}') as never),
  };
  for (const [what, call] of Object.entries(cases)) {
    test(`${what}: refused, with nothing sent`, async () => {
      const { client, count } = await serve((_, response) => response.end("{}"));
      const error = await failsAs(call(client), "rejected", /^Nothing was sent\. /);
      assert.equal(error.facts.notSent, true);
      assert.equal(count(), 0);
    });
  }

  test("the name of a variable that cannot be used is said with its reason", async () => {
    const { client, count } = await serve((_, response) => response.end("{}"));
    const error = await failsAs(
      client.createInstance(OFFER, { ...BODY, env: { "9a": "1" } }),
      "rejected",
      /variable name/,
    );
    assert.deepEqual(Object.keys(error.facts.fields ?? {}), ["env.9a"]);
    assert.equal(count(), 0);
  });

  test("an object that is used twice is no cycle", async () => {
    const shared = { deep: { deeper: [1] } };
    const { client } = await serve((_, response) => response.end('{"template":{"id":5,"hash_id":"h"}}'));
    await client.editTemplate("h" as never, { volume_info: { a: shared, b: shared, c: [shared, shared] } });
  });

  test("the sandbox refuses 20,000 levels with a 400, and rents nothing", async () => {
    const lines: unknown[] = [];
    const sandbox = await startSandbox({ seed: 1, requests: (line) => lines.push(line) });
    try {
      const offer = sandbox.world.offers.find((one) => sandbox.world.isRentable(one) && one.fate === "runs");
      const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
      const response = await fetch(`${sandbox.url}/api/v0/asks/${offer?.id as OfferId}/`, {
        method: "PUT",
        headers: { authorization: `Bearer ${sandbox.apiKey}` },
        body: `{"image":"a/b","x":${deep}}`,
      });
      assert.equal(response.status, 400);
      assert.equal(((await response.json()) as { success: unknown }).success, false);
      assert.deepEqual([sandbox.world.listInstances().length, lines.length], [0, 1]);
    } finally {
      await sandbox.stop();
    }
  });
});

describe("too many requests", () => {
  test("a call whose turn would come too late is refused with the seconds to wait, and not sent", async () => {
    const { client, count } = await serve(
      (_, response) => response.writeHead(429, { "retry-after": "60" }).end("too frequent"),
      { within: 0.5 },
    );
    await failsAs(client.searchOffers({}), "too-fast");
    const sent = count();
    const error = await failsAs(client.searchOffers({}), "too-fast", /^Too many requests\. Try again in (59|60) s\.$/);
    assert.deepEqual([error.facts.notSent, count()], [true, sent]);
    assert.ok((error.facts.retryAfter ?? 0) > 50);
    await failsAs(client.listWebhooks(), "too-fast");
    assert.equal(count(), sent + 1, "other endpoints are not held up");
  });

  test("a call that spends is not sent with a moment left", async () => {
    const { client, count } = await serve((_, response) => response.end('{"success":true}'), { pace: 1, within: 0.05 });
    await client.destroyInstance(ID);
    const error = await failsAs(client.destroyInstance(ID), "too-fast", /Try again in 3 s/);
    assert.deepEqual([error.facts.notSent, count()], [true, 1]);
  });
});
