// What instances cost, over a simulated week with gaps, two windows and a service that keeps its own bill; and what someone hears
// who comes back.
import assert from "node:assert/strict";
import { appendFile, mkdir, readdir, readFile, rm, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Absence } from "../../../src/domain/account/absence.ts";
import { writeLine } from "../../../src/domain/account/ledger.ts";
import { sumSpent, toSpentRange } from "../../../src/domain/account/spending.ts";
import { InstanceId } from "../../../src/domain/base/id.ts";
import { type Clock, sleep } from "../../../src/lib/clock.ts";
import { buildSpendingView } from "../../../src/present/account/spending-page.ts";
import { createManualClock } from "../../../src/sandbox/base/clock.ts";
import { createInstance } from "../../../src/sandbox/handlers/create-instance.ts";
import type { Sandbox } from "../../../src/sandbox/start.ts";
import { startInstance, stopInstance } from "../../../src/sandbox/world/lifecycle.ts";
import { LedgerFiles } from "../../../src/services/account/ledger-files.ts";
import { readSpentOnEach } from "../../../src/services/account/read-spent.ts";
import { type Disk, realDisk } from "../../../src/services/core/book/disk.ts";
import { lifeOf, type Parts } from "../editor-window.ts";
import { editorWindow, eventually, makeUserData, middleman, sandbox } from "../support.ts";

const [MINUTE, HOUR] = [60, 3600];
const NOBODY_LOOKS = { isFocused: () => false, onDidChange: () => ({ dispose: () => undefined }) };

/** A service and a computer with one clock, which stands still until it is moved. */
async function withClock() {
  const time = createManualClock(1_790_000_000);
  const service = await sandbox({ clock: time });
  const { world } = service;
  world.account.credit = 1e6;
  const clock: Clock = {
    now: () => time.now() * 1000,
    elapsed: () => performance.now() * 1000,
    sleep: (ms, signal) => sleep(ms / 1000, signal),
  };
  const userData = makeUserData();
  const open = async (name = "window", url = service.url, parts: Parts = {}) => {
    const window = editorWindow(userData, { clock, liveness: lifeOf(name), attention: NOBODY_LOOKS, ...parts });
    const absences: Absence[] = [];
    window.whileAway.onNotice(({ absence }) => void absences.push(absence));
    if (userData.keys.size === 0) await window.session.signIn(url, service.apiKey);
    else await window.session.restore();
    return { ...window, absences, look: () => window.instances.collection.refresh() };
  };
  const read = async (window: Awaited<ReturnType<typeof open>>, from: number) =>
    await window.spending.read(window.me(), { from: from * 1000, to: time.now() * 1000 });
  return { time, service, world, userData, open, read, folder: join(userData.root, "ledger") };
}

function rent({ world }: Pick<Sandbox, "world">, label: string): number {
  const offer = world.offers.find((one) => world.isRentable(one));
  assert.ok(offer);
  world.setFate(offer.id, "runs");
  return createInstance(world, offer.id, { image: "a/b", label, runtype: "ssh_direct", target_state: "running" }).id;
}

/** What the service billed for instances. */
const billOf = ({ world }: Pick<Sandbox, "world">): number => {
  world.settle();
  return world.bills
    .list(0, 1e12)
    .flatMap(({ items }) => items)
    .reduce((sum, { amount }) => sum + amount, 0);
};

