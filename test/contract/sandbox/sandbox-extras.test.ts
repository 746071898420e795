// Extras of the sandbox that the interface document names without showing them: several instances at once, SSH keys of one,
// machines of a host, and volumes made and deleted.
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { type Client, createClient } from "../../../src/api/client.ts";
import type { InstanceId } from "../../../src/domain/base/id.ts";
import { calculateVolumeRate } from "../../../src/sandbox/world/volumes.ts";
import { assertRefused } from "../support/fields.ts";
import { Bench, type Json } from "../support/sandbox.ts";

let bench: Bench;
let client: Client;
beforeEach(async () => {
  bench = await Bench.start();
  client = createClient({ baseUrl: bench.sandbox.url, apiKey: bench.sandbox.apiKey, pace: 0 });
});
afterEach(async () => {
  client.close();
  await bench.sandbox.stop();
});

const image = "pytorch/pytorch:latest";
const status = async (id: unknown) => (await bench.instance(id)).actual_status;

async function rent(count: number): Promise<InstanceId[]> {
  const ids: InstanceId[] = [];
  for (let nth = 0; nth < count; nth += 1) ids.push((await bench.created({ image })).id as InstanceId);
  bench.clock.advance(120);
  return ids;
}

describe("extra: destroy several instances", () => {
  const destroy = (body: unknown) => bench.ask("DELETE", "/api/v0/instances/", { body });

  test("each is destroyed, and the answer says so of each", async () => {
    const ids = await rent(3);
    const { status: code, body } = await destroy({ instance_ids: [...ids, 12345] });
    assert.deepEqual([code, body.success], [200, false]);
    assert.deepEqual(
      (body.results as Json[]).map(({ id, success, error }) => [id, success, error]),
      [...ids.map((id) => [id, true, undefined]), [12345, false, "no_such_instance"]],
    );
    assert.equal(bench.sandbox.world.listInstances().length, 0);
  });

  for (const instance_ids of [undefined, [], "all", [0], ["1"], [1.5], Array.from({ length: 65 }, (_, id) => id + 1)])
    test(`instance_ids ${JSON.stringify(instance_ids)?.slice(0, 20)} is refused and destroys nothing`, async () => {
      await rent(1);
      assertRefused(await destroy({ instance_ids }), 400, /instance_ids must be a list of 1 to 64/);
      assert.equal(bench.sandbox.world.listInstances().length, 1);
    });

  test("the client reads what became of each; one that is gone counts as done", async () => {
    const [first, second] = (await rent(2)) as [InstanceId, InstanceId];
    const gone = 12345 as InstanceId;
    const done = (id: InstanceId) => ({ id, outcome: "done" });
    assert.deepEqual(await client.destroyInstances([second, first, gone]), [done(second), done(first), done(gone)]);
    assert.equal(bench.sandbox.world.listInstances().length, 0);
  });
});

describe("extra: start and stop several instances", () => {
  const put = (body: unknown) => bench.ask("PUT", "/api/v0/instances/", { body });

  test("each is stopped, and starts again", async () => {
    const ids = await rent(2);
    assert.equal((await put({ ids, state: "stopped" })).body.success, true);
    bench.clock.advance(10);
    for (const id of ids) assert.equal(await status(id), "stopped");
    assert.equal((await put({ ids, state: "running" })).body.success, true);
    bench.clock.advance(20);
    for (const id of ids) assert.equal(await status(id), "running");
  });

  test("a state nobody knows, and ids that are none, are refused", async () => {
    const ids = await rent(1);
    assertRefused(await put({ ids, state: "paused" }), 400, "Invalid target state");
    assertRefused(await put({ ids: [], state: "stopped" }), 400, /ids must be a list/);
    assert.equal(await status(ids[0]), "running");
  });

  test("the client tells a queued start and a refused one from one that is done", async () => {
    const { world } = bench.sandbox;
    const [free, taken] = (await rent(2)) as [InstanceId, InstanceId];
    const offer = bench.freeOffer();
    world.setFate(offer.id, "exited");
    const dead = (await bench.created({ image }, offer)).id as InstanceId;
    bench.clock.advance(120);
    await client.setInstancesState([free, taken], "stopped");
    bench.clock.advance(10);
    world.rentAway(world.findInstance(taken)?.offer.id ?? 0);
    const results = await client.setInstancesState([free, taken, dead], "running");
    assert.deepEqual(
      results.map(({ id, outcome }) => [id, outcome]),
      [
        [free, "done"],
        [taken, "done"],
        [dead, "refused"],
      ],
    );
    assert.match(results[1]?.reason ?? "", /queued/);
    assert.match(results[2]?.reason ?? "", /never runs again/);
    assert.equal(results[0]?.reason, undefined);
  });
});

