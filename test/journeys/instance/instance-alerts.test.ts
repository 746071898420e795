// An instance that is outbid, or whose disk fills up: told once, by one window, and again only after it was over.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sleep } from "../../../src/lib/clock.ts";
import { createManualClock } from "../../../src/sandbox/base/clock.ts";
import { createInstance } from "../../../src/sandbox/handlers/create-instance.ts";
import { type Disk, realDisk } from "../../../src/services/core/book/disk.ts";
import { lifeOf } from "../editor-window.ts";
import { editorWindow, eventually, makeUserData, middleman, sandbox } from "../support.ts";

type Change = (row: Record<string, unknown>) => Record<string, unknown>;

/** Two windows, and an interruptible instance that runs. `change` is what the service says of it otherwise. */
async function withBid() {
  const clock = createManualClock();
  const service = await sandbox({ clock });
  const { world } = service;
  const offer = world.offers.find((one) => world.isRentable(one) && one.minBid !== null);
  assert.ok(offer);
  world.setFate(offer.id, "runs");
  const price = world.calculateBidPrice(offer) ?? 0;
  const { id } = createInstance(world, offer.id, { image: "a/b", runtype: "ssh_direct", price: price + 0.01 });
  clock.advance(300);
  let change: Change = (row) => row;
  const url = await middleman(service.url, (path, status, text) => {
    if (!path.startsWith("/api/v1/instances/")) return { status, text };
    const list = JSON.parse(text) as { instances: Record<string, unknown>[] };
    return { status, text: JSON.stringify({ ...list, instances: list.instances.map((row) => change(row)) }) };
  });
  const userData = makeUserData();
  const told: string[] = [];
  const open = async (name: string, disk?: Disk) => {
    const window = editorWindow(userData, { liveness: lifeOf(name), ...(disk ? { disk } : {}) });
    window.alerts.onNotice(({ kind, instance }) => void told.push(`${kind} ${instance.id}`));
    if (userData.keys.size === 0) await window.session.signIn(url, service.apiKey);
    else await window.session.restore();
    return window;
  };
  const windows = [await open("one"), await open("two")];
  const look = async () => {
    for (const window of windows) await window.instances.collection.refresh();
    await sleep(50);
  };
  const say = (next: Change) => {
    change = next;
  };
  return { clock, world, offer, price, id, windows, told, look, say, open };
}

test("who is outbid is told once, in one window, and again when it happens again", async () => {
  const { clock, world, offer, price, id, told, look, open } = await withBid();
  await look();
  assert.deepEqual(told, []);
  world.bids.fix(offer, price + 1, world.getNow());
  clock.advance(60);
  await look();
  assert.deepEqual(told, [], "one list may come in the middle of a start");
  await look();
  await eventually(() => told.length > 0, "it is told");
  await look();
  assert.deepEqual(told, [`outbid ${id}`]);
  const later = await open("later");
  for (const _ of [1, 2]) await later.instances.collection.refresh();
  await sleep(100);
  assert.equal(told.length, 1, "a window that opens later doesn't repeat it");
  world.bids.fix(offer, price, world.getNow());
  clock.advance(120);
  await look();
  world.bids.fix(offer, price + 1, world.getNow());
  clock.advance(60);
  await look();
  await look();
  await eventually(() => told.length === 2, "the second time is told as well");
});

test("once one window has told it, none of them reads any faster for it", async () => {
  const { clock, world, offer, price, id, windows, told, look } = await withBid();
  await look();
  world.bids.fix(offer, price + 1, world.getNow());
  clock.advance(60);
  for (let count = 0; count < 6; count += 1) await look();
  assert.deepEqual(told, [`outbid ${id}`]);
  assert.deepEqual(
    windows.map(({ instances }) => instances.unsettled),
    [false, false],
  );
});