describe("a simulated week", () => {
  test("what was observed is no more than the bill, which lies in the range; with the charges it is the bill", async () => {
    const { time, service, world, open, read } = await withClock();
    const began = time.now();
    const windows = [await open("one"), await open("two")];
    const [first, second] = windows;
    assert.ok(first && second);
    const ids: number[] = [];
    const look = async (minutes: number, which = windows) => {
      for (let at = 0; at < minutes; at += 2) {
        for (const window of which) await window.look();
        time.advance(2 * MINUTE);
      }
    };
    for (let day = 0; day < 7; day++) {
      await look(30);
      ids.push(rent(service, `day ${day}`));
      await look(40, [first]);
      const old = world.listInstances().find(({ id }) => id === ids[day - 2]);
      if (old) stopInstance(old, world.getNow());
      // The computer sleeps, or is shut.
      time.advance(5 * HOUR);
      await look(20, [second]);
      const held = world.listInstances().find(({ id }) => id === ids[day - 3]);
      if (held && day % 2 === 0) startInstance(held, world.getNow(), true);
      if (day === 4) world.destroy(ids[0] ?? 0);
      time.advance(24 * HOUR - ((time.now() - began) % (24 * HOUR)));
    }
    await look(10);
    const { stretches, charged } = await read(first, began);
    const spent = sumSpent(stretches);
    const [bill, { low, high }] = [billOf(service), toSpentRange(spent)];
    assert.ok(bill > 10, `$${bill} were billed`);
    assert.ok(spent.observed > 0 && spent.observed <= bill * 1.001, `${spent.observed} observed of ${bill}`);
    assert.ok(low <= bill * 1.01 && bill <= high * 1.01, `${low} ≤ ${bill} ≤ ${high}`);
    assert.ok(charged.kind === "known" && charged.charges.isComplete);
    const sum = charged.charges.charges.reduce((all, { amount }) => all + amount, 0);
    assert.ok(Math.abs(sum - bill) <= bill * 0.01, `${sum} charged of ${bill}`);
    const other = sumSpent((await read(second, began)).stretches);
    assert.deepEqual(other, spent, "both windows say the same");
  });

  test("of machines that ran through every gap, it is the bill within 1 %", async () => {
    const { time, service, open, read } = await withClock();
    const window = await open();
    await window.look();
    const began = time.now();
    for (const name of ["a", "b", "c"]) rent(service, name);
    for (let at = 0; at < 5; at++) {
      await window.look();
      time.advance(30);
    }
    for (let day = 0; day < 7; day++) {
      for (let minute = 0; minute < 60; minute += 2) {
        await window.look();
        time.advance(2 * MINUTE);
      }
      time.advance(23 * HOUR);
    }
    await window.look();
    const { low, high } = toSpentRange(sumSpent((await read(window, began)).stretches));
    const bill = billOf(service);
    for (const end of [low, high]) assert.ok(Math.abs(end - bill) <= bill * 0.01, `${low} to ${high} of ${bill}`);
  });
});

test("what each instance has cost is told of the account's own alone, and together it is the bill", async () => {
  const { time, service, world, open } = await withClock();
  const window = await open();
  const ids = ["a", "b"].map((name) => rent(service, name));
  for (let at = 0; at < 60; at++) {
    await window.look();
    time.advance(MINUTE);
  }
  await window.look();
  const instances = window.instances.rows.map(({ value }) => value);
  const spent = await readSpentOnEach(window, window.me(), instances);
  assert.deepEqual([...spent.keys()].toSorted(), ids.toSorted());
  const ranges = [...spent.values()].map(toSpentRange);
  const [low, high] = [ranges.reduce((sum, one) => sum + one.low, 0), ranges.reduce((sum, one) => sum + one.high, 0)];
  const bill = billOf({ world });
  assert.ok(low > 0 && low <= bill * 1.01 && high >= bill * 0.99, `${low} to ${high} of ${bill}`);
  assert.ok([...spent.values()].every(({ isOpen }) => !isOpen));
  const earlier = instances.map((one) => ({ ...one, start_date: (one.start_date ?? 0) - HOUR }));
  for (const { isOpen } of (await readSpentOnEach(window, window.me(), earlier)).values())
    assert.ok(isOpen, "what it cost before it was seen isn't known");
  const unknown = instances.map((one) => ({ ...one, start_date: undefined }));
  assert.equal((await readSpentOnEach(window, window.me(), unknown)).size, 0);
  const other = await sandbox({ seed: 2 });
  await window.session.signIn(other.url, other.apiKey);
  assert.equal((await readSpentOnEach(window, window.me(), instances)).size, 0);
});

test("what was spent today is known as soon as the list was read, and another account's isn't", async () => {
  const { time, service, open } = await withClock();
  const window = await open();
  assert.equal(window.ledger.today, undefined);
  await window.look();
  rent(service, "today");
  for (let at = 0; at < 40; at++) {
    await window.look();
    time.advance(MINUTE);
  }
  await window.look();
  await eventually(() => toSpentRange(window.ledger.today ?? sumSpent([])).high > 0, "something was spent");
  const spent = window.ledger.today;
  assert.ok(spent && toSpentRange(spent).low > 0);
  const other = await sandbox({ seed: 2 });
  await window.session.signIn(other.url, other.apiKey);
  assert.equal(window.ledger.today, undefined);
  await window.look();
  const { stretches } = await window.spending.read(window.me(), { from: 0, to: time.now() * 1000 });
  assert.deepEqual(stretches, []);
});

