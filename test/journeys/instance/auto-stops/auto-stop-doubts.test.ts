// Ends that must not come, or not like that: of the wrong instance, too late, from a window that died, after a later end, from broken files.
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { InstanceId } from "../../../../src/domain/base/id.ts";
import { sleep } from "../../../../src/lib/clock.ts";
import { createInstance } from "../../../../src/sandbox/handlers/create-instance.ts";
import { startInstance, stopInstance } from "../../../../src/sandbox/world/lifecycle.ts";
import { type Disk, realDisk } from "../../../../src/services/core/book/disk.ts";
import { publishFile } from "../../../../src/services/core/book/publish.ts";
import { findLatestAutoStop } from "../../../../src/services/instance/auto-stops/auto-stop-entry.ts";
import { AutoStopJournal } from "../../../../src/services/instance/auto-stops/auto-stop-journal.ts";
import { createIntent } from "../../../../src/services/launch/intent.ts";
import { planFor } from "../../editor-window.ts";
import { rentRunning } from "../../rent-running.ts";
import { cheapest, eventually, makeUserData, pass, sandbox, serve } from "../../support.ts";
import { createMissing, HOUR, MINUTE, withWindows } from "./auto-stop-windows.ts";

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
    const { token } = createIntent();
    const one = await addInstance(windows, `${token} one`);
    const twin = await addInstance(windows, `${token} twin`);
    await first.autoStops.set(first.me(), { id: one.id, token }, { hours: 1, ending: "destroy" });
    assert.equal(first.autoStops.findAutoStop(twin), undefined);
    forward(HOUR + 1000);
    await eventually(() => kinds().includes("ended"), "it ends");
    await sleep(1500);
    assert.deepEqual(kinds(), ["ended"]);
    const left = world.listInstances().map(({ id }) => id);
    assert.ok(!left.includes(one.id) && left.includes(twin.id));
  });

  test("and not for one that had been rented long before and was given the label of the launch", async () => {
    const windows = await withWindows(1);
    const { first, forward, kinds, world } = windows;
    const old = await addInstance(windows, "old");
    const record = world.listInstances().find(({ id }) => id === old.id);
    assert.ok(record);
    Object.assign(record, { createdAt: record.createdAt - 3 * 86_400 });
    const { token } = createIntent();
    await first.autoStops.set(first.me(), { token }, { hours: 1, ending: "destroy" });
    await first.me().client.labelInstance(old.id, `${token} copied`);
    await first.instances.collection.refresh();
    const rented = await addInstance(windows, `${token} rented`);
    assert.equal(first.autoStops.findAutoStop(old), undefined);
    await eventually(() => first.autoStops.findAutoStop(rented) !== undefined, "it is recognized");
    forward(HOUR + 1000);
    await eventually(() => kinds().includes("ended"), "it ends");
    await sleep(1500);
    const left = world.listInstances().map(({ id }) => id);
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
      void first.autoStops.set(first.me(), { id: row.value.id }, wish).catch(() => undefined);
      const count = () => readdirSync(join(userData.root, "ends")).filter((name) => name.includes(".lease")).length;
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

describe("an end that may only be sooner", () => {
  test("isn't set in place of one that another window brought forward, or that destroys", async () => {
    const { set, inHours, first, row, windows } = await withWindows(2);
    const [, second] = windows;
    const sooner = (hours: number, ending: "stop" | "destroy") =>
      first.autoStops.set(first.me(), { id: row.value.id }, inHours(hours, ending), "later");
    assert.equal(await sooner(9, "stop"), "set", "there was none");
    await set(inHours(5, "remind"), second);
    assert.equal(await sooner(8, "stop"), "set", "a reminder ends nothing");
    await set(inHours(2, "stop"), second);
    assert.equal(await sooner(3, "stop"), "changed");
    await set({ ...inHours(2, "stop"), stoppedHours: 24 }, second);
    assert.equal(await sooner(1, "stop"), "changed", "its disk would never be destroyed");
    const end = first.autoStops.findAutoStop(row.value);
    assert.equal(end?.ending, "stop");
    assert.equal(await sooner(1, "destroy"), "set");
    assert.equal(await sooner(0.5, "stop"), "changed", "its disk would be kept, and billed");
    assert.equal(first.autoStops.findAutoStop(row.value)?.ending, "destroy");
    assert.equal(await sooner(0.5, "destroy"), "set");
  });

  test("is compared with that of its launch, though no window knows yet that it came to be this instance", async () => {
    const { first, world } = await withWindows(1);
    const { token } = createIntent();
    await first.autoStops.set(first.me(), { token }, { hours: 2, ending: "destroy" });
    const offer = world.offers.find((one) => world.isRentable(one));
    assert.ok(offer);
    const order = { image: "a/b", runtype: "ssh_direct", target_state: "running", label: `${token} one` };
    const id = InstanceId.parse(createInstance(world, offer.id, order).id);
    const set = (hours: number) =>
      first.autoStops.set(first.me(), { id, token }, { hours, ending: "destroy" }, "later");
    assert.equal(await set(3), "changed");
    assert.equal(await set(1), "set");
  });

  test("is compared with what is on the disk, not with what this window knows", async () => {
    const { set, inHours, first, row, service } = await withWindows(1);
    await set(inHours(2, "destroy"));
    await first.session.signOut();
    await first.session.signIn(service.url, service.apiKey);
    const later = first.autoStops.set(first.me(), { id: row.value.id }, inHours(3, "destroy"), "later");
    assert.equal(await later, "changed");
  });
});

describe("an answer to a message", () => {
  test("that is about an end which changed since changes nothing", async () => {
    const { set, inHours, first, row, forward, told, windows } = await withWindows(2);
    await set(inHours(1, "destroy"));
    forward(55 * MINUTE);
    await eventually(() => told.length > 0, "a reminder");
    const [, notice] = told[0] ?? [];
    assert.ok(notice);
    assert.equal(await set(inHours(8, "stop"), windows[1]), "set");
    const target = { id: row.value.id };
    const wish = { until: notice.end.until + HOUR, ending: notice.end.ending };
    assert.equal(await first.autoStops.set(first.me(), target, wish, notice.end), "changed");
    assert.equal(await first.autoStops.set(first.me(), target, undefined, notice.end), "changed");
    assert.equal(first.autoStops.findAutoStop(row.value)?.ending, "stop");
  });

  test("says so if the end was carried out meanwhile", async () => {
    const { set, inHours, first, row, forward, kinds, told } = await withWindows(1);
    await set(inHours(1, "stop"));
    forward(55 * MINUTE);
    await eventually(() => told.length > 0, "a reminder");
    const [, notice] = told[0] ?? [];
    assert.ok(notice);
    forward(5 * MINUTE);
    await eventually(() => kinds().includes("ended"), "it is stopped");
    await eventually(() => first.autoStops.findAutoStop(row.value) === undefined, "it is over");
    const wish = { until: notice.end.until + HOUR, ending: notice.end.ending };
    assert.equal(await first.autoStops.set(first.me(), { id: row.value.id }, wish, notice.end), "changed");
    assert.equal(first.autoStops.findAutoStop(row.value), undefined);
    assert.equal(await set(inHours(1, "stop")), "set", "one that is set afterward is no question of the one before");
  });

  test("that comes just when the order leaves says that it may have left", async () => {
    const sent = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    const windows = await withWindows(2, {}, async (service) =>
      serve(async (request, body) => {
        if (request.method === "DELETE") {
          sent.resolve();
          await answer.promise;
        }
        return await pass(service.url, request, body);
      }),
    );
    const { set, inHours, forward, first } = windows;
    await set(inHours(1, "destroy"));
    forward(HOUR + 1000);
    await sent.promise;
    const changed = set(undefined, first);
    await sleep(200);
    answer.resolve();
    assert.equal(await changed, "late");
  });
});

test("an end that has passed while it was asked for is refused, and nothing is rented with it", async () => {
  const { set, first, clock, world } = await withWindows(1);
  const until = clock.now() - 1000;
  await assert.rejects(set({ until, ending: "destroy" }), /passed/);
  const before = world.listInstances().length;
  const plan = { ...planFor(await cheapest(first)), end: { until, ending: "destroy" } as const };
  const outcome = await first.rent(plan, createIntent());
  assert.ok(outcome.kind === "not-rented" && outcome.proven);
  assert.equal(world.listInstances().length, before);
});

describe("whatever becomes of the disk", () => {
  test("an end that was refused there isn't found there later", async () => {
    const { set, inHours, forward, first, row, isThere, kinds } = await withWindows(1, {
      disk: {
        ...realDisk,
        create: (path, text) =>
          publishFile(path, text, { sync: () => Promise.reject(new Error("the folder couldn't be synced")) }),
      },
    });
    await assert.rejects(set(inHours(1, "destroy")), /synced/);
    await sleep(200);
    assert.equal(first.autoStops.findAutoStop(row.value), undefined);
    forward(HOUR + 1000);
    await sleep(1500);
    assert.ok(isThere());
    assert.deepEqual(kinds(), []);
  });

  test("what an end did is told once, though that it is over can't be noted", async () => {
    let isFailing = true;
    const { set, inHours, forward, kinds, isThere } = await withWindows(2, {
      disk: {
        ...realDisk,
        create: (path, text) =>
          isFailing && path.includes(".over-") ? Promise.reject(new Error("full")) : realDisk.create(path, text),
      },
    });
    await set(inHours(1, "destroy"));
    forward(HOUR + 1000);
    await eventually(() => kinds().length > 0, "it is told");
    isFailing = false;
    await sleep(1500);
    assert.deepEqual(kinds(), ["ended"]);
    assert.ok(!isThere());
  });

  test("that ends can't be read is told once, and they are kept again once they can be", async () => {
    let isLocked = false;
    const locked = Object.assign(new Error("no permission"), { code: "EACCES" });
    const { set, inHours, forward, first, isThere, kinds } = await withWindows(1, {
      disk: {
        ...realDisk,
        names: (folder) => (isLocked && folder.endsWith("ends") ? Promise.reject(locked) : realDisk.names(folder)),
      },
    });
    const told: unknown[] = [];
    first.autoStops.onDidGetStuck((error) => told.push(error));
    await set(inHours(1, "destroy"));
    isLocked = true;
    first.autoStops.wake();
    for (let looks = 0; looks < 4; looks += 1) {
      forward(30_000);
      await sleep(100);
    }
    await eventually(() => told.length > 0, "it is told");
    assert.deepEqual(told, [locked]);
    isLocked = false;
    forward(HOUR);
    await eventually(() => kinds().includes("ended"), "it ends");
    assert.ok(!isThere());
    assert.equal(told.length, 1);
  });

  test("ends are kept beside files that are none", async () => {
    const { set, inHours, forward, userData, kinds, row, windows } = await withWindows(1);
    const folder = join(userData.root, "ends");
    const autoStop = {
      version: 1,
      id: row.value.id,
      origin: windows[0]?.me().address.origin,
      account: windows[0]?.me().tag,
    };
    const hostile = (at: number, more: object) => {
      const text = JSON.stringify({ ...autoStop, until: 1, ending: "destroy", at: 1, count: 1, ...more });
      writeFileSync(join(folder, `lea-${String(at).padStart(20, "0")}.lease`), text);
    };
    await set(inHours(8, "stop"));
    mkdirSync(join(folder, `lea-${"a".repeat(20)}.lease`));
    hostile(1, { until: 1e300, count: 7 });
    hostile(2, { until: -1e300, count: 8 });
    hostile(3, { count: Number.MAX_SAFE_INTEGER });
    hostile(4, { at: 1e300, count: 9 });
    for (let count = 10; count < 1000; count += 1) writeFileSync(join(folder, `lea-${count}.lease`), "");
    await set(inHours(1, "stop"));
    assert.equal(windows[0]?.autoStops.findAutoStop(row.value)?.ending, "stop");
    forward(HOUR + 1000);
    await eventually(() => kinds().includes("ended"), "it ends");
  });
});

describe("the end of a launch", () => {
  test("comes though its window was killed before it saw the instance, and nobody looks at the list", async () => {
    const windows = await withWindows(1);
    const { world, first, forward, kinds, open } = windows;
    const { token } = createIntent();
    await first.autoStops.set(first.me(), { token }, { hours: 1, ending: "destroy" });
    first.close();
    const offer = world.offers.find((one) => world.isRentable(one));
    assert.ok(offer);
    world.setFate(offer.id, "runs");
    const { id } = createInstance(world, offer.id, {
      image: "a/b",
      runtype: "ssh_direct",
      target_state: "running",
      label: token,
    });
    await open("next", [], {}, false);
    forward(HOUR + 1000);
    await eventually(() => kinds().includes("ended"), "it ends");
    assert.ok(!world.listInstances().some((one) => one.id === id));
  });

  test("that rented nothing costs one list at most, and its files are gone in time", async () => {
    let lists = 0;
    const { first, forward, kinds, userData, clock } = await withWindows(1, {}, async (service) =>
      serve(async (request, body) => {
        if (/instances\/?(\?|$)/.test(request.url ?? "") && request.method === "GET") lists += 1;
        return await pass(service.url, request, body);
      }),
    );
    await first.autoStops.set(first.me(), { token: createIntent().token }, { hours: 1, ending: "destroy" });
    lists = 0;
    forward(HOUR + 1000);
    await sleep(2500);
    assert.ok(lists <= 1, `${lists} lists`);
    forward(31 * 24 * HOUR);
    const journal = new AutoStopJournal(join(userData.root, "ends"));
    const newest = await writeNewest(journal, clock.now());
    await journal.tidy(clock.now());
    const left = readdirSync(join(userData.root, "ends"));
    assert.ok(left.length > 0 && left.every((name) => name.startsWith(newest)), left.join());
    assert.deepEqual(kinds(), []);
  });
});

test("a launch that the limits refuse leaves no end behind that is waited for", async () => {
  const { first, userData } = await withWindows(1, { limits: { pricePerHour: 0.000001 } });
  const intent = createIntent();
  const outcome = await first.rent({ ...planFor(await cheapest(first)), end: { hours: 1, ending: "destroy" } }, intent);
  assert.ok(outcome.kind === "not-rented" && outcome.proven);
  const entries = await new AutoStopJournal(join(userData.root, "ends")).readAll();
  assert.equal(findLatestAutoStop(entries, { token: intent.token })?.autoStop.until, null);
});

test("what is asked is asked by one window, even if its file is still empty when another one reads it", async () => {
  const disk: Disk = {
    ...realDisk,
    create: async (path, text) => {
      if (!path.includes("-told-")) return await realDisk.create(path, text);
      if (!(await realDisk.create(path, ""))) return false;
      await sleep(300);
      writeFileSync(path, text);
      return true;
    },
  };
  const { set, inHours, forward, kinds } = await withWindows(2, { disk });
  await set(inHours(1, "destroy"));
  forward(2 * HOUR);
  await eventually(() => kinds().length > 0, "a question");
  await sleep(2000);
  assert.deepEqual(kinds(), ["overdue"]);
});

test("without an end, and once all are over, no job waits", async () => {
  const waits: number[] = [];
  const { set, inHours, forward, first, kinds } = await withWindows(1);
  const { clock } = first;
  const sleepOf = clock.sleep;
  Object.assign(clock, {
    sleep: (ms: number, signal?: AbortSignal) => {
      waits.push(ms);
      return sleepOf(ms, signal);
    },
  });
  await set(inHours(1, "destroy"));
  assert.ok(waits.includes(30_000));
  forward(HOUR + 1000);
  await eventually(() => kinds().includes("ended"), "it ends");
  await sleep(1000);
  waits.length = 0;
  await sleep(1500);
  assert.deepEqual(waits, []);
});

test("wherever the tidy is cut off, no older end comes back to life, and none that holds is lost", async () => {
  const { first, row, userData, clock } = await withWindows(1);
  const target = { id: row.value.id };
  const now = clock.now();
  const { token } = createIntent();
  const folder = join(userData.root, "ends");
  for (let at = 0; at < 12; at += 1) {
    const journal = new AutoStopJournal(folder);
    const of = { version: 1, origin: first.me().address.origin, account: first.me().tag, at: now } as const;
    const launched = await journal.write({ ...of, token, until: now + HOUR, ending: "destroy", count: 1 });
    const twin = InstanceId.parse(7);
    for (const id of [row.value.id, twin]) await journal.noteInstance(launched, id);
    await journal.write({ ...of, ...target, until: now + 2 * HOUR, ending: "destroy", count: 2 });
    const last = await journal.write({ ...of, ...target, until: null, ending: "remind", count: 3 });
    let removed = 0;
    const remove = (path: string) => {
      removed += 1;
      return removed > at ? Promise.reject(new Error("killed")) : realDisk.remove(path);
    };
    const cut = new AutoStopJournal(folder, { ...realDisk, remove });
    const when = now + 60 * 24 * HOUR;
    const tidied = await cut.tidy(when).then(
      () => true,
      () => false,
    );
    const holding = async (id: InstanceId) => findLatestAutoStop(await journal.readAll(), { id, token })?.name;
    assert.ok([last, undefined].includes(await holding(row.value.id)), `after ${at}`);
    assert.equal(await holding(twin), launched, "nobody answered for the twin");
    if (tidied) await journal.tidy(when);
    if (tidied) assert.ok(await holding(row.value.id), "as long as the end of the launch is there");
    for (const name of readdirSync(folder)) await realDisk.remove(join(folder, name));
  }
});

test("a machine that somebody starts after its end could not stop it isn't stopped by that end again", async () => {
  const { set, inHours, forward, kinds, first, row, service, world } = await withWindows(2);
  await set(inHours(1, "stop"));
  service.faults.add("500@updateInstance");
  forward(HOUR + 1000);
  await eventually(() => kinds().includes("ended"), "the failure is told");
  service.faults.clear();
  await first.actions.start(first.me(), row.value.id);
  forward(2 * MINUTE);
  await sleep(2000);
  assert.deepEqual(kinds(), ["ended"]);
  assert.equal(world.listInstances().find(({ id }) => id === row.value.id)?.intended, "running");
});

test("one reading that knows nothing of the instance doesn't end its end", async () => {
  let isLost = true;
  let asked = 0;
  const { set, inHours, forward, isThere } = await withWindows(1, {}, (service) =>
    serve(async (request, body) => {
      const isReading = request.method === "GET" && /instances\/\d+\/$/.test(request.url ?? "");
      if (!isReading || !isLost) return await pass(service.url, request, body);
      asked += 1;
      return { status: 200, text: JSON.stringify({ instances: null }) };
    }),
  );
  await set(inHours(1, "destroy"));
  forward(HOUR + 1000);
  await eventually(() => asked > 0, "the service was asked");
  await sleep(300);
  isLost = false;
  await eventually(() => !isThere(), "it ends all the same");
});

test("a service that misses the instance for a moment before its end doesn't end that end", async () => {
  const missing = createMissing();
  const { set, inHours, forward, isThere } = await withWindows(1, {}, missing.through);
  await set(inHours(1, "destroy"));
  missing.isOn = true;
  forward(55 * MINUTE);
  await eventually(() => missing.asked > 0, "the service was asked");
  await sleep(300);
  missing.isOn = false;
  forward(6 * MINUTE);
  await eventually(() => !isThere(), "it ends all the same");
});

/** An end of something else, by which the folder shows that so much time has passed. @returns the name of its files. */
const writeNewest = (journal: AutoStopJournal, at: number): Promise<string> => {
  const origin = "https://elsewhere.example";
  const autoStop = { version: 1, id: InstanceId.parse(999), origin, account: "x", at, until: at + HOUR } as const;
  return journal.write({ ...autoStop, ending: "remind", count: 1 });
};

test("an end stays though another service had one for an instance of the same number", async () => {
  const { row, userData, clock, set } = await withWindows(1);
  await set({ hours: 24 * 60, ending: "destroy" });
  const journal = new AutoStopJournal(join(userData.root, "ends"));
  const at = clock.now() - 20 * 24 * HOUR;
  const elsewhere = { version: 1, id: row.value.id, origin: "https://elsewhere.example", account: "x", at } as const;
  await journal.write({ ...elsewhere, until: at + HOUR, ending: "stop", count: 3 });
  await journal.tidy(clock.now());
  const endings = (await journal.readAll()).map(({ autoStop }) => autoStop.ending);
  assert.ok(endings.includes("destroy"));
});

test("an end stays though another account had one for an instance of the same number", async () => {
  const journal = new AutoStopJournal(join(makeUserData().root, "ends"));
  const [now, id] = [Date.now(), InstanceId.parse(7)];
  const common = { version: 1, id, origin: "http://127.0.0.1:1", at: now } as const;
  await journal.write({ ...common, account: "one", until: now + 80 * 24 * HOUR, ending: "destroy", count: 1 });
  const other = await journal.write({ ...common, account: "two", until: now + HOUR, ending: "stop", count: 2 });
  await journal.noteOver(other, id);
  const endings = async () => (await journal.readAll()).map(({ autoStop }) => autoStop.ending);
  const newest = await writeNewest(journal, now + 90 * 24 * HOUR);
  await journal.tidy(now + 30 * 24 * HOUR);
  assert.ok((await endings()).includes("destroy"));
  await journal.tidy(now + 90 * 24 * HOUR);
  await journal.tidy(now + 90 * 24 * HOUR);
  assert.deepEqual(
    (await journal.readAll()).map(({ name }) => name),
    [newest],
  );
});

test("an end that was carried out while the clock was ahead isn't promised again, though nobody noted that it is over", async () => {
  const { set, inHours, forward, world, first, row, kinds, userData } = await withWindows(1);
  const folder = join(userData.root, "ends");
  const notes = () => readdirSync(folder).filter((name) => name.includes(".over-"));
  await set(inHours(2, "stop"));
  forward(2 * HOUR + 1000);
  await eventually(() => kinds().includes("ended") && notes().length > 0, "it is stopped");
  for (const name of notes()) rmSync(join(folder, name));
  forward(-2 * HOUR);
  const instance = world.listInstances().find(({ id }) => id === row.value.id);
  assert.ok(instance);
  startInstance(instance, world.getNow(), true);
  await first.instances.collection.refresh();
  first.autoStops.wake();
  await eventually(() => first.autoStops.findAutoStop(row.value) === undefined, "nothing is promised");
  forward(HOUR + 55 * 60_000);
  first.autoStops.wake();
  await first.instances.collection.refresh();
  assert.equal(first.autoStops.findAutoStop(row.value), undefined);
});

test("an end holds though the clock was ahead of it for a while", async () => {
  const { set, inHours, forward, world, first, row, kinds, userData } = await withWindows(1);
  const isNoted = () => readdirSync(join(userData.root, "ends")).some((name) => name.includes(".over-"));
  await set(inHours(2, "stop"));
  const instance = world.listInstances().find(({ id }) => id === row.value.id);
  assert.ok(instance);
  stopInstance(instance, world.getNow());
  forward(24 * HOUR);
  await first.instances.collection.refresh();
  first.autoStops.wake();
  await eventually(isNoted, "it is over");
  forward(-24 * HOUR);
  startInstance(instance, world.getNow(), true);
  await first.instances.collection.refresh();
  first.autoStops.wake();
  await eventually(() => !isNoted(), "it is still to come");
  forward(2 * HOUR + 1000);
  await eventually(() => instance.intended === "stopped", "it is stopped at its end");
  await eventually(() => kinds().includes("ended"), "that is told");
});

test("an end that was set at one path of an address isn't carried out at another path of it, with the same key", async () => {
  const other = await sandbox();
  const windows = await withWindows(1, {}, (service) =>
    serve((request, body) => {
      const isFirst = request.url?.startsWith("/a/") ?? false;
      request.url = request.url?.replace(/^\/[ab]\//, "/") ?? "/";
      return pass(isFirst ? service.url : other.url, request, body);
    }).then((url) => `${url}/a`),
  );
  const { first, row, set, inHours, forward, service, isThere } = windows;
  const twin = rentRunning(other);
  assert.equal(twin, row.value.id, "both services give the same number");
  assert.equal(other.apiKey, service.apiKey, "and the same key");
  await set(inHours(1 / 30, "destroy"));
  await first.session.signIn(first.me().address.base.replace(/a$/, "b"), other.apiKey);
  await first.instances.collection.refresh();
  assert.equal(first.autoStops.findAutoStop(row.value), undefined, "its row says no end");
  forward(4 * MINUTE);
  await sleep(1500);
  assert.equal(other.world.listInstances().length, 1);
  assert.ok(isThere(), "nor is it carried out in an account that isn't signed in");
});
