// The life of instances on the sandbox: interface document sections 2.2, 3 and 4.4, and the extras to list and destroy.
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { Bench, type Json } from "../support/sandbox.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.start();
});
afterEach(() => bench.sandbox.stop());

const image = "pytorch/pytorch:latest";
const list = (query: Record<string, string> = {}) => bench.ask("GET", "/api/v1/instances/", { query });
const credit = async () => (await bench.ask("GET", "/api/v0/users/current/")).body.credit as number;

/** Every status it shows within ten simulated minutes, each once. */
async function statuses(id: unknown): Promise<unknown[]> {
  const seen: unknown[] = [];
  for (let second = 0; second < 600; second += 2) {
    const status = (await bench.instance(id)).actual_status;
    if (seen.at(-1) !== status) seen.push(status);
    bench.clock.advance(2);
  }
  return seen;
}

test("4.4 get instance has the fields of section 2.2, and what an editor needs beside them", async () => {
  const made = await bench.created({ image, label: "mine", runtype: "ssh_direct" });
  assert.deepEqual([made.actual_status, made.label, made.ports, made.intended_status], [null, "mine", null, "running"]);
  bench.clock.advance(120);
  const record = await bench.instance(made.id);
  assert.deepEqual([record.actual_status, record.cur_state, record.next_state], ["running", "running", "running"]);
  assert.match(record.ssh_host as string, /\.invalid$/, "nobody's machine is named");
  assert.match((record.ports as Record<string, Json[]>)["22/tcp"]?.[0]?.HostPort as string, /^\d{4,5}$/);
  assert.equal(record.start_date, bench.clock.now() - 120);
  for (const field of ["gpu_util", "gpu_temp", "gpu_ram", "dph_total", "disk_usage", "reliability2"])
    assert.ok((record[field] as number) > 0, field);
});

test("4.4 an unknown id is answered with null", async () => {
  const answer = await bench.ask("GET", "/api/v0/instances/12345/");
  assert.deepEqual([answer.status, answer.body], [200, { instances: null }]);
});

describe("3 states", () => {
  test("3 a launch goes from nothing over created and loading to running", async () => {
    const { id } = await bench.created({ image });
    assert.deepEqual(await statuses(id), [null, "created", "loading", "running"]);
  });

  for (const fate of ["exited", "offline", "unknown"] as const) {
    test(`3 rule 1: a host that dies shows ${fate} and never runs`, async () => {
      const offer = bench.freeOffer();
      bench.sandbox.world.setFate(offer.id, fate);
      const { id } = await bench.created({ image }, offer);
      assert.deepEqual(await statuses(id), [null, "created", "loading", fate]);
    });
  }

  test("3 target_state stopped prepares the machine and does not start it", async () => {
    const { id } = await bench.created({ image, target_state: "stopped" });
    const seen = await statuses(id);
    assert.equal(seen.at(-1), "stopped");
    assert.ok(!seen.includes("running"));
    assert.equal((await bench.instance(id)).intended_status, "stopped");
  });

  test("3 the message says how far loading is, and loading takes 20 to 90 s", async () => {
    const { id } = await bench.created({ image });
    bench.clock.advance(6);
    const first = (await bench.instance(id)).status_msg;
    bench.clock.advance(14);
    const later = await bench.instance(id);
    assert.equal(later.actual_status, "loading");
    assert.notEqual(first, later.status_msg);
    bench.clock.advance(76);
    assert.equal((await bench.instance(id)).actual_status, "running");
  });
});

describe("extra: destroy instance", () => {
  test("destroy ends it and puts the offer back on the market", async () => {
    const offer = bench.freeOffer();
    const listed = async () => (await bench.offers({ id: { eq: offer.id } })).length;
    const { id } = await bench.created({ image }, offer);
    assert.equal(await listed(), 0);
    const answer = await bench.ask("DELETE", `/api/v0/instances/${id}/`, { body: {} });
    assert.deepEqual([answer.status, answer.body.success], [200, true]);
    assert.equal(await bench.instance(id), null);
    assert.equal(await listed(), 1);
    const again = await bench.ask("DELETE", `/api/v0/instances/${id}/`);
    assert.deepEqual([again.status, again.body.error], [404, "no_such_instance"]);
  });
});

describe("extra: money", () => {
  test("running costs dph_total an hour; loading and being stopped cost the disk", async () => {
    const { id, dph_total, storage_total_cost } = await bench.created({ image, disk: 50 });
    bench.clock.advance(20);
    const afterLoading = 25 - ((storage_total_cost as number) * 20) / 3600;
    assert.ok(Math.abs((await credit()) - afterLoading) < 1e-5);
    bench.clock.advance(100);
    const before = await credit();
    bench.clock.advance(3600);
    assert.ok(Math.abs(before - (await credit()) - (dph_total as number)) < 1e-5);
    await bench.ask("DELETE", `/api/v0/instances/${id}/`);
    const rest = await credit();
    bench.clock.advance(3600);
    assert.equal(await credit(), rest);
  });

  test("nothing is charged while the host is offline", async () => {
    const offer = bench.freeOffer();
    bench.sandbox.world.setFate(offer.id, "offline");
    await bench.created({ image }, offer);
    bench.clock.advance(120);
    const before = await credit();
    bench.clock.advance(3600);
    assert.equal(await credit(), before);
  });

  test("the bill does not depend on how often somebody looks", async () => {
    const { dph_total } = await bench.created({ image });
    bench.clock.advance(120);
    const before = await credit();
    for (let minute = 0; minute < 60; minute += 1) {
      bench.clock.advance(60);
      await list();
    }
    assert.ok(Math.abs(before - (await credit()) - (dph_total as number)) < 1e-5);
  });

  test("with the credit used up, what runs is stopped and nothing more is owed", async () => {
    const { id } = await bench.created({ image });
    bench.clock.advance(25 * 3600 * 24 * 40);
    assert.equal(await credit(), 0);
    const { actual_status, intended_status } = await bench.instance(id);
    assert.deepEqual([actual_status, intended_status], ["stopped", "stopped"]);
  });
});