test("an answer for an account that was left meanwhile is dropped", async () => {
  const { open, read } = await withClock();
  const window = await open();
  await window.look();
  const reading = read(window, 0);
  const [result] = await Promise.allSettled([reading, window.session.signOut()]);
  assert.equal(result.status, "rejected");
});

describe("a service whose list changes each time", () => {
  test("fills neither the disk nor what is known: amounts become ranges that hold the bill", async () => {
    const { time, service, world, open, read, folder } = await withClock();
    const window = await open();
    await window.look();
    for (let at = 0; at < 20; at++) rent(service, `busy ${at}`);
    const record = world.toRecord.bind(world);
    let turn = 0;
    world.toRecord = (one) => ({
      ...record(one),
      label: `${turn} `.repeat(100),
      template_name: `${turn}.`.repeat(100),
    });
    const sizeOf = async () => {
      const files = (await readdir(folder)).filter((name) => name.endsWith(".jsonl"));
      return (await Promise.all(files.map((name) => stat(join(folder, name))))).reduce(
        (sum, { size }) => sum + size,
        0,
      );
    };
    const began = time.now();
    for (turn = 0; turn < 80; turn++) {
      await window.look();
      time.advance(30);
    }
    await read(window, began);
    const [size, seconds] = [await sizeOf(), time.now() - began];
    assert.ok(size < 600_000 + (4_100_000 * seconds) / 86_400, `${size} bytes in ${seconds} s`);
    const { low, high } = toSpentRange(sumSpent((await read(window, began)).stretches));
    const bill = billOf(service);
    assert.ok(low <= bill * 1.01 && bill <= high * 1.01 && high > 0, `${low} ≤ ${bill} ≤ ${high}`);
  });

  test("keeps no more of it in memory than was asked for last, and finds the rest again", async () => {
    const folder = makeUserData().root;
    const files = new LedgerFiles(folder);
    const id = InstanceId.parse(7);
    const start = Date.UTC(2026, 10, 2);
    const name = LedgerFiles.nameFor(start);
    const readings = Array.from({ length: 50 }, (_, at) => ({
      ...{ at: start + at * HOUR * 1000, hasGaps: at % 7 === 3 },
      seen: new Map([[id, { id, low: at, high: at }]]),
    }));
    const lines = readings.map((now, at) => writeLine(readings[at - 1], now));
    await files.append(name, [{ version: 1, origin: "https://gpu.example.com", account: "a" }, ...lines]);
    const ask = async (from: number) =>
      (await files.read({ since: start, from, isWanted: () => true, isEnough: () => true })).readings;
    const all = await ask(start);
    assert.deepEqual(all, readings);
    const first = new WeakRef(all[0] ?? {});
    all.length = 0;
    const from = start + 40.5 * HOUR * 1000;
    assert.deepEqual(await ask(from), readings.slice(40), "and the last list before it");
    assert.deepEqual(await ask(start + 38.5 * HOUR * 1000), readings.slice(37), "a list with gaps says too little");
    assert.deepEqual(await ask(from), readings.slice(40));
    setFlagsFromString("--expose-gc");
    // What was made in this turn is kept until the next one.
    await sleep(1);
    (runInNewContext("gc") as () => void)();
    assert.equal(first.deref(), undefined, "what came before is gone");
    assert.deepEqual(await ask(0), readings);
  });
});

