// The sandbox as an HTTP service: who may ask (interface 5), how errors look (7), what repeats, what survives, what fails on purpose.
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { after, before, describe, test } from "node:test";
import { routes } from "../../../src/sandbox/base/routes.ts";
import type { RequestLine } from "../../../src/sandbox/http/request-line.ts";
import { startSandbox } from "../../../src/sandbox/start.ts";
import { World } from "../../../src/sandbox/world/world.ts";
import { Bench } from "../support/sandbox.ts";

let bench: Bench;
const lines: RequestLine[] = [];
before(async () => {
  bench = await Bench.start({ requests: (line) => lines.push(line) });
});
after(() => bench.sandbox.stop());

const image = "pytorch/pytorch";
const requests = Object.values(routes).map(({ method, path }) => [method, path.replace("{id}", "1")] as const);

describe("5 authentication", () => {
  for (const [method, path] of requests) {
    for (const key of [null, "wrong", `${"x".repeat(48)}`]) {
      test(`5 rules 1 and 2: ${method} ${path} with ${key === null ? "no key" : "a wrong key"} (${key?.length ?? 0})`, async () => {
        const { status, body } = await bench.ask(method, path, { key });
        assert.deepEqual([status, body], [401, { success: false, error: "auth_error", msg: "Invalid user key" }]);
      });
    }
  }

  for (const header of ["", "Basic abc", "Bearer", "KEY", "bearer KEY extra"]) {
    test(`5 rule 1: the header “${header}” is no bearer key`, async () => {
      const authorization = header.replace("KEY", bench.sandbox.apiKey);
      const answer = await fetch(`${bench.sandbox.url}/api/v0/users/current/`, { headers: { authorization } });
      assert.equal(answer.status, 401);
    });
  }

  test("5 rule 3: template search needs user_read, other calls do not", async () => {
    bench.sandbox.world.addKey("narrow-key", ["instance_read"]);
    const refused = await bench.ask("GET", "/api/v0/template/", { key: "narrow-key" });
    assert.equal(refused.status, 403);
    assert.match(refused.body.msg as string, /user_read/);
    assert.equal((await bench.ask("GET", "/api/v1/instances/", { key: "narrow-key" })).status, 200);
  });

  test("extra: current user has an id and credit, and no key", async () => {
    const { body } = await bench.ask("GET", "/api/v0/users/current/");
    assert.equal(typeof body.credit, "number");
    assert.equal(typeof body.email, "string");
    assert.ok(!JSON.stringify(body).includes(bench.sandbox.apiKey));
    assert.equal(body.api_key, undefined);
  });
});

describe("7 errors", () => {
  const cases: [string, string, string, number][] = [
    ["an unknown path", "GET", "/api/v0/nothing/", 404],
    ["another method on a path", "DELETE", "/api/v0/bundles/", 405],
    ["OPTIONS", "OPTIONS", "/api/v0/bundles/", 405],
    ["an id that is no number", "GET", "/api/v0/instances/abc/", 400],
    ["the id 0", "GET", "/api/v0/instances/0/", 400],
    ["an id that cannot be held exactly", "GET", "/api/v0/instances/9007199254740993/", 400],
  ];
  for (const [name, method, path, status] of cases) {
    test(`7 ${name} is answered with ${status} and the error body`, async () => {
      const answer = await bench.ask(method, path);
      assert.equal(answer.status, status);
      assert.equal(answer.type, "application/json");
      assert.deepEqual(Object.keys(answer.body), ["success", "error", "msg"]);
      assert.equal(answer.body.success, false);
    });
  }

  for (const text of ["{", "nonsense", '{"image":']) {
    test(`7 the body ${text} is refused with 400`, async () => {
      assert.equal((await bench.ask("PUT", "/api/v0/asks/1/", { text })).status, 400);
    });
  }

  for (const body of [null, 7, "text", []]) {
    test(`7 the body ${JSON.stringify(body)} is refused with 400 by search and create`, async () => {
      assert.equal((await bench.ask("POST", "/api/v0/bundles/", { body })).status, 400);
      assert.equal((await bench.ask("PUT", "/api/v0/asks/1/", { body })).status, 400);
    });
  }

  test("7 a body above 1 MB is refused with 413", async () => {
    const answer = await bench.ask("POST", "/api/v0/bundles/", { text: JSON.stringify({ x: "x".repeat(1_000_001) }) });
    assert.equal(answer.status, 413);
  });

  test("HEAD is answered without a body", async () => {
    const response = await fetch(`${bench.sandbox.url}/api/v0/bundles/`, { method: "HEAD" });
    assert.equal(await response.text(), "");
    assert.ok(response.status >= 400);
  });

  test("a missing trailing slash is forgiven", async () => {
    assert.equal((await bench.ask("GET", "/api/v0/template")).status, 200);
    assert.equal((await bench.ask("POST", "/api/v0/bundles", { body: { limit: 1 } })).status, 200);
  });

  test("a GET with a body, as the public command line sends it, is answered", async () => {
    const { port, apiKey } = bench.sandbox;
    const socket = connect(port, "127.0.0.1");
    const body = '{"client_id":"me"}';
    socket.write(
      `GET /api/v1/instances/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${apiKey}\r\n` +
        `Content-Length: ${body.length}\r\n\r\n${body}`,
    );
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk;
    });
    await once(socket, "end");
    assert.match(text, /^HTTP\/1\.1 200/);
  });
});

