// What goes wrong on purpose, by name, and the two flags that make the sandbox another server.
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { after, afterEach, before, describe, test } from "node:test";
import { documented } from "../../../src/api/table/documented.ts";
import { routes } from "../../../src/sandbox/base/routes.ts";
import { FAULTS, type FaultSpec, isFaultSpec } from "../../../src/sandbox/faults/faults.ts";
import type { RequestLine } from "../../../src/sandbox/http/request-line.ts";
import { Bench, type Json } from "../support/sandbox.ts";

let bench: Bench;
const lines: RequestLine[] = [];
before(async () => {
  bench = await Bench.start({ requests: (line) => lines.push(line) });
});
afterEach(() => {
  bench.sandbox.faults.clear();
  lines.length = 0;
});
after(() => bench.sandbox.stop());

const image = "a/b";
const count = () => bench.sandbox.world.listInstances().length;
const strike = (...specs: FaultSpec[]) => {
  for (const spec of specs) bench.sandbox.faults.add(spec);
};

function raw(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${bench.sandbox.apiKey}` };
  return fetch(bench.sandbox.url + path, { headers, redirect: "manual", ...init });
}
const user = (init: RequestInit = {}) => raw("/api/v0/users/current/", init);
const create = (init: RequestInit = {}) =>
  raw(`/api/v0/asks/${bench.freeOffer().id}/`, {
    method: "PUT",
    body: JSON.stringify({ image, label: "one" }),
    ...init,
  });

describe("faults in the answer", () => {
  const cases: [FaultSpec, number, RegExp, string][] = [
    ["500", 500, /internal_error/, "application/json"],
    ["502-html", 502, /^<html>/, "text/html"],
    ["503-retry", 503, /unavailable/, "application/json"],
    ["429", 429, /^API requests too frequent: endpoint threshold=4\.5$/, "text/plain; charset=utf-8"],
    ["401", 401, /auth_error/, "application/json"],
    ["403", 403, /permission/, "application/json"],
    ["html-200", 200, /^<!doctype html>/, "text/html"],
    ["empty", 200, /^$/, "application/json"],
    ["null-body", 200, /^null$/, "application/json"],
    ["wrong-content-type", 200, /"credit"/, "text/plain"],
  ];
  for (const [fault, status, body, type] of cases)
    test(`${fault}: ${status}, ${type}`, async () => {
      strike(fault);
      const response = await user();
      assert.deepEqual([response.status, response.headers.get("content-type")], [status, type]);
      assert.match(await response.text(), body);
      assert.equal(lines[0]?.status, status);
    });

  test("503-retry says when; redirect leads to another origin and carries nothing out", async () => {
    strike("503-retry");
    assert.equal((await user()).headers.get("retry-after"), "1");
    bench.sandbox.faults.clear();
    strike("redirect");
    const before = count();
    const response = await create();
    assert.equal(response.status, 302);
    assert.notEqual(new URL(response.headers.get("location") ?? "").origin, bench.sandbox.url);
    assert.equal(count(), before);
  });

  test("invalid-utf8: the bytes are no text", async () => {
    strike("invalid-utf8");
    const bytes = await (await user()).arrayBuffer();
    assert.throws(() => new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    assert.equal(typeof JSON.parse(new TextDecoder().decode(bytes)).credit, "number");
  });

  const ids: [FaultSpec, (body: Json, text: string) => void][] = [
    ["success-true-without-id", (body) => assert.deepEqual(body, { success: true })],
    ["success-false-with-id", (body) => assert.ok(body.success === false && Number.isInteger(body.new_contract))],
    ["id-as-string", (body) => assert.match(body.new_contract as string, /^\d+$/)],
    ["unsafe-id", (_, text) => assert.match(text, /"new_contract":9007199254740993/)],
  ];
  for (const [fault, judge] of ids)
    test(`${fault}: rented all the same`, async () => {
      strike(fault);
      const before = count();
      const text = await (await create()).text();
      judge(JSON.parse(text) as Json, text);
      assert.equal(count(), before + 1);
    });

  test("id-of-other: the id is of an instance this account does not have", async () => {
    strike("id-of-other");
    const { new_contract } = (await (await create()).json()) as Json;
    assert.equal(await bench.instance(new_contract), null);
  });

  test("status-strange: in one instance and in the list", async () => {
    const { id } = await bench.created({ image });
    strike("status-strange");
    assert.equal((await bench.instance(id)).actual_status, "frobnicating");
    const { body } = await bench.ask("GET", "/api/v1/instances/");
    assert.equal((body.instances as Json[])[0]?.actual_status, "frobnicating");
  });

  test("without-uptime: of a running instance", async () => {
    const { id } = await bench.created({ image });
    bench.clock.advance(200);
    assert.equal(typeof (await bench.instance(id)).uptime_mins, "number");
    strike("without-uptime");
    assert.ok(!("uptime_mins" in (await bench.instance(id))));
  });

  test("stopped-is-exited: what somebody stopped, and nothing else", async () => {
    strike("stopped-is-exited");
    const [stopped, running] = [await bench.created({ image }), await bench.created({ image })];
    bench.clock.advance(200);
    await bench.ask("PUT", `/api/v0/instances/${stopped.id}/`, { body: { state: "stopped" } });
    bench.clock.advance(200);
    const { actual_status, intended_status } = await bench.instance(stopped.id);
    assert.deepEqual([actual_status, intended_status], ["exited", "stopped"]);
    const { body } = await bench.ask("GET", "/api/v1/instances/");
    const statusOf = (id: unknown) => (body.instances as Json[]).find((row) => row.id === id)?.actual_status;
    assert.deepEqual([statusOf(stopped.id), statusOf(running.id)], ["exited", "running"]);
  });

  test("lagging-list: a new instance is missing from two lists, then it is there", async () => {
    strike("lagging-list");
    const { id } = await bench.created({ image });
    const seen: boolean[] = [];
    for (let nth = 0; nth < 3; nth += 1) {
      const { body } = await bench.ask("GET", "/api/v1/instances/");
      seen.push((body.instances as Json[]).some((row) => row.id === id));
    }
    assert.deepEqual(seen, [false, false, true]);
  });
});

describe("faults on the wire", () => {
  for (const [fault, carriedOut] of [
    ["reset-before", 0],
    ["reset-after", 1],
  ] as const)
    test(`${fault}: the connection is reset`, async () => {
      strike(fault);
      const before = count();
      await assert.rejects(create());
      assert.equal(count(), before + carriedOut);
    });

  test("truncated: less than content-length promised", async () => {
    strike("truncated");
    const response = await user();
    await assert.rejects(response.text());
  });

  test("silence: nothing, until the client gives up", async () => {
    strike("silence");
    await assert.rejects(user({ signal: AbortSignal.timeout(200) }), { name: "TimeoutError" });
  });

  test("endless-drip: bytes, but no end", async () => {
    strike("endless-drip");
    const response = await user({ signal: AbortSignal.timeout(300) });
    await assert.rejects(response.text());
  });

  test("huge-body: 50 MB of good JSON", async () => {
    strike("huge-body");
    let bytes = 0;
    for await (const chunk of (await user()).body ?? []) bytes += (chunk as Uint8Array).length;
    assert.ok(bytes > 50_000_000);
  });

  test("gzip-bomb: about 1 MB that unpacks to 1 GB", async () => {
    strike("gzip-bomb");
    const socket = connect(bench.sandbox.port, "127.0.0.1");
    const head = `GET /api/v0/users/current/ HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${bench.sandbox.apiKey}\r\n`;
    socket.write(`${head}Connection: close\r\n\r\n`);
    let [bytes, first] = [0, ""];
    socket.on("data", (chunk) => {
      if (bytes === 0) first = chunk.toString("latin1");
      bytes += chunk.length;
    });
    await once(socket, "end");
    assert.match(first, /content-encoding: gzip/i);
    assert.ok(bytes > 900_000 && bytes < 2_000_000, `${bytes}`);
  });
});

describe("faults in time", () => {
  test("late-execution: rented after the client gave up", async () => {
    strike("late-execution");
    const before = count();
    await assert.rejects(create({ signal: AbortSignal.timeout(200) }));
    assert.equal(count(), before);
    await new Promise((resolve) => setTimeout(resolve, 300));
    assert.equal(count(), before + 1);
  });

  test("twice: two rentals with one label, one answer, two request lines", async () => {
    strike("twice");
    const before = count();
    const { new_contract } = (await (await create()).json()) as Json;
    assert.equal(count(), before + 2);
    assert.equal((await bench.instance(new_contract)).label, "one");
    assert.equal(lines.filter((line) => line.method === "PUT").length, 2);
  });
});

describe("faults by name", () => {
  test("name@endpoint strikes there and nowhere else", async () => {
    strike("500@getCurrentUser", "lagging-list@listInstances");
    assert.equal((await user()).status, 500);
    assert.equal((await raw("/api/v1/instances/")).status, 200);
  });

  test("every name is known, alone and at every endpoint; others are not", () => {
    for (const [name, { on }] of Object.entries(FAULTS))
      for (const endpoint of Object.keys(routes))
        assert.deepEqual([isFaultSpec(name), isFaultSpec(`${name}@${endpoint}`)], [true, on !== "ssh"], name);
    for (const wrong of ["", "nothing", "500@nowhere", "@getInstance", "toString"])
      assert.ok(!isFaultSpec(wrong), wrong);
  });
});

describe("--only-documented", () => {
  let small: Bench;
  before(async () => {
    small = await Bench.start({ onlyDocumented: true });
  });
  after(() => small.sandbox.stop());

  for (const [name, { method, path, shown }] of Object.entries(routes))
    test(`${shown ? "4" : "extra"} ${name} is ${shown ? "served" : "answered with 404"}`, async () => {
      const { status, body } = await small.ask(method, path.replace("{id}", "1"), method === "GET" ? {} : { body: {} });
      assert.equal(body.msg === "No such path", !shown);
      if (!shown) assert.equal(status, 404);
    });

  test("there are thirteen", () => assert.equal(Object.keys(documented).length, 13));
});

describe("--rate-limits", () => {
  test("a second call within the gap is too fast; other endpoints and other keys are not", async () => {
    const paced = await Bench.start({ rateLimits: true });
    const { url, apiKey, world } = paced.sandbox;
    const ask = (path: string, key = apiKey) => fetch(url + path, { headers: { authorization: `Bearer ${key}` } });
    assert.equal((await ask("/api/v0/webhooks/")).status, 200);
    const second = await ask("/api/v0/webhooks/");
    assert.deepEqual([second.status, second.headers.get("content-type")], [429, "text/plain; charset=utf-8"]);
    assert.equal(await second.text(), "API requests too frequent: endpoint threshold=2.0");
    assert.equal((await ask("/api/v0/autojobs/")).status, 200);
    world.addKey("another-key", ["user_read"]);
    assert.equal((await ask("/api/v0/webhooks/", "another-key")).status, 200);
    assert.equal((await ask("/api/v0/auth/apikeys/")).status, 200);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    assert.equal((await ask("/api/v0/auth/apikeys/")).status, 200);
    await paced.sandbox.stop();
  });
});