describe("extra: SSH keys of an instance", () => {
  const KEY = "ssh-ed25519 AAAAanother me@desk";
  const keys = async (id: InstanceId) => (await client.listInstanceSshKeys(id)).rows.map((row) => row.value.public_key);

  test("1 convention 2: a container has the account's keys, and gets others later", async () => {
    const [id] = (await rent(1)) as [InstanceId];
    const { account } = bench.sandbox.world;
    assert.deepEqual(await keys(id), account.sshKeys);
    await client.attachSshKey(id, `${KEY}\n`);
    assert.deepEqual(await keys(id), [...account.sshKeys, KEY]);
    assert.ok(!account.sshKeys.includes(KEY), "the account's own keys stay as they are");
  });

  test("a key of the account reaches new instances only", async () => {
    const [id] = (await rent(1)) as [InstanceId];
    const before = await keys(id);
    await client.createSshKey(KEY);
    assert.deepEqual(await keys(id), before);
    assert.ok((await keys((await rent(1))[0] as InstanceId)).includes(KEY));
  });

  test("a key that is there already is said with success false, and counts as attached", async () => {
    const [id] = (await rent(1)) as [InstanceId];
    await client.attachSshKey(id, KEY);
    const again = await bench.ask("POST", `/api/v0/instances/${id}/ssh/`, { body: { ssh_key: `${KEY}2` } });
    assert.deepEqual([again.status, again.body.success], [200, false]);
    await client.attachSshKey(id, KEY);
    assert.equal((await keys(id)).filter((key) => key === KEY).length, 1);
  });

  test("1 convention 2: a VM keeps the keys it was created with", async () => {
    const { id } = await bench.created({ image, vm: true });
    const answer = await bench.ask("POST", `/api/v0/instances/${id}/ssh/`, { body: { ssh_key: KEY } });
    assertRefused(answer, 400, /VM/);
  });

  test("an instance nobody has, and what is no public key", async () => {
    assert.equal((await bench.ask("GET", "/api/v0/instances/12345/ssh/")).status, 404);
    const [id] = await rent(1);
    for (const ssh_key of [undefined, "", "hello", "-----BEGIN OPENSSH PRIVATE KEY-----"])
      assert.equal((await bench.ask("POST", `/api/v0/instances/${id}/ssh/`, { body: { ssh_key } })).status, 400);
  });
});

describe("extra: machines", () => {
  test("a host sees the own machine, in MB, and what of it is rented", async () => {
    const { world } = bench.sandbox;
    const { rows } = await client.listMachines();
    assert.equal(rows.length, 1);
    const machine = rows[0]?.value;
    assert.deepEqual([machine?.id, machine?.listed], [world.ownMachine.id, true]);
    assert.ok((machine?.gpu_ram ?? 0) > 5000);
    assert.equal(machine?.gpu_occupancy?.split(" ").length, machine?.num_gpus);
  });

  test("it needs machine_read", async () => {
    bench.sandbox.world.addKey("narrow-key", ["instance_read"]);
    assert.equal((await bench.ask("GET", "/api/v0/machines/", { key: "narrow-key" })).status, 403);
  });
});