test("a file that is damaged, cut off or from elsewhere costs nothing else", async () => {
  const { time, service, open, read, folder } = await withClock();
  const window = await open();
  await window.look();
  rent(service, "kept");
  for (let at = 0; at < 20; at++) {
    await window.look();
    time.advance(MINUTE);
  }
  await window.look();
  const before = sumSpent((await read(window, 0)).stretches);
  assert.ok(before.observed > 0);
  const [name = ""] = (await readdir(folder)).filter((one) => one.endsWith(".jsonl"));
  const month = name.slice(0, 7);
  const put = (text: string) => appendFile(join(folder, `${month}.${crypto.randomUUID()}.jsonl`), text);
  await put("");
  await put("not json\n");
  await put(
    `${JSON.stringify({ version: 1, origin: "https://elsewhere.example", account: "x" })}\n{"at":1,"isFull":true,"set":[{"id":9,"low":5,"high":5}]}\n`,
  );
  await put(`${(await readFile(join(folder, name), "utf8")).split("\n")[0]}\n{"at":17,"set":[{"id":9,`);
  await appendFile(join(folder, name), '{"at":');
  await appendFile(join(folder, "README"), "hello");
  await mkdir(join(folder, `${month}.${crypto.randomUUID()}.jsonl`));
  assert.deepEqual(sumSpent((await read(window, 0)).stretches), before);
  const again = await open("again");
  await again.look();
  assert.ok(sumSpent((await read(again, 0)).stretches).observed >= before.observed);
  await rm(folder, { recursive: true });
  assert.deepEqual((await read(again, 0)).stretches, [], "nothing is left, and nobody minds");
});

test("a file that can't be read costs nothing else, and is named where amounts are shown", async () => {
  const { time, service, open, read, folder } = await withClock();
  const window = await open();
  rent(service, "kept");
  for (let at = 0; at < 20; at++) {
    await window.look();
    time.advance(MINUTE);
  }
  const before = sumSpent((await read(window, time.now() - HOUR)).stretches);
  assert.ok(before.observed > 0);
  const unread = `${new Date(time.now() * 1000).toISOString().slice(0, 7)}.${crypto.randomUUID()}.jsonl`;
  // A link to itself can't be opened, not even by the one who may read everything.
  await symlink(unread, join(folder, unread));
  const after = await read(window, time.now() - HOUR);
  assert.deepEqual(sumSpent(after.stretches), before);
  assert.deepEqual(after.unread, [unread]);
  const { remarks } = buildSpendingView({ ...after, sandbox: false }, { period: "today", group: "day" });
  assert.ok(remarks.some((remark) => remark.includes(unread)));
  assert.equal(window.absences.length, 0);
});

test("a key that may not read charges still has its own record", async () => {
  const { service, open, read } = await withClock();
  const window = await open();
  await window.look();
  service.faults.add("403@listCharges");
  const { charged } = await read(window, 0);
  assert.ok(charged.kind === "unknown" && charged.error.kind === "not-allowed");
});

