// Ends while the clock is wrong for a while, or the service doesn't know an instance for a moment: over real HTTP.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { createInstance } from "../../src/sandbox/handlers/create-instance.ts";
import { start, stop } from "../../src/sandbox/world/lifecycle.ts";
import { type Disk, realDisk } from "../../src/services/core/disk.ts";
import { mintIntent } from "../../src/services/launch/intent.ts";
import { HOUR, MINUTE, withWindows } from "./lease-windows.ts";
import { eventually, pass, serve } from "./support.ts";

async function withInstance() {
  const windows = await withWindows(1);
  const { world, row, userData, first } = windows;
  const instance = world.instances().find(({ id }) => id === row.value.id);
  assert.ok(instance);
  const filesWith = (part: string) => readdirSync(join(userData.root, "ends")).filter((name) => name.includes(part));
  const refresh = () => first.instances.collection.refresh();
  /** Returns once the window has looked at all ends. */
  const look = () => first.leases.set(first.me(), { token: mintIntent().token }, { hours: 900, ending: "remind" });
  return { ...windows, instance, filesWith, refresh, look };
}

describe("after the clock was ahead", () => {
  test("an end that was noted to be over comes, by the next list", async () => {
    const { set, inHours, forward, world, first, instance, filesWith, refresh } = await withInstance();
    await set(inHours(2, "stop"));
    stop(instance, world.now());
    forward(24 * HOUR);
    await refresh();
    first.leases.wake();
    await eventually(() => filesWith(".over-").length > 0, "it is over");
    forward(-24 * HOUR);
    start(instance, world.now(), true);
    await refresh();
    await eventually(() => filesWith(".over-").length === 0, "it is still to come");
    forward(2 * HOUR + 1000);
    await eventually(() => instance.intended === "stopped", "it is stopped at its end");
  });

  test("an end that was carried out then is neither shown nor told again", async () => {
    const { set, inHours, forward, world, first, row, instance, filesWith, refresh, look, kinds, deletes } =
      await withInstance();
    await set(inHours(2, "stop"));
    forward(2 * HOUR + 1000);
    await eventually(() => kinds().includes("ended"), "it ends");
    await eventually(() => filesWith(".over-").length > 0, "that is noted");
    forward(-2 * HOUR);
    start(instance, world.now(), true);
    await refresh();
    const told = kinds().length;
    await look();
    assert.equal(first.leases.endOf(row.value), undefined);
    forward(115 * MINUTE);
    await look();
    forward(6 * MINUTE);
    await look();
    assert.equal(first.leases.endOf(row.value), undefined);
    assert.equal(kinds().length, told);
    assert.equal(deletes.length, 1);
    assert.equal(instance.intended, "running");
  });

  test("a reminder that was shown then is shown at its time", async () => {
    const { set, inHours, forward, first, row, look, kinds, told } = await withInstance();
    const over = () => kinds().filter((kind) => kind === "over").length;
    await set(inHours(2, "remind"));
    forward(24 * HOUR);
    await eventually(() => over() === 1, "it is told");
    for (const [, { answered }] of told) answered();
    forward(-24 * HOUR);
    await look();
    assert.ok(first.leases.endOf(row.value), "it is still to come");
    forward(115 * MINUTE);
    await eventually(() => kinds().includes("soon"), "it is told that it comes");
    assert.equal(over(), 1);
    forward(6 * MINUTE);
    await eventually(() => over() === 2, "it is told at its time");
    await look();
    assert.equal(over(), 2);
  });
});

test("a file that can't be removed after the clock was ahead keeps no other end from coming", async () => {
  let isLocked = false;
  const disk: Disk = {
    ...realDisk,
    remove: async (path) => {
      if (isLocked && path.includes("-told-")) throw Object.assign(new Error("EBUSY"), { code: "EBUSY" });
      await realDisk.remove(path);
    },
  };
  const { set, inHours, forward, first, world, kinds, isThere } = await withWindows(1, { disk });
  const offer = world.offers.find((one) => world.isRentable(one));
  assert.ok(offer);
  world.setFate(offer.id, "runs");
  const order = { image: "a/b", runtype: "ssh_direct", target_state: "running" };
  const { id } = createInstance(world, offer.id, order);
  await first.instances.collection.refresh();
  const other = first.instances.rows.find(({ value }) => value.id === id)?.value;
  assert.ok(other);
  await first.leases.set(first.me(), { id: other.id }, inHours(5, "remind"));
  forward(5 * HOUR - 5 * MINUTE);
  await eventually(() => kinds().includes("soon"), "it is told");
  isLocked = true;
  forward(-5 * HOUR + 5 * MINUTE);
  await set(inHours(1, "destroy"));
  forward(HOUR + 1000);
  await eventually(() => !isThere(), "it ends");
});

test("a service that misses the instance for a moment just at its end doesn't end that end", async () => {
  let isLost = false;
  let asked = 0;
  const none = { success: true, instances: [], instances_found: 0, total_instances: 0, next_token: null };
  const { set, inHours, forward, isThere } = await withWindows(1, {}, (service) =>
    serve(async (request, body) => {
      const { method, url = "" } = request;
      if (!isLost || method !== "GET" || !url.includes("/instances/")) return await pass(service.url, request, body);
      if (!/instances\/\d+\/$/.test(url)) return { status: 200, text: JSON.stringify(none) };
      asked += 1;
      return { status: 200, text: JSON.stringify({ instances: null }) };
    }),
  );
  await set(inHours(1, "destroy"));
  isLost = true;
  forward(HOUR + 1000);
  await eventually(() => asked > 0, "the service was asked");
  isLost = false;
  await eventually(() => !isThere(), "it ends all the same");
});
