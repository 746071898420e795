// Show Current Costs, over real HTTP: what is read, what is left out in silence or by name, and what couldn't be ended.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { AppError } from "../../../src/domain/base/error.ts";
import { OfferId } from "../../../src/domain/base/id.ts";
import { buildPaidView } from "../../../src/present/account/paying-rows.ts";
import { createInstance } from "../../../src/sandbox/handlers/create-instance.ts";
import type { SandboxOptions } from "../../../src/sandbox/start.ts";
import { createIntent } from "../../../src/services/launch/intent.ts";
import { fastClock, planFor } from "../editor-window.ts";
import { cheapest, EMPTY_LIST, editorWindow, middleman, sandbox, signedIn, withHiddenList } from "../support.ts";

/** A window whose account rents machines that it hasn't read about yet. */
async function payingWindow(count: number, options: SandboxOptions = {}) {
  const window = await signedIn(options, { clock: fastClock });
  const { world } = window.service;
  for (let rented = 0; rented < count; rented += 1) {
    const offer = world.offers.find((one) => world.isRentable(one));
    assert.ok(offer);
    world.setFate(offer.id, "runs");
    createInstance(world, OfferId.parse(offer.id), { image: "a/b", label: `run ${rented}`, target_state: "running" });
  }
  const read = () => window.paying.read(window.me());
  const show = async () => buildPaidView(await read(), () => undefined, Date.now());
  const carryOut = async (kind: "destroy" | "stop", rows = window.instances.rows) => {
    const ends = await window.orders.carryOut(window.me(), kind, rows);
    window.paying.note(window.me(), ends);
    return ends;
  };
  return { ...window, world, read, show, carryOut };
}

