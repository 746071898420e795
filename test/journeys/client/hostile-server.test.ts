// The client against servers that say no, lie or fall silent: each ends with its own sentence, and what spends is sent once.
import assert from "node:assert/strict";
import type { RequestListener } from "node:http";
import { describe, test } from "node:test";
import type { ErrorKind } from "../../../src/domain/base/error.ts";
import type { OfferId } from "../../../src/domain/base/id.ts";
import { BODY, failsAs, ID, OFFER, serve } from "./hostile.ts";

describe("answers of every kind to a read", () => {
  const json = (status: number, value: unknown) => ({
    status,
    text: typeof value === "string" ? value : JSON.stringify(value),
  });
  const cases: readonly [
    name: string,
    answer: { status: number; text: string },
    kind: ErrorKind,
    says: RegExp,
    calls: number,
  ][] = [
    ["401", json(401, { error: "auth_error", msg: "Invalid user key" }), "key-refused", /API key/, 1],
    ["404 auth_error", json(404, { error: "auth_error", msg: "Invalid user key" }), "key-refused", /API key/, 1],
    ["403", json(403, { error: "forbidden", msg: "needs instance_read" }), "not-allowed", /needs instance_read/, 1],
    ["401 two factor", json(401, { msg: "Two Factor Authentication required" }), "not-allowed", /Two Factor/, 1],
    [
      "400 msg",
      json(400, { success: false, error: "invalid_args", msg: "error 400/12: limit is wrong" }),
      "rejected",
      /^limit is wrong$/,
      1,
    ],
    ["400 message", json(400, { message: "wrong" }), "rejected", /^wrong$/, 1],
    ["400 plain text", json(400, "no good"), "rejected", /^no good$/, 1],
    ["400 empty", json(400, ""), "rejected", /gave no reason/, 1],
    ["200 success false", json(200, { success: false, msg: "not now" }), "rejected", /^not now$/, 1],
    ["500", json(500, { error: "oops", msg: "boom" }), "server", /500.*boom/, 3],
    ["502 HTML", json(502, "<html><b>Bad Gateway</b></html>"), "server", /^[^<]*502[^<]*$/, 3],
    ["200 HTML", json(200, "<!DOCTYPE html><html></html>"), "unexpected-reply", /web page/, 1],
    ["200 with any tag", json(200, "<h1>It works!</h1>"), "unexpected-reply", /web page/, 1],
    ["200 with a comment", json(200, "<!-- served by x --><p>"), "unexpected-reply", /web page/, 1],
    ["200 with a less-than", json(200, "< 3 of them"), "unexpected-reply", /isn't JSON/, 3],
    ["200 empty", json(200, ""), "unexpected-reply", /was empty/, 3],
    ["200 truncated", json(200, '{"offers": [1, 2'), "unexpected-reply", /isn't JSON/, 3],
    ["200 null", json(200, "null"), "unexpected-reply", /expected format/, 1],
    ["200 array", json(200, "[]"), "unexpected-reply", /expected format/, 1],
    ["200 offers as object", json(200, { offers: { a: 1 } }), "unexpected-reply", /expected format/, 1],
  ];
  for (const [name, { status, text }, kind, says, calls] of cases) {
    test(name, async () => {
      const { client, count } = await serve((_, response) =>
        response.writeHead(status, { "content-type": "application/json" }).end(text),
      );
      await failsAs(client.searchOffers({}), kind, says);
      assert.equal(count(), calls, "number of requests");
    });
  }

  test("429 in plain text slows down and is tried again", async () => {
    let calls = 0;
    const { client } = await serve((_, response) => {
      calls += 1;
      if (calls === 1) response.writeHead(429).end("API requests too frequent: endpoint threshold=0.2");
      else response.end('{"offers": []}');
    });
    assert.deepEqual((await client.searchOffers({})).rows, []);
    assert.equal(calls, 2);
  });

  test("good JSON under a wrong content type is read", async () => {
    const { client } = await serve((_, response) =>
      response.writeHead(200, { "content-type": "text/html" }).end('{"offers":[{"id":1}]}'),
    );
    assert.equal((await client.searchOffers({})).rows.length, 1);
  });

  test("instances: null means the instance is gone", async () => {
    const { client } = await serve((_, response) => response.end('{"instances": null}'));
    assert.equal(await client.getInstance(ID), undefined);
  });
});

describe("calls that spend are sent one time", () => {
  const sentOnce = async (listener: RequestListener, kind: ErrorKind): Promise<void> => {
    const { client, count } = await serve(listener);
    await failsAs(client.createInstance(OFFER, BODY), kind);
    await new Promise((resolve) => setTimeout(resolve, 300));
    assert.equal(count(), 1);
  };
  for (const status of [500, 502, 503, 504]) {
    test(`${status} leaves it unknown`, () =>
      sentOnce((_, response) => response.writeHead(status).end("<html>"), "outcome-unknown"));
  }
  test("a reset before the answer leaves it unknown", () =>
    sentOnce((request) => request.socket.destroy(), "outcome-unknown"));
  test("a cut answer leaves it unknown", () =>
    sentOnce((_, response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("{", () => response.destroy());
    }, "outcome-unknown"));
  test("429 is not repeated", () =>
    sentOnce((_, response) => response.writeHead(429).end("API requests too frequent"), "too-fast"));
  test("a gone offer is gone", () =>
    sentOnce(
      (_, response) => response.writeHead(404).end('{"error":"invalid_args","msg":"error 404/3603: no_such_ask 7"}'),
      "gone",
    ));
  test("no credit is named", () =>
    sentOnce(
      (_, response) => response.writeHead(400).end('{"error":"insufficient_credit","msg":"You lack credit"}'),
      "no-credit",
    ));

  test("nobody listening is proven not sent", async () => {
    const { client, stop } = await serve((_, response) => response.end());
    stop();
    const error = await failsAs(client.createInstance(OFFER, BODY), "offline", /Couldn't reach/);
    assert.equal(error.facts.notSent, true);
  });

  test("success: false with new_contract is a rental", async () => {
    const { client } = await serve((_, response) => response.end('{"success":false,"new_contract":41}'));
    assert.deepEqual(await client.createInstance(OFFER, BODY), { instanceId: 41, success: false });
  });

  for (const new_contract of [null, 0, -1, "", 1.5, true, 2 ** 53]) {
    test(`new_contract ${JSON.stringify(new_contract)} is no id`, async () => {
      const { client } = await serve((_, response) => response.end(JSON.stringify({ success: true, new_contract })));
      assert.equal((await client.createInstance(OFFER, BODY)).instanceId, undefined);
    });
  }

  test("a request that is not valid is not sent", async () => {
    const { client, count } = await serve((_, response) => response.end("{}"));
    const error = await failsAs(client.createInstance(OFFER, { label: "x" }), "rejected", /image/);
    assert.equal(error.facts.notSent, true);
    for (const id of [1.5, 0, -1, Number.NaN, 2 ** 53, "1", undefined])
      await failsAs(client.createInstance(id as OfferId, BODY), "rejected", /“id”/);
    assert.equal(count(), 0);
  });
});

describe("waiting ends", () => {
  test("a read can be cancelled at once", async () => {
    const { client } = await serve(() => {});
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 50);
    await failsAs(client.searchOffers({}, abort.signal), "cancelled");
  });

  test("destroying what is gone already is done", async () => {
    const { client } = await serve((_, response) =>
      response.writeHead(404).end('{"success":false,"error":"no_such_instance","msg":"gone"}'),
    );
    await client.destroyInstance(ID);
  });

  test("an extra that a server lacks is named unsupported", async () => {
    for (const status of [404, 405, 410, 501]) {
      const { client } = await serve((_, response) => response.writeHead(status).end("{}"), { patience: 0.01 });
      await failsAs(client.listInstances(undefined), "unsupported", /doesn't support/);
    }
  });
});

test("the process-wide dispatcher is the same before and after requests", async () => {
  const slot = Symbol.for("undici.globalDispatcher.1");
  const before = Reflect.get(globalThis, slot);
  const { client } = await serve((_, response) => response.end('{"offers": []}'));
  await client.searchOffers({});
  assert.equal(Reflect.get(globalThis, slot), before);
});