test("a disk that goes up and down around 90 % is told once; what isn't known ends nothing", async () => {
  const { id, told, look, say } = await withBid();
  const disk = (used: number | null) => say((row) => ({ ...row, disk_usage: used, disk_space: 100 }));
  for (const used of [89, 91, 88, 92, null, 95]) {
    disk(used);
    await look();
  }
  await eventually(() => told.length > 0, "it is told");
  assert.deepEqual(told, [`disk ${id}`]);
  disk(50);
  await look();
  disk(93);
  await look();
  await eventually(() => told.length === 2, "it is told again after it was over");
});

test("nothing is told of an account that was left", async () => {
  const { windows, told, look, say } = await withBid();
  await look();
  say((row) => ({ ...row, disk_usage: 99, disk_space: 100 }));
  for (const window of windows) {
    const reading = window.instances.collection.refresh();
    await window.session.signOut();
    await reading;
  }
  await sleep(200);
  assert.deepEqual(told, []);
});

test("what nobody was told because the account was left is told when somebody is back", async () => {
  const { windows, told, look, say, id, open } = await withBid();
  for (const window of windows) window.close();
  let goOn = () => {};
  const left = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const disk: Disk = {
    ...realDisk,
    create: async (path, text) => {
      if (path.includes("alerts")) await left;
      return await realDisk.create(path, text);
    },
  };
  const window = await open("slow", disk);
  say((row) => ({ ...row, disk_usage: 99, disk_space: 100 }));
  await window.instances.collection.refresh();
  const { profile } = window.me();
  const other = await sandbox({ seed: 2 });
  await window.session.signIn(other.url, other.apiKey);
  goOn();
  await sleep(100);
  assert.deepEqual(told, []);
  await window.session.switchTo(profile);
  await window.instances.collection.refresh();
  await look();
  await eventually(() => told.length > 0, "it is told");
  assert.deepEqual(told, [`disk ${id}`]);
});

describe("an instance that one list shows as outbid", () => {
  const outbid: Change = (row) => ({ ...row, actual_status: "stopped", cur_state: "stopped" });

  test("and the next one doesn't have isn't looked for forever", async () => {
    const { windows, world, id, look, say, told } = await withBid();
    say(outbid);
    await look();
    await eventually(() => windows.every(({ instances }) => instances.unsettled), "it is about to be confirmed");
    world.destroy(id);
    await look();
    await eventually(() => !windows.some(({ instances }) => instances.unsettled), "it isn't looked for any longer");
    assert.deepEqual(told, []);
  });

  test("isn't looked for in another account", async () => {
    const { windows, look, say } = await withBid();
    say(outbid);
    await look();
    await eventually(() => windows.every(({ instances }) => instances.unsettled), "it is about to be confirmed");
    const other = await sandbox({ seed: 2 });
    for (const window of windows) await window.session.signIn(other.url, other.apiKey);
    await look();
    await eventually(() => !windows.some(({ instances }) => instances.unsettled), "it isn't looked for any longer");
  });
});

test("what was over in a window that is closed by now is told when it happens again", async () => {
  const { windows, id, told, look, say } = await withBid();
  const [first, second] = windows;
  assert.ok(first && second);
  const full = (used: number) => say((row) => ({ ...row, disk_usage: used, disk_space: 100 }));
  full(95);
  await look();
  await eventually(() => told.length === 1, "it is told");
  full(50);
  await first.instances.collection.refresh();
  await sleep(50);
  first.close();
  full(95);
  await second.instances.collection.refresh();
  await eventually(() => told.length === 2, "nobody has heard of this one");
  assert.deepEqual(told, [`disk ${id}`, `disk ${id}`]);
});

test("what a window that is closed by now told, and this one saw end, is told when it happens again", async () => {
  const { windows, id, told, look, say } = await withBid();
  const [first, second] = windows;
  assert.ok(first && second);
  const full = (used: number) => say((row) => ({ ...row, disk_usage: used, disk_space: 100 }));
  full(50);
  await look();
  full(95);
  await first.instances.collection.refresh();
  await eventually(() => told.length === 1, "it is told");
  first.close();
  full(50);
  await second.instances.collection.refresh();
  full(95);
  await second.instances.collection.refresh();
  await eventually(() => told.length === 2, "it happened again");
  assert.deepEqual(told, [`disk ${id}`, `disk ${id}`]);
});