describe("while you were away", () => {
  /** An instance that is rented while a window looks, and ends after that was closed. @returns its ID. */
  const endWhileAway = async ({ time, service, world, open }: Awaited<ReturnType<typeof withClock>>, url?: string) => {
    const before = await open("before", url);
    await before.look();
    const id = rent(service, "ends");
    for (let at = 0; at < 5; at++) {
      time.advance(MINUTE);
      await before.look();
    }
    before.close();
    time.advance(9 * HOUR);
    world.destroy(id);
    return id;
  };

  test("is told once, by one of the windows that open, with what ended and what is billed", async () => {
    const { time, service, world, open, read } = await withClock();
    const before = await open();
    await before.look();
    const [ends, stays] = [rent(service, "ends"), rent(service, "stays")];
    for (let at = 0; at < 20; at++) {
      time.advance(MINUTE);
      await before.look();
    }
    // Its last reading is on the disk then.
    await read(before, time.now() - HOUR);
    before.close();
    time.advance(9 * HOUR);
    world.destroy(ends);
    const windows = [await open("one"), await open("two")];
    for (const window of windows) await window.look();
    await eventually(() => windows.some(({ absences }) => absences.length > 0), "it is told");
    await sleep(300);
    const told = windows.flatMap(({ absences }) => absences);
    assert.equal(told.length, 1);
    const [absence] = told;
    assert.deepEqual(
      absence?.ended.map(({ id }) => Number(id)),
      [ends],
    );
    assert.deepEqual(
      absence?.billed.map(({ id }) => Number(id)),
      [stays],
    );
    assert.ok(toSpentRange(absence?.spent ?? sumSpent([])).high > 0);
    for (const window of windows) window.close();
    time.advance(10 * MINUTE);
    const soon = await open("soon");
    await soon.look();
    await sleep(300);
    assert.deepEqual(soon.absences, [], "nobody was away for long");
  });

  test("is told once the account is back, if it was left at that moment", async () => {
    const stage = await withClock();
    const { time, service, open } = stage;
    const other = await sandbox({ seed: 2 });
    const id = await endWhileAway(stage);
    let leave: (() => Promise<unknown>) | undefined;
    const disk: Disk = {
      ...realDisk,
      create: async (path, text) => {
        const isCreated = await realDisk.create(path, text);
        if (/away-/.test(path)) await leave?.();
        return isCreated;
      },
    };
    const after = await open("after", service.url, { disk });
    let isLeft = false;
    leave = async () => {
      leave = undefined;
      await after.session.signIn(other.url, other.apiKey);
      isLeft = true;
    };
    await after.look();
    await eventually(() => isLeft, "it was claimed, and the account was left");
    assert.equal(after.absences.length, 0, "nothing is told of one account in the other");
    await after.session.signIn(service.url, service.apiKey);
    await after.look();
    await eventually(() => after.absences.length > 0, "it is told");
    time.advance(MINUTE);
    await after.look();
    assert.deepEqual(
      after.absences.map(({ ended }) => ended.map((one) => Number(one.id))),
      [[id]],
    );
  });

  test("is told by another window, if the one that was about to tell left the account at that moment", async () => {
    const stage = await withClock();
    const { time, service, open } = stage;
    const other = await sandbox({ seed: 2 });
    const id = await endWhileAway(stage);
    let leave: (() => Promise<unknown>) | undefined;
    const disk: Disk = {
      ...realDisk,
      create: async (path, text) => {
        const isCreated = await realDisk.create(path, text);
        if (/away-/.test(path)) await leave?.();
        return isCreated;
      },
    };
    const second = await open("second");
    const first = await open("first", service.url, { disk });
    let isLeft = false;
    leave = async () => {
      leave = undefined;
      await second.look();
      // It sees that another window tells it.
      await sleep(200);
      await first.session.signIn(other.url, other.apiKey);
      isLeft = true;
    };
    await first.look();
    await eventually(() => isLeft, "it was claimed, and the account was left");
    time.advance(MINUTE);
    await second.look();
    await eventually(() => second.absences.length > 0, "it is told");
    assert.deepEqual(
      second.absences.map(({ ended }) => ended.map((one) => Number(one.id))),
      [[id]],
    );
  });

  test("is told as well if the first list after it has gaps", async () => {
    const stage = await withClock();
    const { time, service, open } = stage;
    let hasGap = false;
    const url = await middleman(service.url, (path, status, text) => {
      if (!hasGap || !path.startsWith("/api/v1/instances/")) return { status, text };
      const list = JSON.parse(text) as { instances: unknown[] };
      return { status, text: JSON.stringify({ ...list, instances: [...list.instances, { id: null }] }) };
    });
    const id = await endWhileAway(stage, url);
    hasGap = true;
    const after = await open("after");
    await after.look();
    await sleep(300);
    assert.equal(after.absences.length, 0, "nobody knows yet what is gone");
    hasGap = false;
    time.advance(MINUTE);
    await after.look();
    await eventually(() => after.absences.length > 0, "it is told");
    assert.deepEqual(
      after.absences.map(({ ended }) => ended.map((one) => Number(one.id))),
      [[id]],
    );
  });

  for (const days of [40, 100])
    test(`is told after ${days} days, which cost the most`, async () => {
      const { time, service, open, read } = await withClock();
      const before = await open();
      await before.look();
      const began = time.now();
      rent(service, "forgotten");
      for (let at = 0; at < 5; at++) {
        time.advance(MINUTE);
        await before.look();
      }
      before.close();
      time.advance(days * 24 * HOUR);
      const after = await open("after");
      await after.look();
      await eventually(() => after.absences.length > 0, "it is told");
      const bill = billOf(service);
      const [absence] = after.absences;
      const { high } = toSpentRange(absence?.spent ?? sumSpent([]));
      assert.ok(Math.abs(high - bill) < bill * 0.01, `${high} of ${bill}`);
      const week = sumSpent((await read(after, time.now() - 7 * 24 * HOUR)).stretches);
      const share = (bill * 7 * 24 * HOUR) / (time.now() - began);
      assert.ok(Math.abs(toSpentRange(week).high - share) < share * 0.01, `${toSpentRange(week).high} of ${share}`);
    });
});
