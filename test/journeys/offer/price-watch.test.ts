// Watched prices: one window looks, one message is told, and nothing is ever rented.
import assert from "node:assert/strict";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { MOST_WATCHES } from "../../../src/domain/offer/price-watch.ts";
import { realDisk } from "../../../src/services/core/book/disk.ts";
import { eventually, sandbox } from "../support.ts";
import { LATEST, SOONEST, withWatchingWindows } from "./price-watch-windows.ts";

describe("a watched price", () => {
  test("is told once when it falls, in one of two windows, and nothing is rented", async () => {
    const { watch, told, setPrice, pass, passUntil, looks, writes, offer } = await withWatchingWindows({ count: 2 });
    await watch();
    await pass(25);
    assert.equal(told.length, 0);
    assert.ok(looks.length >= 3);
    setPrice(0.25);
    await passUntil(() => told.length > 0, "it is told");
    await pass(120);
    assert.equal(told.length, 1);
    assert.equal(told[0]?.offer.id, offer.id);
    assert.deepEqual(writes, []);
  });

  test("is told at once if it is reached already", async () => {
    const { watch, told, setPrice, pass } = await withWatchingWindows();
    setPrice(0.2);
    await watch();
    await pass(1);
    await eventually(() => told.length === 1, "it is told");
  });

  test("is told again only after it was more than 2 % above, and not within the hour", async () => {
    const { watch, told, setPrice, pass, passUntil } = await withWatchingWindows({ count: 2 });
    setPrice(0.25);
    await watch();
    await passUntil(() => told.length === 1, "it is told");
    // With its disk, it is just above the goal.
    setPrice(0.3);
    await pass(90);
    setPrice(0.25);
    await pass(90);
    assert.equal(told.length, 1, "it swung around the goal");
    setPrice(0.5);
    await pass(12);
    setPrice(0.25);
    await passUntil(() => told.length === 2, "it is told again");
    setPrice(0.5);
    await pass(12);
    setPrice(0.25);
    await passUntil(() => told.length === 3, "it is told a third time");
    const [, second, third] = told;
    assert.ok((third?.minute ?? 0) - (second?.minute ?? 0) >= 60);
  });

  test("is told again with a different machine", async () => {
    const { watch, told, setPrice, pass, passUntil, world, offer } = await withWatchingWindows();
    const other = world.offers.find(
      (one) =>
        world.isRentable(one) &&
        one.machine.gpu.name === offer.machine.gpu.name &&
        one.machine.id !== offer.machine.id &&
        one.machine.verification === "verified",
    );
    assert.ok(other);
    setPrice(0.25);
    await watch();
    await passUntil(() => told.length === 1, "it is told");
    setPrice(0.2, other.id);
    await pass(30);
    assert.equal(told.length, 1, "not within the hour");
    await passUntil(() => told.length === 2, "it is told");
    assert.deepEqual(
      told.map((one) => one.offer.machine_id),
      [offer.machine.id, other.machine.id],
    );
  });

  test("is told again after there was no offer at all", async () => {
    const { watch, told, setPrice, pass, passUntil, world, offer, list } = await withWatchingWindows();
    setPrice(0.25);
    await watch();
    await passUntil(() => told.length === 1, "it is told");
    for (const one of world.offers) if (one.machine.gpu.name === offer.machine.gpu.name) world.rentAway(one.id);
    await pass(70);
    assert.equal((await list())[0]?.look?.best, undefined);
    world.giveBack(offer.id);
    await passUntil(() => told.length === 2, "it is told again");
  });

  test("of a machine that the person blocked is never told", async () => {
    const limits = { blockedMachines: [] as number[] };
    const { watch, told, setPrice, pass, offer } = await withWatchingWindows({ parts: { limits } });
    limits.blockedMachines.push(offer.machine.id);
    setPrice(0.2);
    await watch();
    await pass(30);
    assert.equal(told.length, 0);
  });

  test("may be of a GPU, in a machine of any size, or of a reliability", async () => {
    const { first, search, told, setPrice, pass, passUntil, world, offer } = await withWatchingWindows();
    const large = world.offers.find(
      (one) =>
        world.isRentable(one) &&
        one.machine.gpu.name === offer.machine.gpu.name &&
        one.gpuIds.length > 1 &&
        one.machine.verification === "verified",
    );
    assert.ok(large);
    const name = await first.priceWatches.add(first.me(), {
      search,
      goal: { kind: "gpuPrice", most: 0.3 },
      template: undefined,
    });
    setPrice(0.25 * large.gpuIds.length, large.id);
    await passUntil(() => told.length === 1, "it is told");
    assert.equal(told[0]?.offer.id, large.id);
    await first.priceWatches.stop(first.me(), name);
    const most = 0.3;
    setPrice(0.25);
    await first.priceWatches.add(first.me(), {
      search,
      goal: { kind: "reliability", most, least: 1 },
      template: undefined,
    });
    await pass(1);
    assert.equal(told.length, 1, "no machine is that reliable");
    await first.priceWatches.add(first.me(), {
      search,
      goal: { kind: "reliability", most, least: 0.5 },
      template: undefined,
    });
    await passUntil(() => told.length === 2, "it is told");
  });
});

