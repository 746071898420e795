// Logs of an instance on the sandbox (an extra): an address that works without a key, and a text that grows.
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { Bench, type Json } from "../support/sandbox.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.start();
});
afterEach(() => bench.sandbox.stop());

async function running(): Promise<Json> {
  const made = await bench.created({ image: "pytorch/pytorch:latest" });
  bench.clock.advance(120);
  return bench.instance(made.id);
}

describe("extra: logs", () => {
  const request = (id: unknown, body: unknown = {}) =>
    bench.ask("PUT", `/api/v0/instances/request_logs/${id}/`, { body });
  const read = async (id: unknown, body: unknown = {}) => {
    const { result_url } = (await request(id, body)).body;
    const response = await fetch(result_url as string);
    assert.match(response.headers.get("content-type") ?? "", /^text\/plain/);
    assert.equal(response.status, 200);
    return response.text();
  };

  test("the address works without a key, and the log grows", async () => {
    const { id } = await running();
    bench.clock.advance(60);
    const first = await read(id);
    bench.clock.advance(60);
    const later = await read(id);
    assert.ok(later.startsWith(first) && later.length > first.length);
  });

  test("tail, filter and daemon_logs", async () => {
    const { id } = await running();
    bench.clock.advance(600);
    assert.equal((await read(id, { tail: "3" })).trim().split("\n").length, 3);
    const loss = (await read(id, { filter: "loss" })).trim().split("\n");
    assert.ok(loss.length > 5 && loss.every((line) => line.includes("loss")));
    assert.match(await read(id, { daemon_logs: "true" }), /daemon/);
    assert.equal((await request(id, { tail: "many" })).status, 400);
  });

  test("a log longer than what is served goes on: the last lines are new ones, and the others are as before", async () => {
    const { id } = await running();
    bench.clock.advance(100_000);
    const before = (await read(id)).split("\n");
    bench.clock.advance(300);
    const after = (await read(id)).split("\n");
    assert.equal(after.length, before.length);
    assert.deepEqual(after.slice(0, -21), before.slice(20, -1));
    assert.notEqual(after.at(-2), before.at(-2));
  });

  test("no instance, no log", async () => {
    assert.deepEqual((await request(12345)).status, 404);
    assert.equal((await fetch(`${bench.sandbox.url}/logs/unknown`)).status, 404);
  });
});
