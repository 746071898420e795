// The account's balance over real HTTP: read while something is billed and someone looks, and not otherwise.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Clock, sleep } from "../../../src/lib/clock.ts";
import { Emitter } from "../../../src/lib/event.ts";
import { realDisk } from "../../../src/services/core/book/disk.ts";
import { createIntent } from "../../../src/services/launch/intent.ts";
import { lifeOf, type Parts, planFor } from "../editor-window.ts";
import { rentRunning } from "../rent-running.ts";
import { cheapest, editorWindow, eventually, makeUserData, pass, sandbox, serve, signedIn } from "../support.ts";

const RATE = 100;
const clock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now() * RATE,
  sleep: (ms, signal) => sleep(ms / RATE, signal),
};

async function withRental(parts: Parts = {}) {
  const window = await signedIn({}, { clock, ...parts });
  const reads = () => window.lines.filter(({ path }) => path === "/api/v0/users/spend-rate/").length;
  await window.instances.collection.refresh();
  await sleep(100);
  const before = reads();
  await window.rent(planFor(await cheapest(window)), createIntent());
  await window.instances.collection.refresh();
  return { ...window, reads, before };
}

test("it is read once something is rented, and again as time passes", async () => {
  const window = await withRental();
  assert.equal(window.before, 0, "nobody asks while nothing is rented");
  await eventually(() => window.balances.current !== undefined, "it is known");
  const { credit = 0, rate = 0 } = window.balances.current ?? {};
  assert.ok(credit > 0 && credit <= 25 && rate > 0);
  const seen = window.reads();
  await eventually(() => window.reads() > seen, "it is read again");
  await window.session.signOut();
  assert.equal(window.balances.current, undefined);
  const left = window.reads();
  await sleep(2500);
  assert.ok(window.reads() <= left + 1, "no account, no request");
});

test("one that lasts long is read every eight minutes, and one that doesn't every two", async () => {
  const window = await withRental();
  await eventually(() => window.balances.current !== undefined, "it is known");
  // The reading after what was rented has changed.
  await sleep(500);
  const before = window.reads();
  await sleep(3000);
  assert.equal(window.reads(), before);
  window.service.world.account.credit = 0.01;
  await eventually(() => window.reads() > before, "the next regular one");
  const low = window.reads();
  await sleep(3000);
  assert.ok(window.reads() >= low + 2, `${window.reads() - low} readings in five minutes`);
});

test("it isn't read while nobody looks at the window, and is when somebody does", async () => {
  let isFocused = false;
  const changes = new Emitter<void>();
  const window = await withRental({ attention: { isFocused: () => isFocused, onDidChange: changes.event } });
  await sleep(1500);
  assert.equal(window.reads(), 0);
  isFocused = true;
  changes.fire();
  await eventually(() => window.balances.current !== undefined, "it is known");
});

test("a service or a key that doesn't say it isn't asked again", async () => {
  const window = await signedIn({ faults: [] }, { clock });
  window.service.faults.add("403@getCurrentUser");
  await window.rent(planFor(await cheapest(window)), createIntent());
  await window.instances.collection.refresh();
  const asked = () => window.lines.filter(({ path }) => path === "/api/v0/users/current/").length;
  const before = asked();
  await eventually(() => window.lines.some(({ path }) => path === "/api/v0/users/spend-rate/"), "it asked");
  await sleep(3000);
  assert.equal(window.balances.current, undefined);
  assert.ok(asked() <= before + 1);
});

test("it is forgotten once the key may no longer read it", async () => {
  const window = await withRental();
  await eventually(() => window.balances.current !== undefined, "it is known");
  window.service.faults.add("403@getCurrentUser");
  await window.rent(planFor(await cheapest(window)), createIntent());
  await window.instances.collection.refresh();
  await eventually(() => window.balances.current === undefined, "nothing is said of what isn't known");
});

test("one that was read before something else was rented isn't kept if it can't be read again", async () => {
  const window = await withRental();
  await eventually(() => window.balances.current !== undefined, "it is known");
  await sleep(500);
  const before = window.balances.current;
  assert.ok(before);
  window.service.faults.add("500@getCurrentUser");
  await sleep(5000);
  assert.equal(window.balances.current, before, "what was read may still be right while nothing changes");
  await window.rent(planFor(await cheapest(window)), createIntent());
  await window.instances.collection.refresh();
  await eventually(() => window.balances.current === undefined, "its rate is that of one instance");
  window.service.faults.clear();
  await eventually(() => (window.balances.current?.rate ?? 0) > (before.rate ?? 0), "it is read again");
});

test("a refusal that comes after the account was left is none of the next account's", async () => {
  const window = await withRental();
  const { service, session } = window;
  await eventually(() => window.balances.current !== undefined, "it is known");
  const other = await sandbox({ seed: 2 });
  rentRunning(other);
  let isAsked = false;
  let goOn = () => {};
  const left = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  let isHolding = false;
  const url = await serve(async (request, body) => {
    if (!isHolding || !request.url?.startsWith("/api/v0/users/current")) return await pass(service.url, request, body);
    isAsked = true;
    await left;
    return { status: 403, text: JSON.stringify({ success: false, msg: "no permission" }) };
  });
  await session.signIn(url, service.apiKey);
  isHolding = true;
  await window.instances.collection.refresh();
  await eventually(() => isAsked, "the balance is asked for");
  await session.signIn(other.url, other.apiKey);
  await window.instances.collection.refresh();
  goOn();
  await eventually(() => window.balances.current !== undefined, "the balance of this account is known");
});