describe("looks", () => {
  test("come every ten minutes, a tenth sooner or later, from one of three windows", async () => {
    const { watch, looks, gaps, pass } = await withWatchingWindows({ count: 3 });
    await watch();
    await pass(120);
    assert.ok(looks.length >= 11 && looks.length <= 14, String(looks.length));
    assert.ok(
      gaps().every((gap) => gap >= SOONEST && gap <= LATEST + 0.2),
      gaps().join(),
    );
    assert.ok(new Set(gaps().map((gap) => Math.round(gap * 100))).size > 3, "they aren't all the same");
  });

  test("are taken over, in their rhythm, when the window that looks dies or closes", async () => {
    for (const end of ["kill", "close"] as const) {
      const { watch, looks, gaps, pass, passUntil, windows, setPrice, told } = await withWatchingWindows({ count: 2 });
      const [one, two] = windows;
      assert.ok(one && two);
      await watch();
      await pass(5);
      assert.equal(looks.length, 1);
      one[end]();
      await pass(40);
      assert.ok(looks.length >= 4, `${end}: ${looks.length}`);
      assert.ok(
        gaps().every((gap) => gap >= SOONEST && gap <= LATEST + 1.1),
        `${end}: ${gaps().join()}`,
      );
      setPrice(0.2);
      await passUntil(() => told.length > 0, "it is told");
      assert.equal(told[0]?.by, "window-1");
    }
  });

  test("aren't repeated by a window that opens, nor by many", async () => {
    const { watch, gaps, pass, open } = await withWatchingWindows();
    await watch();
    for (let at = 1; at < 5; at += 1) {
      await pass(7);
      await open(`window-${at}`);
    }
    await pass(30);
    assert.ok(
      gaps().every((gap) => gap >= SOONEST),
      gaps().join(),
    );
  });

  test("go on in the next window after all were closed, and one is made up for at once", async () => {
    const { watch, looks, pass, first, open, passUntil, told, setPrice } = await withWatchingWindows();
    await watch();
    await pass(5);
    first.close();
    await pass(60);
    assert.equal(looks.length, 1);
    setPrice(0.2);
    await open("window-1");
    await passUntil(() => told.length === 1, "it is told");
    assert.equal(looks.length, 2);
  });

  test("come half as often after each 429, and as before after a success", async () => {
    const { watch, looks, pass, passUntil, service, list } = await withWatchingWindows({ count: 2 });
    await watch();
    await pass(1);
    service.faults.add("429@searchOffers");
    const next = async () => ((await list())[0]?.look?.next ?? 0) - ((await list())[0]?.look?.at ?? 0);
    for (const [refusals, minutes] of [
      [1, 20],
      [2, 40],
      [3, 80],
    ] as const) {
      await passUntil(async () => (await list())[0]?.look?.refusals === refusals, `refusal ${refusals}`);
      const pause = (await next()) / 60_000;
      assert.ok(pause >= minutes * 0.9 && pause <= minutes * 1.1, `${pause} min after refusal ${refusals}`);
      const before = looks.length;
      await pass(minutes * 0.9 - 2);
      assert.equal(looks.length, before, "nothing is asked meanwhile");
    }
    service.faults.clear();
    await passUntil(async () => (await list())[0]?.look?.refusals === 0, "a success");
    assert.ok((await next()) <= LATEST * 60_000);
  });

  test("stay apart after a 429 while the service fails in another way", async () => {
    const { watch, pass, passUntil, service, list } = await withWatchingWindows();
    await watch();
    await pass(1);
    const look = async () => (await list())[0]?.look;
    service.faults.add("429@searchOffers");
    await passUntil(async () => (await look())?.refusals === 2, "two refusals");
    const before = (await look())?.at;
    service.faults.clear();
    service.faults.add("500@searchOffers");
    await passUntil(async () => (await look())?.at !== before, "a failure");
    const { at = 0, next = 0 } = (await look()) ?? {};
    assert.ok((next - at) / 60_000 >= 36, `${(next - at) / 60_000} min`);
  });

  test("that fail say so, and tell nothing", async () => {
    const { watch, pass, service, list, told, setPrice, passUntil } = await withWatchingWindows();
    await watch();
    await pass(1);
    setPrice(0.2);
    service.faults.add("500@searchOffers");
    await passUntil(async () => (await list())[0]?.look?.problem !== undefined, "it fails");
    assert.equal(told.length, 0);
    service.faults.clear();
    await passUntil(() => told.length === 1, "then it is told");
    assert.equal((await list())[0]?.look?.problem, undefined);
  });

  test("end with a refused key", async () => {
    const { watch, looks, pass, service, passUntil, list } = await withWatchingWindows();
    await watch();
    await pass(1);
    service.faults.add("401@searchOffers");
    await passUntil(async () => (await list())[0]?.look?.problem !== undefined, "it is refused");
    const before = looks.length;
    await pass(60);
    assert.equal(looks.length, before);
  });

  test("end with the sign-out, and go on when somebody signs in to the account again", async () => {
    const { watch, looks, pass, passUntil, windows, first, url, service, told, setPrice } = await withWatchingWindows({
      count: 2,
    });
    await watch();
    await pass(1);
    for (const { session } of windows) await session.signOut();
    setPrice(0.2);
    await pass(90);
    assert.deepEqual([looks.length, told.length], [1, 0]);
    await first.session.signIn(url, service.apiKey);
    await passUntil(() => told.length === 1, "it is told");
  });

  test("of one account end with the switch to another, while another window goes on", async () => {
    const { watch, looks, pass, passUntil, windows, told, setPrice } = await withWatchingWindows({ count: 2 });
    const [one] = windows;
    assert.ok(one);
    await watch();
    await pass(1);
    const other = await sandbox();
    await one.session.signIn(other.url, other.apiKey);
    assert.deepEqual(await one.priceWatches.list(one.me()), [], "the other account has none");
    setPrice(0.2);
    await passUntil(() => told.length === 1, "it is told");
    assert.equal(told[0]?.by, "window-1");
    const before = looks.length;
    windows[1]?.close();
    await pass(40);
    assert.equal(looks.length, before);
  });

  test("come sooner or later than usual after a sleep or a clock that was set, but never more often", async () => {
    const { watch, looks, pass, sleepFor } = await withWatchingWindows({ count: 2 });
    await watch();
    await pass(5);
    sleepFor(8 * 3_600_000);
    await pass(2);
    assert.equal(looks.length, 2, "one after the sleep");
    sleepFor(-9 * 3_600_000);
    await pass(30);
    assert.ok(looks.length >= 4 && looks.length <= 7, String(looks.length));
  });

  test("are as far apart as ever where the disk is full", async () => {
    let isFull = false;
    const disk = {
      ...realDisk,
      create: async (path: string, text: string) => {
        if (isFull) throw new Error("ENOSPC");
        return await realDisk.create(path, text);
      },
    };
    const { watch, looks, pass, told, setPrice } = await withWatchingWindows({ parts: { disk } });
    await watch();
    await pass(1);
    isFull = true;
    setPrice(0.2);
    await pass(60);
    assert.ok(looks.length <= 8, String(looks.length));
    assert.equal(told.length, 0, "what can't be noted as told isn't told");
    isFull = false;
    await pass(12);
    assert.equal(told.length, 1);
  });
});