describe("reading", () => {
  test("finds what was rented elsewhere a moment ago, with volumes and workergroups", async () => {
    const window = await payingWindow(2);
    const paid = await window.read();
    assert.equal(paid.instances.rows.length, 2);
    assert.equal(paid.instances.isWhole, true);
    assert.equal(paid.volumes.error, undefined);
    assert.equal(paid.workergroups.error, undefined);
    assert.ok(paid.workergroups.rows.every((row) => !("api_key" in row.value)));
    const volume = await window
      .me()
      .client.createVolume({ offerId: await volumeOffer(window), size: 10, name: "data" });
    assert.ok(volume);
    const { rows } = (await window.read()).volumes;
    const data = rows.find(({ value }) => value.label === "data");
    assert.ok((data?.value.storage_total_cost ?? 0) > 0);
  });

  test("knows an unresolved launch", async () => {
    const window = await payingWindow(0, { faults: ["reset-before@createInstance"] });
    await window.rent(planFor(await cheapest(window)), createIntent()).catch(() => undefined);
    const { launches } = await window.read();
    const open = window.watch.atRisk;
    assert.deepEqual(launches.rows, open);
  });

  for (const status of [404, 405, 410, 501])
    test(`a service without volumes (${status}) has none, and nothing is said of them`, async () => {
      const window = await payingWindow(1);
      const address = await middleman(window.service.url, (path, answered, text) =>
        path.startsWith("/api/v0/volumes") ? { status, text: "{}" } : { status: answered, text },
      );
      await window.session.signIn(address, window.service.apiKey);
      const { groups, total } = await window.show();
      assert.ok(groups.every(({ name, rows }) => !/volume/i.test([name, ...rows.map(({ label }) => label)].join())));
      assert.ok(total);
      assert.deepEqual((await window.read()).volumes, { rows: [], unreadable: 0 });
    });

  for (const fault of ["401", "403"] as const)
    test(`a key that may not read volumes (${fault}) is said to be one`, async () => {
      const window = await payingWindow(1, { faults: [`${fault}@listVolumes`] });
      const { groups, total } = await window.show();
      assert.match(groups[0]?.rows[0]?.label ?? "", /API key doesn't have permission to list volumes/);
      assert.match(total ?? "", /^at least \$0\./);
      assert.equal(window.session.current.kind, "signed-in");
    });

  test("a list that fails keeps what is known, says when it is from, and is whole again when read again", async () => {
    const window = await payingWindow(1);
    await window.read();
    window.service.faults.add("500@listInstances");
    const failed = await window.show();
    assert.match(failed.groups[0]?.rows[0]?.label ?? "", /^The list of instances is from /);
    assert.deepEqual(failed.groups[0]?.rows[0]?.thing, { kind: "reread" });
    assert.match(failed.total ?? "", /^\$0\.\d+\/h as of /);
    assert.ok(failed.groups.some(({ name }) => name === "Instances"));
    window.service.faults.clear();
    assert.doesNotMatch((await window.show()).total ?? "", /as of/);
  });

  test("an account that is switched meanwhile is never shown", async () => {
    const window = await payingWindow(1, { faults: ["slow@listVolumes"] });
    const other = await sandbox({ seed: 2 });
    const reading = window.read();
    await window.session.signIn(other.url, other.apiKey);
    await assert.rejects(reading, (error) => error instanceof AppError && /switched accounts/.test(error.message));
  });
});

test("what another window has just rented isn't passed over in silence while the list is still behind", async () => {
  const window = await payingWindow(0);
  const list = await withHiddenList(window.service.url);
  await window.session.signIn(list.url, window.service.apiKey);
  const second = editorWindow(window.userData);
  await second.session.restore();
  list.isHidden = true;
  const outcome = await window.rent(planFor(await cheapest(window)), createIntent());
  assert.equal(outcome.kind, "rented");
  const paid = await second.paying.read(second.me());
  const isNamed = paid.instances.rows.length > 0 || paid.launches.rows.length > 0;
  assert.ok(isNamed || !paid.instances.isWhole, "it is named, or the list isn't said to be whole");
});

describe("ending", () => {
  test("leaves nothing behind that isn't there any longer", async () => {
    const window = await payingWindow(3);
    await window.read();
    const ends = await window.carryOut("destroy");
    assert.ok(ends.every(({ outcome }) => outcome === "done"));
    const paid = await window.read();
    assert.deepEqual([paid.instances.rows, paid.failed], [[], []]);
  });

  for (const fault of ["500", "403"] as const)
    test(`that the service refuses (${fault}) stays on the list, first, until it is gone`, async () => {
      const window = await payingWindow(3);
      await window.read();
      const [first, ...others] = window.instances.rows;
      assert.ok(first);
      for (const name of ["destroyInstances", "destroyInstance"])
        window.service.faults.add(`${fault}@${name}` as never);
      await window.carryOut("destroy", [first, ...others.slice(1)]);
      const { groups } = await window.show();
      const [still, rest] = groups.filter(({ name }) => name !== undefined);
      assert.equal(still?.name, "Still billed");
      assert.deepEqual(
        [still?.rows.length, rest?.rows.length],
        [3, 1],
        "Try Again and two, and the one never asked for",
      );
      assert.match(still?.rows[1]?.detail ?? "", /^May still exist and cost money\. /);
      const again = window.paying.readFailedIds(window.me(), "destroy");
      assert.deepEqual(again, [first.value.id, ...others.slice(1).map(({ value }) => value.id)]);
      window.service.faults.clear();
      await window.carryOut(
        "destroy",
        window.instances.rows.filter(({ value }) => again.includes(value.id)),
      );
      const paid = await window.read();
      assert.deepEqual([paid.failed, paid.instances.rows.length], [[], 1]);
    });

  test("that failed is forgotten when the instance ended some other way", async () => {
    const window = await payingWindow(1);
    await window.read();
    for (const name of ["setInstancesState", "updateInstance"]) window.service.faults.add(`403@${name}` as never);
    await window.carryOut("stop");
    assert.equal((await window.read()).failed.length, 1);
    window.service.faults.clear();
    const [row] = window.instances.rows;
    assert.ok(row);
    await window.stop(row.value.id);
    assert.deepEqual((await window.read()).failed, [], "it is stopped");
  });

  test("that failed is never forgotten because a list failed", async () => {
    const window = await payingWindow(2);
    await window.read();
    for (const name of ["destroyInstances", "destroyInstance"]) window.service.faults.add(`403@${name}` as never);
    await window.carryOut("destroy");
    window.service.faults.add("500@listInstances");
    assert.equal((await window.read()).failed.length, 2);
    window.service.faults.delete("500@listInstances");
    assert.equal((await window.read()).failed.length, 2);
  });

  test("that failed is still known once a complete list that lacked the instance has it again", async () => {
    const window = await payingWindow(1);
    const list = await withHiddenList(window.service.url);
    await window.session.signIn(list.url, window.service.apiKey);
    await window.read();
    for (const name of ["destroyInstances", "destroyInstance"]) window.service.faults.add(`403@${name}` as never);
    await window.carryOut("destroy");
    assert.equal((await window.read()).failed.length, 1);
    list.isHidden = true;
    const behind = await window.read();
    assert.deepEqual([behind.instances.rows, behind.failed], [[], []], "what isn't listed isn't shown");
    list.isHidden = false;
    const paid = await window.read();
    assert.deepEqual([paid.instances.rows.length, paid.failed.length], [1, 1]);
    window.world.destroy(paid.failed[0]?.id as never);
    await window.read();
    assert.equal(window.paying.readFailedIds(window.me(), "destroy").length, 1, "one answer may be behind");
    await window.read();
    assert.deepEqual(window.paying.readFailedIds(window.me(), "destroy"), [], "the service says that it is gone");
  });

  test("that failed is still known although one answer about the instance was behind as well", async () => {
    const window = await payingWindow(1);
    let isBehind = false;
    const address = await middleman(window.service.url, (path, status, text) => {
      if (!isBehind) return { status, text };
      if (path.startsWith("/api/v1/instances/")) return { status: 200, text: EMPTY_LIST };
      return /^\/api\/v0\/instances\/\d+\//.test(path) ? { status: 200, text: '{"instances":null}' } : { status, text };
    });
    await window.session.signIn(address, window.service.apiKey);
    await window.read();
    for (const name of ["destroyInstances", "destroyInstance"]) window.service.faults.add(`403@${name}` as never);
    await window.carryOut("destroy");
    assert.equal((await window.read()).failed.length, 1);
    isBehind = true;
    await window.read();
    isBehind = false;
    const paid = await window.read();
    assert.deepEqual([paid.instances.rows.length, paid.failed.length], [1, 1]);
  });

  test("in one account is not said of another", async () => {
    const window = await payingWindow(1);
    const other = await sandbox({ seed: 2 });
    await window.read();
    for (const name of ["destroyInstances", "destroyInstance"]) window.service.faults.add(`403@${name}` as never);
    await window.carryOut("destroy");
    await window.session.signIn(other.url, other.apiKey);
    assert.deepEqual((await window.read()).failed, []);
    assert.deepEqual(window.paying.readFailedIds(window.me(), "destroy"), []);
  });
});

async function volumeOffer({ me }: Awaited<ReturnType<typeof payingWindow>>): Promise<number> {
  const { rows } = await me().client.searchVolumes({ rentable: { eq: true } });
  const [row] = rows;
  assert.ok(row);
  return row.value.id;
}

test("stopped disks come in the order of what they have cost, in their account alone", async () => {
  const window = await payingWindow(3);
  await window.read();
  const [first, second] = window.instances.rows;
  assert.ok(first && second);
  const look = async () => {
    await fastClock.sleep(60_000);
    await window.instances.collection.refresh();
  };
  await window.carryOut("stop", [second]);
  for (let turn = 0; turn < 10; turn += 1) await look();
  await window.carryOut("stop", [first]);
  for (let turn = 0; turn < 2; turn += 1) await look();
  const { diskCosts } = await window.read();
  assert.deepEqual([...diskCosts.keys()].sort(), [first.value.id, second.value.id].sort(), "the third one runs");
  const [earlier, later] = [diskCosts.get(second.value.id), diskCosts.get(first.value.id)];
  assert.ok(earlier && later && earlier.since < later.since && later.amount > 0);
  const price = second.value.storage_total_cost ?? 0;
  const hours = (fastClock.now() - earlier.since) / 3_600_000;
  assert.ok(earlier.amount > 0 && earlier.amount <= price * hours, "never more than that");
  const disks = (await window.show()).groups.find(({ name }) => name === "Only the disk is billed")?.rows ?? [];
  const amounts = disks
    .map(({ thing }) => (thing.kind === "instance" ? thing.id : 0))
    .map((id) => diskCosts.get(id as never)?.amount ?? 0);
  assert.deepEqual(
    amounts,
    [...amounts].sort((one, other) => other - one),
  );
  assert.ok(disks.length === 2 && disks.every(({ detail }) => /^Its disk has cost /.test(detail ?? "")));
  const other = await sandbox({ seed: 3 });
  await window.session.signIn(other.url, other.apiKey);
  assert.equal((await window.read()).diskCosts.size, 0);
});