test("one that is almost used up is told once, by one of the windows, and again only after it was more", async () => {
  const service = await sandbox({});
  rentRunning(service);
  const userData = makeUserData();
  const told: string[] = [];
  const open = async (name: string) => {
    const window = editorWindow(userData, { clock, liveness: lifeOf(name) });
    window.lowBalance.onNotice(() => void told.push(name));
    if (userData.keys.size === 0) await window.session.signIn(service.url, service.apiKey);
    else await window.session.restore();
    await window.instances.collection.refresh();
    return window;
  };
  const readBy = async (window: Awaited<ReturnType<typeof open>>, isIt: (credit: number) => boolean) =>
    await eventually(() => isIt(window.balances.current?.credit ?? -1), "it is read");
  const isLow = (credit: number) => credit >= 0 && credit < 1;
  service.world.account.credit = 0.01;
  const first = await open("first");
  await readBy(first, isLow);
  await eventually(() => told.length === 1, "it is told");
  const second = await open("second");
  await readBy(second, isLow);
  service.world.account.credit = 100;
  for (const window of [first, second]) await readBy(window, (credit) => credit > 50);
  assert.deepEqual(told, ["first"]);
  service.world.account.credit = 0.01;
  for (const window of [first, second]) await readBy(window, isLow);
  await eventually(() => told.length > 1, "it is told again");
  // Whoever claims it second does so before the next reading is through.
  service.world.account.credit = 100;
  for (const window of [first, second]) await readBy(window, (credit) => credit > 50);
  assert.equal(told.length, 2);
});

test("one that can't be read for a while isn't told again", async () => {
  const window = await withRental();
  let told = 0;
  window.lowBalance.onNotice(() => {
    told += 1;
  });
  window.service.world.account.credit = 0.01;
  await eventually(() => told === 1, "it is told");
  window.service.faults.add("500@getCurrentUser");
  await window.rent(planFor(await cheapest(window)), createIntent());
  await window.instances.collection.refresh();
  await eventually(() => window.balances.current === undefined, "nothing is known of it");
  window.service.faults.clear();
  await eventually(() => window.balances.current !== undefined, "it is read again");
  const read = window.balances.current;
  await eventually(() => window.balances.current !== read, "and again");
  assert.equal(told, 1);
});

test("one that is almost used up is told once a day though the disk takes nothing for a while", async () => {
  let isFull = true;
  const create: typeof realDisk.create = async (path, text) => {
    if (!isFull || !path.includes("low-")) return await realDisk.create(path, text);
    await realDisk.create(path, "");
    throw Object.assign(new Error("full"), { code: "ENOSPC" });
  };
  let ahead = 0;
  const later = { ...clock, now: () => clock.now() + ahead };
  const window = await withRental({ disk: { ...realDisk, create }, clock: later });
  let told = 0;
  window.lowBalance.onNotice(() => {
    told += 1;
  });
  window.service.world.account.credit = 0.01;
  await eventually(() => told === 1, "it is told");
  isFull = false;
  for (const _ of [1, 2]) {
    const read = window.balances.current;
    await eventually(() => window.balances.current !== read, "it is read again");
  }
  assert.equal(told, 1);
  ahead = 25 * 3_600_000;
  await eventually(() => told === 2, "a day later it is news again");
});

test("a window whose disk failed once keeps nobody silent a day later", async () => {
  const service = await sandbox({});
  rentRunning(service);
  service.world.account.credit = 0.01;
  const userData = makeUserData();
  let ahead = 0;
  const later = { ...clock, now: () => clock.now() + ahead };
  const told: string[] = [];
  const open = async (name: string, parts: Parts = {}) => {
    const window = editorWindow(userData, { clock: later, liveness: lifeOf(name), ...parts });
    window.lowBalance.onNotice(() => void told.push(name));
    if (userData.keys.size === 0) await window.session.signIn(service.url, service.apiKey);
    else await window.session.restore();
    await window.instances.collection.refresh();
    return window;
  };
  let isFull = true;
  const create: typeof realDisk.create = async (path, text) => {
    if (!isFull || !path.includes("low-")) return await realDisk.create(path, text);
    throw Object.assign(new Error("full"), { code: "ENOSPC" });
  };
  const first = await open("first", { disk: { ...realDisk, create } });
  await eventually(() => told.length === 1, "it tells alone");
  const second = await open("second");
  await eventually(() => told.length === 2, "the other one tells as well");
  second.close();
  isFull = false;
  for (const _ of [1, 2]) {
    const read = first.balances.current;
    await eventually(() => first.balances.current !== read, "it is read again");
  }
  assert.deepEqual(told, ["first", "second"]);
  ahead = 25 * 3_600_000;
  await eventually(() => told.length === 3, "a day later it is news again");
});
