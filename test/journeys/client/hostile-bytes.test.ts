// Bytes that aren't the HTTP or the JSON they should be: a typed error naming the operation, or a good answer, and no harm.
import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { describe, test } from "node:test";
import { createLog } from "../../../src/lib/log.ts";
import { BODY, failsAs, ID, OFFER, serve, serveBytes } from "./hostile.ts";

const ok = (body: string, headers = "") =>
  `HTTP/1.1 200 OK\r\ncontent-length: ${Buffer.byteLength(body)}\r\n${headers}\r\n${body}`;
const NONE = '{"offers":[]}';
const FORGED = '{"offers":[{"id":666}]}';
/** Answers each request with these bytes. */
const always = (bytes: string | Buffer) => (socket: Socket) => socket.on("data", () => socket.write(bytes));
const thenEnds = (bytes: string | Buffer) => (socket: Socket) => socket.once("data", () => socket.end(bytes));

describe("what is not HTTP", () => {
  const cases: Readonly<Record<string, string | Buffer>> = {
    SSH: "SSH-2.0-OpenSSH_9.2\r\n",
    "HTTP/0.9: a body and nothing else": NONE,
    "HTTP/3 as a version": `HTTP/3.0 200 OK\r\n\r\n${NONE}`,
    SMTP: "220 mail.example ESMTP\r\n",
    "a TLS alert": Buffer.from([0x15, 0x03, 0x01, 0x00, 0x02, 0x02, 0x46]),
    "random bytes": Buffer.from(Array.from({ length: 256 }, (_, index) => 255 - index)),
    "200 KB of one header": `HTTP/1.1 200 OK\r\nx: ${"y".repeat(200_000)}\r\n\r\n${NONE}`,
    "200 KB of many headers": `HTTP/1.1 200 OK\r\n${"x: y\r\n".repeat(34_000)}\r\n${NONE}`,
    "two lengths that differ": `HTTP/1.1 200 OK\r\ncontent-length: 13\r\ncontent-length: 14\r\n\r\n${NONE}`,
    "a negative length": `HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n${NONE}`,
    "a length beside chunks": `HTTP/1.1 200 OK\r\ncontent-length: 13\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
    "a chunk's size that is none": "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
    "a status of four digits": `HTTP/1.1 2000 OK\r\n\r\n${NONE}`,
  };
  for (const [name, bytes] of Object.entries(cases)) {
    test(name, async () => {
      const { client } = await serveBytes(thenEnds(bytes), { patience: 0 });
      await failsAs(client.searchOffers({}), "unexpected-reply", /respond with valid HTTP/);
      await failsAs(client.createInstance(OFFER, BODY), "outcome-unknown", /respond with valid HTTP/);
    });
  }

  const broken: Readonly<Record<string, string>> = {
    "a status line without end": `HTTP/1.1 200 ${"O".repeat(200_000)}`,
    "a switch to another protocol": "HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n",
  };
  for (const [name, bytes] of Object.entries(broken)) {
    test(`${name} is a lost connection`, async () => {
      const { client } = await serveBytes(thenEnds(bytes), { patience: 0 });
      await failsAs(client.searchOffers({}), "offline", /the connection was lost/);
      await failsAs(client.createInstance(OFFER, BODY), "outcome-unknown", /the connection was lost/);
    });
  }

  test("an answer that calls itself HTTP/0.9 and is a good one otherwise is read", async () => {
    const { client } = await serveBytes(thenEnds(`HTTP/0.9 200 OK\r\n\r\n${NONE}`));
    assert.deepEqual((await client.searchOffers({})).rows, []);
  });

  test("a hundred interim answers, then a good one", async () => {
    const hints = "HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n".repeat(100);
    const { client } = await serveBytes(always(hints + ok(NONE)));
    assert.deepEqual((await client.searchOffers({})).rows, []);
  });

  test("interim answers without end stop at the limit of headers or of time", async () => {
    const flood = (socket: Socket) =>
      socket.once("data", () => {
        const hints = "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(1000);
        const more = () => {
          while (!socket.destroyed && socket.write(hints));
        };
        socket.on("drain", more);
        more();
      });
    const { client } = await serveBytes(flood, { within: 0.02 });
    const started = performance.now();
    const error = await client.searchOffers({}).catch((thrown) => thrown);
    assert.match(error.kind, /^(timeout|unexpected-reply)$/);
    assert.equal(error.facts.operation, "searchOffers");
    assert.ok(performance.now() - started < 3000);
  });
});

describe("two answers to one request", () => {
  test("the second is thrown away with its connection, and never read as the answer to the next", async () => {
    const { client, count } = await serveBytes(always(ok(NONE) + ok(FORGED)));
    for (let call = 0; call < 5; call += 1) assert.deepEqual((await client.searchOffers({})).rows, []);
    assert.equal(count(), 5, "a connection each");
  });

  test("also where it comes late, while nothing is asked", async () => {
    const late = (socket: Socket) =>
      socket.on("data", () => {
        socket.write(ok(NONE));
        setTimeout(() => socket.destroyed || socket.write(ok(FORGED)), 50);
      });
    const { client, count } = await serveBytes(late);
    assert.deepEqual((await client.searchOffers({})).rows, []);
    await new Promise((resolve) => setTimeout(resolve, 150));
    assert.deepEqual((await client.searchOffers({})).rows, []);
    assert.equal(count(), 2);
  });

  test("a body longer than its length", async () => {
    const { client } = await serveBytes(always(`HTTP/1.1 200 OK\r\ncontent-length: 13\r\n\r\n${NONE}garbage`));
    for (let call = 0; call < 3; call += 1) assert.deepEqual((await client.searchOffers({})).rows, []);
  });
});

describe("JSON that means harm", () => {
  const answers = async (text: string) => (await serve((_, response) => response.end(text))).client;
  const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  const deepObject = `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`;
  const unharmed = () => {
    const clean: Record<string, unknown> = {};
    assert.deepEqual([clean.polluted, clean.id, Object.keys(Object.prototype)], [undefined, undefined, []]);
    assert.equal({}.constructor, Object);
  };

  test("100,000 levels in an envelope, a list, a record and a field", async () => {
    await failsAs((await answers(deep)).searchOffers({}), "unexpected-reply", /expected format/);
    await failsAs((await answers(`{"offers":${deepObject}}`)).searchOffers({}), "unexpected-reply", /expected format/);
    assert.equal((await (await answers(`{"offers":[${deep}]}`)).searchOffers({})).unreadable, 1);
    const nested = await (await answers(`{"offers":[{"id":1,"gpu_name":${deep},"x":${deepObject}}]}`)).searchOffers({});
    assert.deepEqual([nested.rows[0]?.value.id, nested.rows[0]?.value.gpu_name], [1, undefined]);
    const template = `{"templates":[{"hash_id":"a","name":"n","extra_filters":${deepObject}}]}`;
    const [row] = (await (await answers(template)).searchTemplates({})).rows;
    assert.deepEqual([row?.value.name, row?.value.extra_filters], ["n", undefined]);
    await failsAs((await answers(`{"success":false,"msg":${deep}}`)).searchOffers({}), "rejected");
  });

  test("what is that deep, wide or strange can be logged", async () => {
    const lines: string[] = [];
    const log = createLog((_, line) => lines.push(line));
    const text = `{"offers":[{"id":1,"deep":${deepObject},"list":${deep},"__proto__":{"polluted":1},"api_key":"hidden",
      "big":1e400,"minus":-0,"long":"${"x".repeat(1_000_000)}","toJSON":"x","wide":[${"0,".repeat(100_000)}0]}]}`;
    for (const { raw } of (await (await answers(text)).searchOffers({})).rows) log.warn("odd", raw);
    assert.equal(lines.length, 1);
    assert.ok((lines[0]?.length ?? 0) < 10_000, `${lines[0]?.length} characters`);
    assert.doesNotMatch(lines[0] ?? "", /hidden/);
    unharmed();
  });

  for (const name of ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty"]) {
    test(`a key ${name} anywhere is a key and nothing more`, async () => {
      const bad = `{"polluted":true,"id":9,"offers":[{"id":9}],"prototype":{"polluted":true}}`;
      const text = `{"${name}":${bad},"offers":[{"id":1,"${name}":${bad}},{"${name}":${bad}},{"${name}":{"id":2}}]}`;
      const { rows, unreadable } = await (await answers(text)).searchOffers({});
      assert.deepEqual([rows.map((row) => row.value.id), unreadable], [[1], 2]);
      unharmed();
      const filters = `{"templates":[{"hash_id":"a","extra_filters":{"${name}":{"eq":1},"gpu_ram":{"gte":1}}}]}`;
      const [template] = (await (await answers(filters)).searchTemplates({})).rows;
      assert.deepEqual(template?.value.extra_filters?.gpu_ram, { gte: 1 });
      assert.equal(Object.getPrototypeOf(template?.value.extra_filters), Object.prototype);
      const created = `{"${name}":{"new_contract":5,"success":true}}`;
      assert.equal((await (await answers(created)).createInstance(OFFER, BODY)).instanceId, undefined);
      unharmed();
    });
  }

  test("of two equal keys the last one counts, as everywhere", async () => {
    const text = '{"offers":[{"id":1}],"offers":[{"id":2,"id":3,"dph_total":1,"dph_total":"x"}]}';
    const [row] = (await (await answers(text)).searchOffers({})).rows;
    assert.deepEqual([row?.value.id, row?.value.dph_total], [3, undefined]);
  });

  test("1e400, -0, and numbers beyond exactness", async () => {
    const numbers = '"dph_total":1e400,"gpu_ram":-1e400,"num_gpus":-0,"machine_id":9007199254740993,"min_bid":1e-400';
    const text = `{"offers":[{"id":1,${numbers}},{"id":1e400},{"id":-0},{"id":9007199254740993},{"id":1.0}]}`;
    const { rows, unreadable } = await (await answers(text)).searchOffers({});
    const { dph_total, gpu_ram, num_gpus, machine_id, min_bid } = rows[0]?.value ?? {};
    assert.deepEqual([dph_total, gpu_ram, num_gpus, machine_id, min_bid], [undefined, undefined, -0, undefined, 0]);
    assert.deepEqual([rows.length, unreadable], [1, 3]);
    for (const id of ["1e400", "-0", "9007199254740993", "1e-400"]) {
      const client = await answers(`{"success":true,"new_contract":${id}}`);
      assert.equal((await client.createInstance(OFFER, BODY)).instanceId, undefined, id);
    }
    await failsAs((await answers('{"instances":{"id":1e400}}')).getInstance(ID), "unexpected-reply");
  });
});
