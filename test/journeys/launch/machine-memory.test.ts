// How machines served the person: written down once by any window, kept by account, and used where an offer is chosen.
import assert from "node:assert/strict";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { InstanceId } from "../../../src/domain/base/id.ts";
import { addUpHistories } from "../../../src/domain/offer/machine-history.ts";
import { anySearch } from "../../../src/domain/offer/offer-search.ts";
import { type Clock, sleep } from "../../../src/lib/clock.ts";
import { createManualClock } from "../../../src/sandbox/base/clock.ts";
import { createInstance } from "../../../src/sandbox/handlers/create-instance.ts";
import type { Fate } from "../../../src/sandbox/market/market.ts";
import { type Disk, realDisk } from "../../../src/services/core/book/disk.ts";
import { createIntent } from "../../../src/services/launch/intent.ts";
import { proposeAgain } from "../../../src/services/launch/rent-again.ts";
import { findReplacement } from "../../../src/services/launch/replacement.ts";
import { lifeOf, planFor } from "../editor-window.ts";
import { cheapest, editorWindow, eventually, makeUserData, middleman, sandbox, signedIn } from "../support.ts";

const HOUR = 3600;

type Change = (row: Record<string, unknown>) => Record<string, unknown>;

/** Windows and a service with one clock. `say` changes what the service says of instances. */
async function market() {
  const time = createManualClock();
  const clock: Clock = { now: () => time.now() * 1000, elapsed: () => performance.now(), sleep };
  const service = await sandbox({ clock: time });
  const { world } = service;
  let change: Change = (row) => row;
  const url = await middleman(service.url, (path, status, text) => {
    if (!path.startsWith("/api/v1/instances/")) return { status, text };
    const list = JSON.parse(text) as { instances: Record<string, unknown>[] };
    return { status, text: JSON.stringify({ ...list, instances: list.instances.map((row) => change(row)) }) };
  });
  const say = (next: Change) => {
    change = next;
  };
  const userData = makeUserData();
  const open = async (name: string, disk?: Disk) => {
    const window = editorWindow(userData, { liveness: lifeOf(name), clock, ...(disk ? { disk } : {}) });
    if (userData.keys.size === 0) await window.session.signIn(url, service.apiKey);
    else await window.session.restore();
    await window.instances.collection.refresh();
    return window;
  };
  const rent = (fate: Fate) => {
    const offer = world.offers.find((one) => world.isRentable(one) && one.fate !== undefined);
    assert.ok(offer);
    world.setFate(offer.id, fate);
    return createInstance(world, offer.id, { image: "a/b:1", runtype: "ssh_direct" });
  };
  const pass = async (windows: readonly Awaited<ReturnType<typeof open>>[], seconds: number, step = 30) => {
    for (let left = seconds; left > 0; left -= step) {
      time.advance(Math.min(step, left));
      for (const window of windows) await window.instances.collection.refresh();
      await sleep(5);
    }
  };
  return { clock, time, userData, open, rent, pass, say };
}

test("a rental that runs is written down once by two windows: how long it took, and its hours", async () => {
  const { open, rent, pass, userData } = await market();
  const windows = [await open("one"), await open("two")];
  const { id } = rent("runs");
  await pass(windows, 600);
  await pass(windows, 5 * HOUR, HOUR / 2);
  for (const window of windows) {
    const [use, ...more] = await window.machineMemory.read(window.me());
    assert.ok(use && more.length === 0);
    assert.equal(use.hours, 4, "the last mark that passed");
    assert.ok(
      use.startSeconds !== undefined && use.startSeconds > 0 && use.startSeconds <= 600,
      String(use.startSeconds),
    );
    assert.equal(use.image, "a/b:1");
    assert.equal(use.machine, window.instances.find(id as InstanceId)?.value.machine_id);
    assert.ok(!use.didNotStart && !use.wasLost);
  }
  const files = await readdir(join(userData.root, "machines"));
  assert.equal(files.length, new Set(files).size);
});

