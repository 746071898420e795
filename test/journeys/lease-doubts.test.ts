// Ends that must not come, or not like that: of the wrong instance, too late, from a window that died, after a later end, from broken files.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { sleep } from "../../src/lib/clock.ts";
import { createInstance } from "../../src/sandbox/handlers/create-instance.ts";
import { type Disk, realDisk } from "../../src/services/core/disk.ts";
import { mintIntent } from "../../src/services/launch/intent.ts";
import { HOUR, MINUTE, withWindows } from "./lease-windows.ts";
import { eventually, pass, serve } from "./support.ts";

type Windows = Awaited<ReturnType<typeof withWindows>>;

async function addInstance({ world, first }: Windows, label: string) {
  const offer = world.offers.find((one) => world.isRentable(one));
  assert.ok(offer);
  world.setFate(offer.id, "runs");
  const order = { image: "a/b", runtype: "ssh_direct", target_state: "running", label };
  const { id } = createInstance(world, offer.id, order);
  await first.instances.collection.refresh();
  const row = first.instances.rows.find(({ value }) => value.id === id);
  assert.ok(row);
  return row.value;
}

describe("an end is for one instance", () => {
  test("even if another one has the same launch token", async () => {
    const windows = await withWindows(1);
    const { first, forward, kinds, world } = windows;
    const { token } = mintIntent();
    const one = await addInstance(windows, `${token} one`);
    const twin = await addInstance(windows, `${token} twin`);
    await first.leases.set(first.me(), { id: one.id, token }, { hours: 1, ending: "destroy" });
    assert.equal(first.leases.endOf(twin), undefined);
    forward(HOUR + 1000);
    await eventually(() => kinds().includes("ended"), "it ends");
    await sleep(1500);
    assert.deepEqual(kinds(), ["ended"]);
    const left = world.instances().map(({ id }) => id);
    assert.ok(!left.includes(one.id) && left.includes(twin.id));
  });

  test("and not for one that had been rented long before and was given the label of the launch", async () => {
    const windows = await withWindows(1);
    const { first, forward, kinds, world } = windows;
    const old = await addInstance(windows, "old");
    const record = world.instances().find(({ id }) => id === old.id);
    assert.ok(record);
    Object.assign(record, { createdAt: record.createdAt - 3 * 86_400 });
    const { token } = mintIntent();
    await first.leases.set(first.me(), { token }, { hours: 1, ending: "destroy" });
    await first.me().client.labelInstance(old.id, `${token} copied`);
    await first.instances.collection.refresh();
    const rented = await addInstance(windows, `${token} rented`);
    assert.equal(first.leases.endOf(old), undefined);
    await eventually(() => first.leases.endOf(rented) !== undefined, "it is recognized");
    forward(HOUR + 1000);
    await eventually(() => kinds().includes("ended"), "it ends");
    await sleep(1500);
    const left = world.instances().map(({ id }) => id);
    assert.ok(left.includes(old.id) && !left.includes(rented.id));
  });
});

describe("nothing is ended more than ten minutes late", () => {
  test("if the computer slept while the service was asked", async () => {
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    let isHolding = false;
    const windows = await withWindows(1, {}, async (service) =>
      serve(async (request, body) => {
        if (isHolding && request.method === "GET" && /instances\/\d+\/$/.test(request.url ?? "")) {
          asked.resolve();
          await answer.promise;
        }
        return await pass(service.url, request, body);
      }),
    );
    const { set, inHours, forward, kinds, isThere, deletes } = windows;
    await set(inHours(1, "destroy"));
    isHolding = true;
    forward(HOUR + 1000);
    await asked.promise;
    forward(8 * HOUR);
    answer.resolve();
    await eventually(() => kinds().length > 0, "a question");
    assert.deepEqual(kinds(), ["overdue"]);
    assert.deepEqual(deletes, []);
    assert.ok(isThere());
  });

  test("if the window that began it is gone", async () => {
    const { set, inHours, forward, killed, kinds, deletes, isThere, open } = await withDyingWindow();
    await set(inHours(1, "destroy"));
    forward(HOUR + 9 * MINUTE);
    await killed;
    forward(3 * MINUTE);
    const next = await open("next", [], {});
    await eventually(() => kinds().length > 0, "a question");
    await sleep(1500);
    assert.deepEqual(kinds(), ["overdue"]);
    assert.deepEqual(next.orderNotices, [], "no other message");
    assert.deepEqual(deletes, []);
    assert.ok(isThere());
  });

  test("but in time by the next window if the one that began it is gone", async () => {
    const { set, inHours, forward, killed, deletes, isThere, open } = await withDyingWindow();
    await set(inHours(1, "destroy"));
    forward(HOUR + 1000);
    await killed;
    await open("next", [], {});
    await eventually(() => !isThere(), "it is destroyed");
    assert.equal(deletes.length, 1);
  });
});

/** A window that writes an order down and is killed. */
async function withDyingWindow(before: (windows: Windows) => Promise<void> = async () => {}) {
  const killed = Promise.withResolvers<void>();
  const never = new Promise<never>(() => {});
  let isDead = false;
  let windows: Windows | undefined;
  const disk: Disk = {
    ...realDisk,
    create: async (path, text) => {
      if (!path.endsWith(".order")) return await realDisk.create(path, text);
      if (windows) await before(windows);
      await realDisk.create(path, text);
      isDead = true;
      windows?.first.close();
      killed.resolve();
      return await never;
    },
    names: (folder) => (isDead ? never : realDisk.names(folder)),
  };
  windows = await withWindows(1, { disk });
  return { ...windows, killed: killed.promise };
}

test("a later end holds though the window that had begun the one before is gone", async () => {
  const { set, inHours, forward, killed, kinds, deletes, isThere, open } = await withDyingWindow(
    async ({ first, row, userData }) => {
      const wish = { hours: 8, ending: "destroy" } as const;
      void first.leases.set(first.me(), { id: row.value.id }, wish).catch(() => undefined);
      const count = () => readdirSync(join(userData.root, "ends")).filter((name) => name.endsWith(".lease")).length;
      await eventually(() => count() === 2, "the later end is written down");
    },
  );
  await set(inHours(1, "destroy"));
  forward(HOUR + 1000);
  await killed;
  const next = await open("next", [], {});
  await sleep(1500);
  assert.deepEqual(kinds(), []);
  assert.deepEqual(next.orderNotices, []);
  assert.deepEqual(deletes, []);
  assert.ok(isThere());
});