describe("a watch", () => {
  test("that is snoozed says nothing for an hour, in whichever window, and then does", async () => {
    const { watch, told, setPrice, pass, passUntil, windows, open } = await withWatchingWindows({ count: 2 });
    const name = await watch();
    await windows[1]?.priceWatches.snooze(windows[1].me(), name);
    setPrice(0.2);
    await pass(30);
    windows[0]?.kill();
    await open("window-2");
    await pass(25);
    assert.equal(told.length, 0);
    await passUntil(() => told.length === 1, "then it is told");
  });

  test("that is stopped is asked about no more, in any window", async () => {
    const { watch, looks, pass, windows, list } = await withWatchingWindows({ count: 2 });
    const name = await watch();
    await pass(1);
    assert.equal(await windows[1]?.priceWatches.stop(windows[1].me(), name), true);
    await pass(60);
    assert.deepEqual([looks.length, (await list()).length, windows[0]?.priceWatches.count], [1, 0, 0]);
    assert.equal(await windows[0]?.priceWatches.stop(windows[0].me(), name), false);
    assert.equal(await windows[0]?.priceWatches.snooze(windows[0].me(), name), false);
  });

  test("can be changed, and is told anew then, unless another window was faster", async () => {
    const { watch, told, first, list, setPrice, pass, passUntil, search, windows } = await withWatchingWindows({
      count: 2,
    });
    await watch();
    setPrice(0.25);
    await passUntil(() => told.length === 1, "it is told");
    const [entry] = await list();
    assert.ok(entry);
    const lower = { search, goal: { kind: "price", most: 0.28 }, template: undefined } as const;
    assert.equal(await first.priceWatches.change(first.me(), entry, lower), true);
    assert.equal(await windows[1]?.priceWatches.change(windows[1].me(), entry, lower), false, "it was changed");
    await pass(30);
    assert.equal(told.length, 1, "not within the hour");
    await passUntil(() => told.length === 2, "it is told anew");
    assert.equal(told[1]?.watch.goal.most, 0.28);
  });

  test("is one of five at most, also when two windows add the last one at once", async () => {
    const { watch, list, windows } = await withWatchingWindows({ count: 2 });
    for (let at = 1; at < MOST_WATCHES; at += 1) await watch();
    const both = await Promise.allSettled(windows.map((window) => watch(undefined, window)));
    assert.ok(both.some(({ status }) => status === "fulfilled"));
    assert.equal((await list()).length, MOST_WATCHES);
    await assert.rejects(watch(), { kind: "rejected", message: /up to 5 prices/ });
  });

  test("may be of any disk that a template recommends", async () => {
    const { first, search, list } = await withWatchingWindows();
    const goal = { kind: "price", most: 0.3 } as const;
    await first.priceWatches.add(first.me(), { search: { ...search, diskGb: 2_000_000 }, goal, template: undefined });
    assert.equal((await list())[0]?.watch.search.diskGb, 2_000_000);
  });

  test("isn't added to an account that was left meanwhile", async () => {
    const { first, search, list } = await withWatchingWindows();
    const [before, other] = [first.me(), await sandbox()];
    await first.session.signIn(other.url, other.apiKey);
    const goal = { kind: "price", most: 0.3 } as const;
    await assert.rejects(first.priceWatches.add(before, { search, goal, template: undefined }), /switched accounts/);
    assert.deepEqual([await list(), await first.priceWatches.list(before)], [[], []]);
  });

  test("that is damaged, foreign or hostile costs only itself", async () => {
    const { watch, list, userData, told, setPrice, passUntil, first } = await withWatchingWindows();
    const name = await watch();
    const folder = join(userData.root, "price-watches");
    const odd = {
      "wat-00000000000000000000.watch-1": "{",
      "wat-11111111111111111111.watch-1": '{"version":2}',
      [`${name}.watch-2`]: "",
      [`${name}.told-x`]: "",
      "../x": "",
      "wat-22222222222222222222.told-1": "{}",
    };
    for (const [file, text] of Object.entries(odd)) await writeFile(join(folder, file), text);
    assert.deepEqual(
      (await list()).map((entry) => [entry.name, entry.version]),
      [[name, 1]],
    );
    await first.priceWatches.tidy();
    assert.ok(
      !(await readdir(folder)).includes("wat-22222222222222222222.told-1"),
      "what belongs to nothing is removed",
    );
    setPrice(0.2);
    await passUntil(() => told.length === 1, "it is told");
  });

  test("of a sandbox is forgotten after a week, and no other, whatever its address", async () => {
    const { watch, list, first, sleepFor, userData, service, url } = await withWatchingWindows();
    await watch();
    sleepFor(8 * 86_400_000);
    await first.priceWatches.tidy();
    assert.equal((await list()).length, 1);
    await first.priceWatches.stop(first.me(), (await list())[0]?.name ?? "");
    await first.session.enterSandbox(url, service.apiKey);
    await watch();
    sleepFor(6 * 86_400_000);
    await first.priceWatches.tidy();
    assert.equal((await list()).length, 1);
    sleepFor(2 * 86_400_000);
    await first.priceWatches.tidy();
    assert.equal((await list()).length, 0);
    const left = await readdir(join(userData.root, "price-watches"));
    assert.ok(
      left.every((file) => !file.startsWith("wat-")),
      left.join(),
    );
  });
});

describe("without a watch", () => {
  test("nothing is planned, asked or written", async () => {
    const { looks, pass, userData, first } = await withWatchingWindows({ count: 2 });
    await pass(60);
    assert.deepEqual(
      [looks, await readdir(join(userData.root, "price-watches")), first.priceWatches.count],
      [[], [], 0],
    );
    assert.deepEqual(
      await readdir(join(userData.root, "windows")).catch(() => []),
      [],
      "no window shows that it lives",
    );
  });
});