test("how long it took is written down though a window that didn't watch it sees it run first", async () => {
  const { open, rent, pass } = await market();
  const slow: Disk = { ...realDisk, names: (folder) => sleep(30).then(() => realDisk.names(folder)) };
  const watching = await open("watching", slow);
  rent("runs");
  await pass([watching], 30);
  await watching.machineMemory.read(watching.me());
  const other = await open("other");
  await pass([watching, other], 600);
  const [use] = await watching.machineMemory.read(watching.me());
  assert.ok(use?.startSeconds !== undefined && use.startSeconds > 0 && use.startSeconds <= 600);
});

test("how long a machine took to start is written down at the next list, where the disk failed once", async () => {
  const { open, rent, pass } = await market();
  let failures = 1;
  const disk: Disk = {
    ...realDisk,
    create: async (path, text) => {
      if (path.includes(".up-") && failures > 0) {
        failures -= 1;
        throw new Error("ENOSPC");
      }
      return await realDisk.create(path, text);
    },
  };
  const window = await open("one", disk);
  rent("runs");
  await pass([window], 900);
  const [use] = await window.machineMemory.read(window.me());
  assert.equal(failures, 0);
  assert.equal(use?.hours, 0, "it has run");
  assert.ok(use.startSeconds !== undefined && use.startSeconds <= 600, String(use.startSeconds));
});

test("a machine that dies at its start is told apart from one that was lost later", async () => {
  const { open, rent, pass, say } = await market();
  const window = await open("one");
  rent("exited");
  await pass([window], 900);
  const [failed] = await window.machineMemory.read(window.me());
  assert.ok(failed?.didNotStart && !failed.wasLost && failed.hours === undefined);
  const { id } = rent("runs");
  await pass([window], 900);
  say((row) => (row.id === id ? { ...row, actual_status: "offline" } : row));
  await pass([window], 60);
  const uses = await window.machineMemory.read(window.me());
  const lost = uses.find((one) => one !== failed && !one.didNotStart);
  assert.ok(lost?.wasLost && lost.hours === 0);
  assert.deepEqual(
    [...addUpHistories(uses).values()].map(({ startsFailed, contactsLost }) => [startsFailed, contactsLost]).sort(),
    [
      [0, 1],
      [1, 0],
    ],
  );
});

test("what was there before this window isn't said to have failed, and how long it took isn't guessed", async () => {
  const { open, rent, pass, time } = await market();
  rent("exited");
  time.advance(900);
  const late = await open("late");
  await pass([late], 60);
  const [use] = await late.machineMemory.read(late.me());
  assert.ok(use && !use.didNotStart && use.startSeconds === undefined);
});

test("what may have run while nobody looked isn't said to have failed", async () => {
  const { open, rent, pass, say, time } = await market();
  const window = await open("one");
  const { id } = rent("runs");
  let status = "loading";
  say((row) => (row.id === id ? { ...row, actual_status: status } : row));
  await pass([window], 120);
  // The computer slept.
  time.advance(5 * HOUR);
  status = "exited";
  await pass([window], 60);
  const [use, ...more] = await window.machineMemory.read(window.me());
  assert.ok(use && more.length === 0);
  assert.ok(!use.didNotStart, "it may have run for hours");
});

test("the time in which an instance was stopped, or waited for its GPU, isn't how long its image took", async () => {
  const { open, rent, pass, say } = await market();
  const window = await open("one");
  const { id } = rent("runs");
  let status: object = { actual_status: "loading" };
  say((row) => (row.id === id ? { ...row, ...status } : row));
  await pass([window], 120);
  status = { actual_status: "stopped", intended_status: "running", cur_state: "stopped" };
  await pass([window], 3 * HOUR, 60);
  status = { actual_status: "running" };
  await pass([window], 60);
  const [use] = await window.machineMemory.read(window.me());
  assert.ok(use?.hours !== undefined);
  assert.equal(use.startSeconds, undefined);
});

test("the hours in which an instance was stopped don't count", async () => {
  const { open, rent, pass, say } = await market();
  const window = await open("one");
  const { id } = rent("runs");
  await pass([window], 2 * HOUR, 60);
  say((row) => (row.id === id ? { ...row, actual_status: "stopped", intended_status: "stopped" } : row));
  await pass([window], 40 * HOUR, HOUR / 2);
  say((row) => row);
  await pass([window], 60);
  const [use] = await window.machineMemory.read(window.me());
  assert.ok(use?.hours !== undefined && use.hours <= 2, `${use?.hours} h`);
});

