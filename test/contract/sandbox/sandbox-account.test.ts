// What belongs to the account, judged by the interface document's sections 2.5 to 2.7, 4.10, 4.11, 4.13 and 5; and extras.
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import type { RequestLine } from "../../../src/sandbox/http/request-line.ts";
import { FOREIGN_KEY_ID, KEY_IDS } from "../../../src/sandbox/world/keys.ts";
import { assertRefused } from "../support/fields.ts";
import { Bench, type Json } from "../support/sandbox.ts";

let bench: Bench;
const lines: RequestLine[] = [];
beforeEach(async () => {
  lines.length = 0;
  bench = await Bench.start({ requests: (line) => lines.push(line) });
});
afterEach(() => bench.sandbox.stop());

const get = async (path: string) => (await bench.ask("GET", path)).body;
const textOf = (id: number) => bench.sandbox.world.keys.getText(id) ?? "";

test("4.10 webhooks have every field of 2.5 with its type", async () => {
  const { success, webhooks } = await get("/api/v0/webhooks/");
  assert.equal(success, true);
  const rows = webhooks as Json[];
  assert.ok(rows.length >= 2);
  for (const row of rows) {
    for (const field of ["id", "user_id", "created_at", "updated_at"]) assert.ok(Number.isInteger(row[field]), field);
    assert.match(row.webhook_url as string, /^https:\/\//);
    assert.ok((row.event_types as unknown[]).every((one) => typeof one === "string"));
    assert.ok(row.name === null || typeof row.name === "string");
    assert.ok(!Object.keys(row).some((field) => field.includes("secret")));
  }
  const events = rows.flatMap((row) => row.event_types as string[]);
  for (const named of ["low_disk_space", "near_end_date"]) assert.ok(events.includes(named), `6 ${named}`);
});

test("4.11 workergroups have every field of 2.6 with its type, over two endpoints", async () => {
  const { success, results } = await get("/api/v0/autojobs/");
  const rows = results as Json[];
  assert.equal(success, true);
  for (const row of rows) {
    for (const field of ["id", "cold_workers", "template_id", "endpoint_id", "created_at", "user_id"])
      assert.ok(Number.isInteger(row[field]), field);
    for (const field of ["min_load", "target_util", "cold_mult", "gpu_ram"]) assert.equal(typeof row[field], "number");
    for (const field of ["template_hash", "launch_args", "endpoint_name", "api_key"])
      assert.equal(typeof row[field], "string");
    assert.ok((row.gpu_ram as number) >= 8000, "1 convention 1: MB");
    assert.equal(typeof row.search_query, "object");
    assert.ok((row.target_util as number) <= 1);
    const template = bench.sandbox.world.templates.findByHash(row.template_hash as string);
    assert.equal(template?.id, row.template_id);
  }
  assert.equal(new Set(rows.map((row) => row.endpoint_id)).size, 2);
  const keys = new Map(rows.map((row) => [row.endpoint_id, row.api_key]));
  for (const row of rows) assert.equal(row.api_key, keys.get(row.endpoint_id), "the key is tied to the endpoint");
});

describe("4.13 delete API key", () => {
  const remove = (id: unknown) => bench.ask("DELETE", `/api/v0/auth/apikeys/${id}/`);
  const ids = async () => ((await get("/api/v0/auth/apikeys/")).apikeys as Json[]).map((row) => row.id);

  test("4.13 a user-created key: a bare sentence, and that bearer no longer works", async () => {
    const key = textOf(KEY_IDS.readOnly);
    assert.equal((await bench.ask("GET", "/api/v0/users/current/", { key })).status, 200);
    const { status, body } = await remove(KEY_IDS.readOnly);
    assert.deepEqual([status, body], [200, "Successfully Deleted API Key"]);
    assert.equal((await bench.ask("GET", "/api/v0/users/current/", { key })).status, 401);
    assert.ok(!(await ids()).includes(KEY_IDS.readOnly));
  });

  const rows: [string, unknown, number, string][] = [
    ["the primary key", KEY_IDS.primary, 400, "You cannot delete your primary key."],
    ["a key not created by the user", KEY_IDS.instance, 400, "Only user-created API keys can be deleted."],
    ["a key nobody has", 123, 404, "API Key not found."],
    ["somebody else's key", FOREIGN_KEY_ID, 401, "You do not have permission to delete this API Key."],
  ];
  for (const [name, id, status, msg] of rows)
    test(`4.13 ${name} is refused with ${status}`, async () => {
      const before = await ids();
      assertRefused(await remove(id), status, msg);
      assert.deepEqual(await ids(), before);
    });

  for (const id of ["0", "-1", "abc", "1.5", "9007199254740993"])
    test(`4.13 the id ${id} is no integer id`, async () => assert.equal((await remove(id)).status, 400));

  test("4.13 a key may delete itself", async () => {
    const key = textOf(KEY_IDS.full);
    assert.equal((await bench.ask("DELETE", `/api/v0/auth/apikeys/${KEY_IDS.full}/`, { key })).status, 200);
    assert.equal((await bench.ask("GET", "/api/v0/auth/apikeys/", { key })).status, 401);
  });

  test("extra: the list of keys never shows one", async () => {
    const { apikeys } = await get("/api/v0/auth/apikeys/");
    for (const row of apikeys as Json[]) assert.equal(row.key, null);
    assert.ok(!JSON.stringify(apikeys).includes("sandbox-"));
  });
});

describe("5 permissions", () => {
  const cases: [keyof typeof KEY_IDS, string, string, unknown, string | undefined][] = [
    ["host", "GET", "/api/v0/template/", undefined, "user_read"],
    ["readOnly", "GET", "/api/v0/template/", undefined, undefined],
    ["readOnly", "PUT", "/api/v0/asks/1/", { image: "a" }, "instance_write"],
    ["readOnly", "POST", "/api/v0/template/", {}, "user_write"],
    ["readOnly", "DELETE", "/api/v0/template/", {}, "user_write"],
    ["readOnly", "DELETE", "/api/v0/auth/apikeys/1/", undefined, "user_write"],
    ["readOnly", "PUT", "/api/v0/machines/create_bids/", {}, "machine_write"],
    ["readOnly", "POST", "/api/v0/volumes/unlist", {}, "machine_write"],
    ["host", "GET", "/api/v0/instances/1/", undefined, "instance_read"],
    ["host", "GET", "/api/v0/webhooks/", undefined, "user_read"],
    ["readOnly", "POST", "/api/v0/bundles/", {}, undefined],
  ];
  for (const [name, method, path, body, lacks] of cases)
    test(`5 the key “${name}” on ${method} ${path}: ${lacks ?? "allowed"}`, async () => {
      const answer = await bench.ask(method, path, {
        key: textOf(KEY_IDS[name]),
        ...(body === undefined ? {} : { body }),
      });
      if (lacks === undefined) assert.equal(answer.status, 200);
      else assertRefused(answer, 403, new RegExp(lacks));
    });
});

describe("extras: SSH keys, spending, event types", () => {
  const add = (ssh_key: unknown) => bench.ask("POST", "/api/v0/ssh/", { body: { ssh_key } });
  const list = async () => (await get("/api/v0/ssh/")) as unknown as Json[];

  test("a public key is added once, with or without another comment", async () => {
    const before = (await list()).length;
    const answer = await add("ssh-ed25519 AAAAnewkey me@userData\n");
    assert.deepEqual([answer.status, answer.body.success], [200, true]);
    assertRefused(await add("ssh-ed25519 AAAAnewkey other"), 400, /already exists/);
    const rows = await list();
    assert.equal(rows.length, before + 1);
    for (const row of rows) assert.ok(Number.isInteger(row.id) && /^ssh-/.test(row.public_key as string));
  });

  for (const key of [undefined, null, 7, "", "hello", "ssh-rsa"])
    test(`${JSON.stringify(key) ?? "no key"} is refused`, async () => assert.equal((await add(key)).status, 400));

  test("a private key is refused and never written down", async () => {
    const secret = "-----BEGIN OPENSSH PRIVATE KEY-----\nc2VjcmV0\n-----END OPENSSH PRIVATE KEY-----";
    assertRefused(await add(secret), 400, /private/);
    assert.ok(!JSON.stringify(lines).includes("c2VjcmV0"));
  });

  test("spend rate is what the bill grows by", async () => {
    await bench.created({ image: "a/b", disk: 50 });
    bench.clock.advance(120);
    const rate = await get("/api/v0/users/spend-rate/");
    const hourly = (rate.gpu_cost_per_hour as number) + (rate.container_storage_cost_per_hour as number);
    const before = (await get("/api/v0/users/current/")).credit as number;
    bench.clock.advance(3600);
    const after = (await get("/api/v0/users/current/")).credit as number;
    assert.ok(hourly > 0 && Math.abs(before - after - hourly) < 1e-5);
  });

  test("event types have a slug and a name", async () => {
    const types = (await get("/api/v0/notification-types/")).notification_types as Json[];
    assert.ok(types.some((type) => type.slug === "low_disk_space"));
    assert.ok(types.every((type) => typeof type.display_name === "string"));
  });
});