describe("extra: list instances", () => {
  async function rent(count: number): Promise<number[]> {
    const ids: number[] = [];
    for (let nth = 0; nth < count; nth += 1)
      ids.push((await bench.created({ image, label: nth % 2 ? "odd" : "even" })).id as number);
    return ids;
  }

  async function pages(query: Record<string, string>): Promise<number[][]> {
    const found: number[][] = [];
    let token: string | undefined = "";
    while (token !== undefined) {
      const { body } = await list(token === "" ? query : { ...query, after_token: token });
      const rows = (body.instances as Json[]).map((row) => row.id as number);
      assert.equal(body.instances_found, rows.length);
      found.push(rows);
      token = (body.next_token as string | null) ?? undefined;
    }
    return found;
  }

  test("pages of at most 25, each instance once", async () => {
    const ids = await rent(27);
    const found = await pages({});
    assert.deepEqual(
      found.map((page) => page.length),
      [25, 2],
    );
    assert.deepEqual(
      found.flat().sort((a, b) => a - b),
      ids,
    );
    assert.deepEqual(
      (await pages({ limit: "100" })).map((page) => page.length),
      [25, 2],
    );
    assert.deepEqual(
      (await pages({ limit: "9" })).map((page) => page.length),
      [9, 9, 9],
    );
    assert.equal((await pages({ limit: "0" }))[0]?.length, 5);
  });

  test("a page stands firm while others come and go", async () => {
    const ids = await rent(6);
    const first = await list({ limit: "3" });
    await rent(1);
    await bench.ask("DELETE", `/api/v0/instances/${ids[3]}/`);
    const second = await list({ limit: "3", after_token: first.body.next_token as string });
    assert.deepEqual(
      (second.body.instances as Json[]).map((row) => row.id),
      [ids[2], ids[1], ids[0]],
    );
  });

  test("order_by, as the public command line sends it, holds over pages", async () => {
    const ids = await rent(5);
    const byId = { order_by: '[{"col":"id","dir":"asc"}]', limit: "2" };
    assert.deepEqual(await pages(byId), [ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)]);
    const byLabel = { order_by: '[{"col":"label","dir":"desc"},{"col":"id","dir":"asc"}]', limit: "2" };
    const [a, b, c, d, e] = ids as [number, number, number, number, number];
    assert.deepEqual(await pages(byLabel), [[b, d], [a, c], [e]]);
    assert.deepEqual(await pages({ order_by: "label", limit: "3" }), [
      [e, c, a],
      [d, b],
    ]);
    const { body } = await list(byId);
    const mixed = await list({ order_by: "label", after_token: body.next_token as string });
    assert.deepEqual([mixed.status, mixed.body.error], [400, "invalid_token"]);
  });

  test("select_filters on stored columns, with counts by label", async () => {
    const ids = await rent(3);
    const select_filters = JSON.stringify({ label: { eq: "even" } });
    const { body } = await list({ select_filters });
    assert.deepEqual(
      (body.instances as Json[]).map((row) => row.id),
      [ids[2], ids[0]],
    );
    assert.deepEqual([body.total_instances, body.label_counts], [2, { even: 2 }]);
    bench.clock.advance(300);
    const running = await list({ select_filters: JSON.stringify({ actual_status: { in: ["running"] } }) });
    assert.equal(running.body.instances_found, 3);
    assert.deepEqual(running.body.label_counts, { even: 2, odd: 1 });
  });

  for (const [name, query, error] of [
    ["a computed column", { select_filters: '{"dph_total":{"lt":1}}' }, "invalid_request"],
    ["filters that are no JSON", { select_filters: "{" }, "invalid_request"],
    ["an order by a column nobody has", { order_by: '[{"col":"colour","dir":"asc"}]' }, "invalid_request"],
    ["an order without a direction it knows", { order_by: '[{"col":"id","dir":"up"}]' }, "invalid_request"],
    ["a limit that is no number", { limit: "many" }, "invalid_request"],
    ["a token of somebody else", { after_token: "abc" }, "invalid_token"],
  ] as const) {
    test(`${name} is refused with 400`, async () => {
      const answer = await list(query);
      assert.deepEqual([answer.status, answer.body.error], [400, error]);
    });
  }

  test("the v0 list is retired with 410", async () => {
    const answer = await bench.ask("GET", "/api/v0/instances/");
    assert.deepEqual([answer.status, answer.body.error], [410, "deprecated_endpoint"]);
  });
});