test("the files of earlier rentals are listed once for each list of instances, however many are in it", async () => {
  let listings = 0;
  const written: string[] = [];
  const disk: Disk = {
    ...realDisk,
    create: async (path, text) => {
      if (path.endsWith(".rental")) written.push(path);
      return await realDisk.create(path, text);
    },
    names: async (folder) => {
      if (folder.endsWith("machines")) listings += 1;
      return await realDisk.names(folder);
    },
  };
  const { open, rent, pass } = await market();
  const window = await open("one", disk);
  for (let count = 0; count < 5; count++) rent("runs");
  await pass([window], 600);
  assert.equal((await window.machineMemory.read(window.me())).length, 5);
  assert.ok(listings <= 600 / 30 + 2, `${listings} listings`);
  listings = 0;
  for (let count = 0; count < 5; count++) rent("runs");
  await pass([window], 30);
  await eventually(() => written.length === 10, "all ten are written down");
  assert.equal(listings, 1);
});

test("another account has its own, damaged files are passed over, and what is old is removed", async () => {
  const { open, rent, pass, userData, clock, time } = await market();
  const window = await open("one");
  rent("runs");
  await pass([window], 600);
  const folder = join(userData.root, "machines");
  await writeFile(join(folder, `${"0".repeat(20)}.rental`), "{");
  await writeFile(join(folder, "else"), "");
  const other = editorWindow(userData, { liveness: lifeOf("other"), clock });
  const elsewhere = await sandbox({ clock: time });
  await other.session.enterSandbox(elsewhere.url, elsewhere.apiKey);
  createInstance(elsewhere.world, elsewhere.world.offers.find((one) => elsewhere.world.isRentable(one))?.id ?? 0, {
    image: "a/b:1",
    runtype: "ssh_direct",
  });
  assert.deepEqual(await other.machineMemory.read(other.me()), []);
  await pass([other], 600);
  for (const each of [window, other]) assert.equal((await each.machineMemory.read(each.me())).length, 1);
  const tidyIn = async (days: number) => {
    await window.machineMemory.tidy(clock.now() + days * 86_400_000);
    return (await readdir(folder)).filter((name) => name.endsWith(".rental") && !name.startsWith("0000")).length;
  };
  assert.deepEqual([await tidyIn(0), await tidyIn(8), await tidyIn(401)], [2, 1, 0], "the sandbox's goes first");
  assert.deepEqual((await readdir(folder)).sort(), [`${"0".repeat(20)}.rental`, "else"]);
});

test("a blocked machine or host is refused before anything is sent, and never proposed", async () => {
  const limits: { blockedMachines: number[]; blockedHosts: number[] } = { blockedMachines: [], blockedHosts: [] };
  const window = await signedIn({}, { limits });
  const offer = await cheapest(window);
  assert.ok(offer.machine_id !== undefined && offer.host_id !== undefined);
  limits.blockedMachines.push(offer.machine_id);
  const refused = await window.rent(planFor(offer), createIntent());
  assert.equal(refused.kind === "not-rented" && refused.proven && refused.error.facts.limit, "blockedMachines");
  assert.match(
    refused.kind === "not-rented" ? refused.error.message : "",
    /^You blocked machine \d+\. Nothing was rented\.$/,
  );
  limits.blockedMachines.length = 0;
  limits.blockedHosts.push(offer.host_id);
  assert.ok(window.offerLimits.isBlocked(offer));
  assert.equal(window.creates().length, 0);
  const found = { plan: planFor({ ...offer, machine_id: -1 }), search: anySearch };
  const next = await findReplacement(window.offers, new Set(), found, (one) => window.offerLimits.isBlocked(one));
  assert.ok(next === undefined || next.offer.host_id !== offer.host_id);
  const record = { id: 5, gpu_name: offer.gpu_name, num_gpus: offer.num_gpus, image_uuid: "a/b:1" };
  const again = await proposeAgain(window, window.me(), { value: record as never, raw: record });
  assert.notEqual(again.draft.offer?.host_id, offer.host_id);
  assert.equal(addUpHistories(await window.machineMemory.read(window.me())).size, 0);
});