describe("extra: volumes are made and deleted", () => {
  const put = (body: unknown) => bench.ask("PUT", "/api/v0/volumes/", { body });
  const remove = (id: unknown) => bench.ask("DELETE", "/api/v0/volumes/", { body: { id } });
  const offer = () => {
    const found = bench.sandbox.world.volumes.listOffers().find((one) => one.size >= 20 && !one.active);
    assert.ok(found);
    return found;
  };
  const volumes = async () => (await client.listVolumes()).rows.map((row) => row.value);

  test("a volume is made from an offer, listed, billed and deleted", async () => {
    const before = await volumes();
    const name = await client.createVolume({ offerId: offer().id, size: 20, name: "data" });
    const made = (await volumes()).find((one) => !before.some(({ id }) => id === one.id));
    assert.deepEqual([name, made?.label, made?.disk_space], [`V.${made?.id}`, "data", 20]);
    assert.ok((made?.storage_total_cost ?? 0) > 0);
    const rate = await client.getSpendRate();
    assert.ok(Math.abs((rate.volumeStorage ?? 0) - (made?.storage_total_cost ?? 0)) < 1e-5);
    await client.deleteVolume(made?.id ?? 0);
    assert.deepEqual(await volumes(), before);
  });

  test("what is not for rent, or too large, is refused and makes nothing", async () => {
    const before = (await volumes()).length;
    assertRefused(await put({ id: 999, size: 10 }), 404, /no_such_ask/);
    for (const size of [0, -1, 1.5, "10", 1e9, undefined])
      assertRefused(await put({ id: offer().id, size }), 400, /size must be a whole number of GB/);
    assertRefused(await put({ id: "x", size: 10 }), 400, /id/);
    assert.equal((await volumes()).length, before);
  });

  test("a volume in use is kept, one nobody has is not found", async () => {
    const network = (await client.listVolumes()).rows.find((row) => row.raw.type === "network_volume");
    const id = network?.value.id;
    const made = await bench.created({ image, volume_info: { volume_id: id, mount_path: "/data" } });
    assertRefused(await remove(id), 409, "volume in use");
    await bench.ask("DELETE", `/api/v0/instances/${made.id}/`);
    assert.equal((await remove(id)).status, 200);
    assertRefused(await remove(id), 404, /does not exist/);
  });

  test("the id may be in the address, as the public command line writes it", async () => {
    const [volume] = await volumes();
    assert.equal((await bench.ask("DELETE", "/api/v0/volumes/", { query: { id: `${volume?.id}` } })).status, 200);
  });
});

describe("charges", () => {
  const charges = (more: Json = {}) => {
    const query = { select_filters: JSON.stringify({ day: { gte: 0, lte: 1e11 } }), ...more };
    return bench.ask("GET", "/api/v0/charges/", { query: query as Record<string, string> });
  };

  test("are those of each instance by kind and day, also of one that was destroyed, and together what the credit lost", async () => {
    const { world } = bench.sandbox;
    const before = world.calculateCredit();
    const ids = await rent(2);
    bench.clock.advance(30 * 3600);
    const hours = 31 + 120 / 3600;
    world.destroy(ids[0] ?? 0);
    bench.clock.advance(3600);
    const { results } = (await charges()).body as { results: Json[] };
    assert.deepEqual(new Set(results.map(({ source }) => source)), new Set(ids.map((id) => `instance-${id}`)));
    const items = results.flatMap((row) => row.items as Json[]);
    assert.deepEqual(new Set(items.map(({ type }) => type)), new Set(["gpu", "disk"]));
    assert.ok(
      items.every(
        ({ start, end }) => Math.floor((start as number) / 86_400) === Math.floor(((end as number) - 1) / 86_400),
      ),
    );
    const sum = results.reduce((all, { amount }) => all + (amount as number), 0);
    const volumes = world.volumes.list().reduce((all, one) => all + calculateVolumeRate(one) * hours, 0);
    assert.ok(Math.abs(sum + volumes - (before - world.calculateCredit())) < 1e-3);
    const read = await client.listCharges({ from: 0, to: 1e11 });
    assert.ok(read.isComplete && read.charges.every(({ instance }) => instance !== undefined));
  });

  test("come in pages, and only for the time that was asked for", async () => {
    await rent(3);
    bench.clock.advance(3600);
    const first = (await charges({ limit: "2" })).body as Json;
    assert.equal((first.results as Json[]).length, 2);
    const rest = (await charges({ limit: "2", after_token: first.next_token })).body as Json;
    assert.deepEqual([(rest.results as Json[]).length, rest.next_token], [1, null]);
    const past = await client.listCharges({ from: 0, to: 10 });
    assert.deepEqual(past.charges, []);
  });

  test("need a span of days, and a key that may read the bill", async () => {
    assertRefused(await bench.ask("GET", "/api/v0/charges/"), 400, /./);
    assertRefused(await charges({ select_filters: "{}" }), 400, /day with gte and lte/);
    assertRefused(await charges({ limit: "x" }), 400, /limit/);
    bench.sandbox.world.addKey("no-billing", ["user_read", "instance_read"]);
    assertRefused(
      await bench.ask("GET", "/api/v0/charges/", { query: { select_filters: "{}" }, key: "no-billing" }),
      403,
      /./,
    );
  });
});