test("request lines hold what was asked and no secret", async () => {
  const body = { image, image_login: "-u me -p hunter22 r.example", env: { KEY: bench.sandbox.apiKey, A: "b" } };
  lines.length = 0;
  await bench.create(1, body);
  await bench.ask("PUT", "/api/v0/asks/1/", { body, key: "wrong" });
  await bench.ask("PUT", "/api/v0/asks/1/", { text: `${JSON.stringify(body)}!` });
  await bench.ask("GET", "/api/v1/instances/", { query: { limit: "3", after_token: bench.sandbox.apiKey } });
  assert.deepEqual(
    lines.map((line) => line.status),
    [404, 401, 400, 400],
  );
  assert.deepEqual([lines[0]?.method, lines[0]?.path], ["PUT", "/api/v0/asks/1/"]);
  assert.deepEqual(lines[0]?.body, { image, image_login: "••••", env: { KEY: "••••", A: "b" } });
  assert.equal(lines[3]?.query.limit, "3");
  const text = JSON.stringify(lines);
  assert.ok(!text.includes("hunter22") && !text.includes(bench.sandbox.apiKey));
});

describe("the world", () => {
  const market = (world: World) =>
    world.offers.map(({ id, price, fate, machine }) => [id, price, fate, machine.gpu.name]);

  test("the same seed gives the same market and key, another seed another", () => {
    const [one, same, other] = [new World({ seed: 5 }), new World({ seed: 5 }), new World({ seed: 6 })];
    assert.deepEqual(market(one), market(same));
    assert.equal(one.apiKey, same.apiKey);
    assert.notDeepEqual(market(one), market(other));
    assert.notEqual(one.apiKey, other.apiKey);
  });

  test("a server that stops and starts again on its port finds everything as it was", async () => {
    const first = await startSandbox({ seed: 9 });
    const own = new Bench(first, bench.clock);
    const { id } = await own.created({ image, label: "kept" });
    await first.stop();
    await assert.rejects(fetch(first.url));
    const second = await startSandbox({ world: first.world, port: first.port });
    assert.deepEqual([second.url, second.apiKey], [first.url, first.apiKey]);
    assert.equal((await new Bench(second, bench.clock).instance(id)).label, "kept");
    await second.stop();
  });

  test("a port that is taken is refused with a sentence", async () => {
    await assert.rejects(startSandbox({ port: bench.sandbox.port }), new RegExp(`port ${bench.sandbox.port}.*in use`));
  });

  test("stop ends connections that are open", async () => {
    const sandbox = await startSandbox();
    const socket = connect(sandbox.port, "127.0.0.1");
    await once(socket, "connect");
    const closed = once(socket, "close");
    await sandbox.stop();
    await closed;
  });
});

describe("faults", () => {
  const count = () => bench.sandbox.world.listInstances().length;

  test("create-lost: the instance exists, the connection ends without an answer", async () => {
    const before = count();
    bench.sandbox.faults.add("create-lost");
    await assert.rejects(bench.create(bench.freeOffer().id, { image }));
    bench.sandbox.faults.clear();
    assert.equal(count(), before + 1);
  });

  test("create-502: the instance exists, the answer is a web page; other calls are served", async () => {
    const before = count();
    bench.sandbox.faults.add("create-502");
    const { url, apiKey } = bench.sandbox;
    const response = await fetch(`${url}/api/v0/asks/${bench.freeOffer().id}/`, {
      method: "PUT",
      headers: { authorization: `Bearer ${apiKey}` },
      body: JSON.stringify({ image }),
    });
    assert.equal((await bench.ask("GET", "/api/v1/instances/")).status, 200);
    bench.sandbox.faults.clear();
    assert.deepEqual([response.status, response.headers.get("content-type")], [502, "text/html"]);
    assert.equal(count(), before + 1);
  });

  test("down: nothing is carried out and nothing answered", async () => {
    const before = count();
    bench.sandbox.faults.add("down");
    await assert.rejects(bench.create(bench.freeOffer().id, { image }));
    await assert.rejects(bench.ask("GET", "/nowhere"));
    bench.sandbox.faults.clear();
    assert.equal(count(), before);
  });

  test("slow: the answer waits, and a stop drops it", async () => {
    const sandbox = await startSandbox({ faults: ["slow"] });
    const asked = fetch(`${sandbox.url}/api/v0/users/current/`, { signal: AbortSignal.timeout(200) });
    await assert.rejects(asked, { name: "TimeoutError" });
    await sandbox.stop();
  });
});
