// When launches are looked for, and what each list proves, on a clock that moves only when it is told to.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { createClient } from "../../../src/api/client.ts";
import { getLaunchState } from "../../../src/domain/launch/launch-record.ts";
import { type Clock, realClock, sleep } from "../../../src/lib/clock.ts";
import { Emitter } from "../../../src/lib/event.ts";
import type { RequestLine } from "../../../src/sandbox/http/request-line.ts";
import { type Disk, realDisk } from "../../../src/services/core/book/disk.ts";
import { findLaunchToken } from "../../../src/services/group/read-groups.ts";
import { createIntent } from "../../../src/services/launch/intent.ts";
import { lifeOf, type Parts, planFor } from "../editor-window.ts";
import { cheapest, editorWindow, eventually, makeUserData, middleman, sandbox, signedIn } from "../support.ts";
import { rentElsewhere, writeLaunch } from "../written.ts";

const DAY = 86_400_000;
const COPY = "vsc-aaaaaaaaaaaaaaaa";

/** Time stands still until it is set. Whoever sleeps is woken by hand. */
function setClock() {
  const start = Date.now();
  let elapsed = 0;
  const sleeping = new Set<{ readonly at: number; readonly end: () => void }>();
  const clock: Clock = {
    now: () => start + elapsed,
    elapsed: () => elapsed,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (ms <= 0) return resolve();
        const one = { at: elapsed + ms, end: resolve };
        sleeping.add(one);
        const leave = () => {
          sleeping.delete(one);
          reject(signal?.reason);
        };
        if (signal?.aborted) leave();
        signal?.addEventListener("abort", leave, { once: true });
      }),
  };
  return {
    clock,
    start,
    set: (ms: number) => {
      elapsed = ms;
    },
    /** Milliseconds until the next look that is planned; undefined if there is none. */
    next: () => (sleeping.size === 0 ? undefined : Math.min(...[...sleeping].map(({ at }) => at - elapsed))),
    /** Goes to the next look that is planned and lets it begin. */
    goOn: () => {
      const [first] = [...sleeping].sort((a, b) => a.at - b.at);
      assert.ok(first, "a look is planned");
      sleeping.delete(first);
      elapsed = first.at;
      first.end();
    },
  };
}

/** A window that looks for launches when it is told to; the client's own time is the real one. */
async function atWatch(parts: Parts = {}) {
  const time = setClock();
  const lines: RequestLine[] = [];
  const service = await sandbox({ requests: (line) => void lines.push(line) });
  /** What becomes of a list on its way: it has a gap, or it shows another label. */
  const onTheWay = { gap: false, from: "", to: "" };
  const url = await middleman(service.url, (path, status, text) => {
    if (!path.startsWith("/api/v1/instances/")) return { status, text };
    const list = onTheWay.from === "" ? text : text.replaceAll(onTheWay.from, onTheWay.to);
    return { status, text: onTheWay.gap ? list.replace(/"total_instances":\d+/, '"total_instances":99') : list };
  });
  const connect: Parts["connect"] = (given) => createClient({ ...given, clock: realClock, pace: 0, patience: 0 });
  // No one looks at it, so nothing but looks is planned.
  const attention = { isFocused: () => false, onDidChange: new Emitter<void>().event };
  const all: Parts = { clock: time.clock, connect, attention, ...parts };
  const window = { ...editorWindow(makeUserData(), all), service };
  await window.session.signIn(url, service.apiKey);
  const { watch } = window;
  const lists = () => lines.filter(({ path }) => path === "/api/v1/instances/").length;
  const launch = (...[facts, how]: [Parameters<typeof writeLaunch>[1], Parameters<typeof writeLaunch>[2]?]) =>
    writeLaunch(window, facts, { at: time.start, price: 0.5, ...how });
  /** What is planned once the files are read. */
  const planned = async () => {
    watch.wake();
    await watch.reread();
    await sleep(1);
    return time.next();
  };
  /** The planned look takes place. @returns what is planned after it. */
  const goOn = async () => {
    const before = lists();
    time.goOn();
    await eventually(() => lists() > before && time.next() !== undefined, "the next look is planned");
    return time.next();
  };
  const record = async (token: string) => {
    await watch.reread();
    const found = watch.records.find((one) => one.token === token);
    assert.ok(found, "it is one of this account");
    return found;
  };
  const kinds = () => window.notices.map(({ kind }) => kind);
  return { ...window, ...time, lines, onTheWay, parts: all, lists, launch, planned, goOn, record, kinds };
}

describe("the rhythm", () => {
  test("of a launch whose end is open: seconds at first, then every minute", async () => {
    const window = await atWatch();
    assert.equal(await window.planned(), undefined, "nothing is open");
    await window.launch(["claimed"]);
    const waits = [await window.planned()];
    for (let time = 0; time < 7; time += 1) waits.push(await window.goOn());
    assert.deepEqual(waits, [2000, 4000, 8000, 15_000, 30_000, 60_000, 60_000, 60_000]);
    window.watch.leave("vsc-other", false);
    assert.equal(await window.planned(), 2000, "somebody stopped waiting: quickly again");
  });

  test("keeps its pause where a look fails, and where others asked for a list", async () => {
    const window = await atWatch();
    await window.launch(["claimed"]);
    await window.planned();
    window.service.faults.add("403@listInstances");
    assert.equal(await window.goOn(), 4000);
    window.service.faults.clear();
    window.set(5000);
    await window.watch.look();
    assert.equal(await window.planned(), 4000);
    window.set(60_000);
    const before = window.lists();
    await window.planned();
    await eventually(() => window.lists() > before, "what is overdue is done at once");
  });

  test("is none for what was prepared, never sent, settled, or cannot be listed", async () => {
    const window = await atWatch();
    for (const facts of [[], ["claimed", "not-sent"], ["claimed", "absent"], ["claimed", "dismissed"]] as const)
      await window.launch(facts);
    await window.launch(["claimed"], { tracked: false });
    assert.equal(await window.planned(), undefined);
  });

  test("of a rental: after one, five and ten minutes, and then no more", async () => {
    const window = await atWatch();
    // The window has been open for a while.
    const open = 1_000_000;
    window.set(open);
    const token = await window.launch(["claimed"]);
    await window.watch.reread();
    await rentElsewhere(window, token);
    await window.watch.look();
    assert.deepEqual(window.kinds(), ["found"]);
    const wait = async (ms: number) => {
      window.set(open + ms);
      await window.watch.look();
      return await window.planned();
    };
    assert.equal(await window.planned(), 60_000);
    assert.equal(await wait(59_999), 1000, "never more often than every second");
    assert.equal(await wait(60_000), 240_000);
    assert.equal(await wait(60_000), 240_000, "a look counts once");
    assert.equal(await wait(299_999), 1000);
    assert.equal(await wait(300_000), 300_000);
    window.onTheWay.gap = true;
    assert.equal(await wait(600_000), 2000, "a list with gaps is no look, and is followed by the usual pause");
    window.onTheWay.gap = false;
    assert.ok(!(await window.record(token)).facts.has("looked"));
    assert.equal(await wait(600_000), undefined);
    assert.ok((await window.record(token)).facts.has("looked"));
  });

  test("is that of the launch that needs it soonest", async () => {
    const window = await atWatch();
    const id = await rentElsewhere(window);
    await window.launch(["claimed", ["rented", id]]);
    assert.equal(await window.planned(), 60_000);
    await window.launch(["claimed"]);
    assert.equal(await window.planned(), 2000);
  });

  test("ends after the last look also where that cannot be written down", async () => {
    const disk: Disk = {
      ...realDisk,
      create: (path, text) =>
        path.endsWith(".looked") ? Promise.reject(new Error("disk full")) : realDisk.create(path, text),
    };
    const window = await atWatch({ disk });
    const id = await rentElsewhere(window);
    await window.launch(["claimed", ["rented", id]]);
    await window.watch.reread();
    window.set(600_000);
    await assert.rejects(window.watch.look(), /couldn't save the launch/);
    assert.equal(await window.planned(), undefined);
  });

  test("is quick while a rental is still to be told here, if the window that sent it dies", async () => {
    const window = await atWatch({ liveness: lifeOf("me", "other") });
    const token = await window.launch(["claimed"], { owner: "other" });
    await window.watch.reread();
    await rentElsewhere(window, token);
    await window.watch.look();
    assert.equal((await window.record(token)).ids.length, 1);
    assert.deepEqual([await window.planned(), window.kinds()], [2000, []]);
  });

  test("is none for a rental of more than a week ago, which no list is compared with", async () => {
    const window = await atWatch();
    const id = await rentElsewhere(window);
    await window.launch(["claimed", ["rented", id]], { at: window.start - 8 * DAY });
    const waits: (number | undefined)[] = [await window.planned()];
    for (let time = 0; time < 8 && waits.at(-1) !== undefined; time += 1)
      waits.push(await window.goOn().catch(() => undefined));
    assert.equal(waits.at(-1), undefined, `looks are planned after ${waits.join(", ")} ms`);
  });

  test("is quick until a list shows whether two are still rented", async () => {
    const window = await atWatch();
    const [one, two] = [await rentElsewhere(window, COPY), await rentElsewhere(window, COPY)];
    const token = await window.launch(["claimed", ["rented", one], ["rented", two]]);
    assert.equal(await window.planned(), 2000);
    const list = await window.instances.list(window.me());
    assert.equal(list.rows.length, 2);
    window.service.world.destroy(two);
    await window.watch.look();
    assert.equal(await window.planned(), 60_000);
    assert.deepEqual(window.kinds(), []);
    assert.ok(!(await window.record(token)).facts.has("looked"));
  });

  test("is slow again once two were told", async () => {
    const window = await atWatch();
    const token = await window.launch(["claimed"]);
    await window.watch.reread();
    for (let time = 0; time < 2; time += 1) await rentElsewhere(window, token);
    await window.watch.look();
    assert.ok(window.kinds().includes("doubled"));
    await eventually(async () => (await window.record(token)).facts.has("told"), "that was noted");
    assert.equal(await window.planned(), 60_000);
  });
});

describe("not found", () => {
  const looks = async (window: Awaited<ReturnType<typeof atWatch>>, ms: number, times: number) => {
    window.set(ms);
    for (let time = 0; time < times; time += 1) await window.watch.look();
  };

  test("is said after three complete lists, all asked for after it must have shown", async () => {
    const window = await atWatch();
    const token = await window.launch(["claimed"]);
    await window.watch.reread();
    await looks(window, 269_999, 4);
    await looks(window, 270_000, 2);
    assert.ok(!(await window.record(token)).facts.has("absent"));
    window.onTheWay.gap = true;
    await looks(window, 270_000, 1);
    window.onTheWay.gap = false;
    await looks(window, 270_000, 2);
    assert.ok(!(await window.record(token)).facts.has("absent"), "a list with gaps begins anew");
    assert.deepEqual(window.kinds(), []);
    await looks(window, 270_000, 1);
    assert.ok((await window.record(token)).facts.has("absent"));
    assert.deepEqual(window.kinds(), ["absent"]);
    await sleep(20);
    assert.ok(!(await window.record(token)).facts.has("told"), "told is what was rented");
  });

  test("is noted once it is said: a window that dies in between leaves it to the next one", async () => {
    const window = await atWatch({ liveness: lifeOf("second") });
    const token = await window.launch(["claimed"], { owner: "first" });
    const noted: boolean[] = [];
    window.watch.onNotice(() => noted.push(existsSync(join(window.userData.folder, `${token}.absent`))));
    await window.watch.reread();
    await looks(window, 270_000, 3);
    assert.deepEqual([window.kinds(), noted], [["absent"], [false]]);
    assert.ok((await window.record(token)).facts.has("absent"));
  });

  test("is left to the window that sent it, as long as that one lives and looks", async () => {
    const window = await atWatch({ liveness: lifeOf("second", "first") });
    const token = await window.launch(["claimed"], { owner: "first" });
    await window.watch.reread();
    await looks(window, 389_999, 4);
    assert.ok(!(await window.record(token)).facts.has("absent"));
    await looks(window, 390_000, 3);
    assert.ok((await window.record(token)).facts.has("absent"));
    assert.deepEqual(window.kinds(), ["absent"]);
  });

  test("that another window has noted was said there", async () => {
    const window = await atWatch({ liveness: lifeOf("second") });
    const token = await window.launch(["claimed"], { owner: "first" });
    await window.watch.reread();
    await window.journal.note(token, "absent");
    await looks(window, 270_000, 3);
    assert.deepEqual(window.kinds(), []);
  });

  test("is believed sooner where the service had refused, and is not told then", async () => {
    const window = await atWatch();
    const token = await window.launch(["claimed", "refused"]);
    window.set(1000);
    await window.watch.reread();
    await looks(window, 30_999, 3);
    assert.ok(!(await window.record(token)).facts.has("absent"));
    await looks(window, 31_000, 3);
    assert.ok((await window.record(token)).facts.has("absent"));
    assert.deepEqual(window.kinds(), []);
  });

  test("says nothing where the service has no list", async () => {
    const window = await atWatch();
    const token = await window.launch(["claimed"], { tracked: false });
    await window.watch.reread();
    await looks(window, 270_000, 4);
    assert.ok(!(await window.record(token)).facts.has("absent"));
  });
});

describe("found", () => {
  test("is what bears the mark, in the list and by itself, at the confirmed price", async () => {
    const window = await atWatch();
    const token = await window.launch(["claimed"]);
    const other = await rentElsewhere(window);
    const id = await rentElsewhere(window, token);
    window.service.faults.add("500@getInstance");
    await window.watch.look();
    assert.deepEqual((await window.record(token)).ids, []);
    window.service.faults.clear();
    await window.watch.look();
    assert.deepEqual((await window.record(token)).ids, [id]);
    assert.equal(window.instances.find(id)?.launchPrice, 0.5);
    assert.equal(window.instances.find(other), undefined);
  });

  test("is a second rental of one request, though the service can't show it alone at the last look", async () => {
    const window = await atWatch();
    const token = await window.launch(["claimed"], { before: [] });
    const first = await rentElsewhere(window, token);
    await window.watch.look();
    assert.deepEqual((await window.record(token)).ids, [first]);
    const second = await rentElsewhere(window, token);
    window.set(600_000);
    window.service.faults.add("500@getInstance");
    await window.watch.look();
    window.service.faults.clear();
    await window.watch.look();
    assert.deepEqual((await window.record(token)).ids, [first, second]);
    assert.ok(window.kinds().includes("doubled"));
  });

  test("is a second rental of one request, though the service says once, at the last look, that it isn't there yet", async () => {
    const window = await atWatch();
    const token = await window.launch(["claimed"], { before: [] });
    const first = await rentElsewhere(window, token);
    await window.watch.look();
    const second = await rentElsewhere(window, token);
    window.set(600_000);
    const { client } = window.me();
    const getInstance = client.getInstance.bind(client);
    // Reads may lag behind the list.
    Object.assign(client, { getInstance: async () => undefined });
    await window.watch.look();
    Object.assign(client, { getInstance });
    await window.watch.look();
    assert.deepEqual((await window.record(token)).ids, [first, second]);
    assert.ok(window.kinds().includes("doubled"));
  });

  test("is a second rental of one request, though this computer's clock is two days behind", async () => {
    const window = await atWatch();
    const token = await window.launch(["claimed"], { at: window.start - 2 * DAY, before: [] });
    const first = await rentElsewhere(window, token);
    await window.watch.look();
    assert.deepEqual((await window.record(token)).ids, [first]);
    const second = await rentElsewhere(window, token);
    await window.watch.look();
    assert.deepEqual((await window.record(token)).ids, [first, second]);
    assert.ok(window.kinds().includes("doubled"));
  });

  test("is not what only the list says bears it", async () => {
    const window = await atWatch();
    const token = await window.launch(["claimed"]);
    await rentElsewhere(window, COPY);
    window.onTheWay.from = COPY;
    window.onTheWay.to = token;
    await window.watch.look();
    assert.deepEqual((await window.record(token)).ids, []);
  });

  test("is not what was there before and got its label later; then nothing says that it isn't there, either", async () => {
    const window = await atWatch();
    const id = await rentElsewhere(window, COPY);
    const token = await window.launch(["claimed"], { before: [id] });
    Object.assign(window.service.world.findInstance(id) ?? {}, { label: token });
    await window.watch.reread();
    window.set(270_000);
    for (let time = 0; time < 4; time += 1) await window.watch.look();
    const record = await window.record(token);
    assert.equal(getLaunchState(record), "unresolved");
    await assert.rejects(window.verdicts.settleAs(window.me(), record, id), /Its label was copied from another/);
    assert.deepEqual((await window.record(token)).ids, []);
  });

  test("is told also if it comes after the last look, and nothing takes it for a member of a group", async () => {
    const window = await atWatch();
    const first = await rentElsewhere(window);
    const token = await window.launch(["claimed", "looked", ["rented", first]], { before: [] });
    await window.watch.reread();
    const id = await rentElsewhere(window, token);
    await window.watch.look();
    const record = await window.record(token);
    assert.deepEqual([record.ids, [...record.late]], [[first, id], [id]]);
    assert.ok(window.kinds().includes("doubled"));
    const row = window.instances.rows.find(({ value }) => value.id === id);
    assert.equal(row && findLaunchToken([record], row.value), undefined);
  });

  test("is what bears its label, whatever this computer's clock says", async () => {
    const window = await atWatch();
    const token = await window.launch(["claimed"], { at: window.start + 2 * DAY, before: [] });
    const id = await rentElsewhere(window, token);
    await window.watch.look();
    assert.deepEqual((await window.record(token)).ids, [id]);
  });

  test("while somebody waits for it is told by whoever waits", async () => {
    const window = await atWatch();
    const token = await window.launch(["claimed"]);
    await window.watch.reread();
    window.watch.await(token);
    await rentElsewhere(window, token);
    await window.watch.look();
    assert.equal((await window.record(token)).ids.length, 1);
    assert.deepEqual(window.kinds(), []);
  });

  test("is looked for as long as it may still be found: a week, or until it is known", async () => {
    const cases = [
      [["claimed", "absent"], 7 * DAY, 0],
      [["claimed", "absent"], 7 * DAY - 1, 1],
      [["claimed"], 400 * DAY, 1],
      [["claimed", "not-sent"], 0, 0],
      [[], 0, 0],
    ] as const;
    const window = await atWatch();
    for (const [facts, age, found] of cases) {
      const token = await window.launch(facts, { at: window.start - age });
      await rentElsewhere(window, token);
      await window.watch.look();
      assert.equal((await window.record(token)).ids.length, found, `${facts} ${age}`);
    }
  });

  test("late is told and noted, once", async () => {
    const window = await atWatch();
    const token = await window.launch(["claimed", "absent"]);
    await rentElsewhere(window, token);
    for (let time = 0; time < 3; time += 1) await window.watch.look();
    assert.deepEqual(window.kinds(), ["late"]);
    const asked = window.lines.filter(({ path }) => /^\/api\/v0\/instances\/\d+\/$/.test(path));
    assert.equal(asked.length, 1, "what is known is not asked for again");
    await eventually(async () => (await window.record(token)).facts.has("told"), "that was noted");
  });

  test("twice is an alarm, and is shown as long as both are there", async () => {
    const window = await atWatch();
    const token = await window.launch(["claimed"]);
    await window.watch.reread();
    await rentElsewhere(window, token);
    const second = await rentElsewhere(window, token);
    await window.instances.collection.refresh();
    await window.watch.look();
    assert.equal(window.watch.doubled.length, 1);
    assert.equal(window.kinds().filter((kind) => kind === "doubled").length, 1);
    window.service.world.destroy(second);
    await window.instances.collection.refresh();
    assert.deepEqual(window.watch.doubled, []);
  });

  test("twice is shown no longer once the person keeps both", async () => {
    const window = await atWatch();
    const token = await window.launch(["claimed"]);
    for (let time = 0; time < 2; time += 1) await rentElsewhere(window, token);
    await window.instances.collection.refresh();
    await window.watch.look();
    assert.equal(window.watch.doubled.length, 1);
    await window.verdicts.dismiss(window.me(), await window.record(token));
    assert.deepEqual(window.watch.doubled, []);
    assert.equal(window.instances.rows.length, 2);
  });

  test("by a list asked for from then on: one that is under way proves nothing", async () => {
    const window = await atWatch();
    window.service.faults.add("slow@listInstances");
    const before = window.lists();
    const underWay = window.instances.list(window.me());
    await eventually(() => window.lists() === before + 1, "it is under way");
    window.set(1);
    await Promise.all([underWay, window.watch.list(window.me())]);
    assert.equal(window.lists(), before + 2);
  });

  test("although the file that says whose launch it is can't be read", async () => {
    const window = await atWatch();
    const token = await window.launch(["claimed"]);
    await writeFile(join(window.userData.folder, `${token}.prepared`), "damaged");
    assert.equal(await window.planned(), 2000);
    await window.watch.look();
    await rentElsewhere(window, token);
    await window.watch.look();
    assert.equal((await window.record(token)).ids.length, 1);
  });

  test("twice before this window began is an alarm, too", async () => {
    const window = await atWatch();
    const token = await window.launch(["claimed", "told"]);
    const [one, two] = [await rentElsewhere(window, token), await rentElsewhere(window, token)];
    for (const id of [one, two]) await window.journal.note(token, ["rented", id]);
    for (let time = 0; time < 3; time += 1) await window.watch.look();
    assert.deepEqual(window.kinds(), ["doubled"]);
  });
});

describe("whose launches are followed", () => {
  /** The tokens that the next window follows. */
  const followedNext = async ({ userData, parts }: Awaited<ReturnType<typeof atWatch>>) => {
    const next = editorWindow(userData, parts);
    await next.session.restore();
    return (await next.watch.reread()).map(({ token }) => token);
  };

  test("those of this key, without asking who it is", async () => {
    const window = await atWatch();
    await window.launch(["claimed"]);
    window.lines.length = 0;
    await window.watch.reread();
    assert.deepEqual([window.watch.records.length, window.lines], [1, []]);
  });

  test("those of another key only if the service says that it is the same account", async () => {
    const window = await atWatch();
    const user = (await window.me().account())?.id;
    assert.ok(user !== undefined);
    const token = await window.launch(["claimed"], { account: "another key", user });
    await window.launch(["claimed"], { account: "another key", user: user + 1 });
    await window.launch(["claimed"], { account: "another key" });
    window.lines.length = 0;
    await window.watch.reread();
    assert.deepEqual(
      window.watch.records.map((record) => record.token),
      [token],
    );
    assert.deepEqual(
      window.lines.filter(({ path }) => !path.startsWith("/api/v0/users/current/")),
      [],
    );
  });

  test("a rental of another key is looked up only where there is no list to find it", async () => {
    const window = await atWatch();
    const first = await window.launch(["claimed"], { account: "another key", tracked: false });
    const second = await window.launch(["claimed"], { account: "another key" });
    const mine = await window.launch(["claimed"], { tracked: false });
    const there = await window.launch(["claimed"], { account: "x", tracked: false, origin: "http://other.test" });
    for (const token of [mine, there]) await window.journal.note(token, ["rented", await rentElsewhere(window, token)]);
    const [untracked, tracked] = [await rentElsewhere(window, first), await rentElsewhere(window, second)];
    const wrong = await rentElsewhere(window, "another label");
    await window.journal.note(first, ["rented", untracked]);
    await window.journal.note(first, ["rented", wrong]);
    await window.journal.note(second, ["rented", tracked]);
    const next = editorWindow(window.userData, window.parts);
    window.lines.length = 0;
    await next.session.restore();
    await next.watch.reread();
    await next.watch.reread();
    await next.watch.orphans;
    const read = () => window.lines.map(({ path }) => /instances\/(\d+)\//.exec(path)?.[1]).filter(Boolean);
    assert.deepEqual(read(), [String(untracked), String(wrong)]);
    assert.equal(next.instances.find(untracked)?.launchPrice, 0.5);
    assert.equal(next.instances.find(wrong), undefined);
  });

  test("those of another key also while the service can't say who it is, if it said so before", async () => {
    const window = await atWatch();
    const user = (await window.me().account())?.id;
    assert.ok(user !== undefined);
    const token = await window.launch(["claimed"], { account: "another key", user });
    window.service.faults.add("500@getCurrentUser");
    assert.deepEqual(await followedNext(window), [token]);
  });

  test("a rental of another key without a list is found although the first look at it failed", async () => {
    const window = await atWatch();
    const token = await window.launch(["claimed"], { account: "another key", tracked: false });
    const id = await rentElsewhere(window, token);
    await window.journal.note(token, ["rented", id]);
    const next = editorWindow(window.userData, window.parts);
    const asked = () => window.lines.filter(({ path }) => path.includes(`instances/${id}/`)).length;
    window.service.faults.add("500@getInstance");
    await next.session.restore();
    await next.watch.reread();
    await next.watch.orphans;
    assert.equal(next.instances.find(id), undefined);
    const once = asked();
    assert.ok(once > 0);
    for (let time = 0; time < 3; time += 1) await next.watch.reread();
    await next.watch.orphans;
    assert.equal(asked(), once, "the next time comes after a pause");
    window.service.faults.clear();
    window.set(60_000);
    await next.watch.reread();
    await next.watch.orphans;
    assert.equal(next.instances.find(id)?.launchPrice, 0.5);
  });

  test("what another account rented without a list isn't asked for again and again where the service refuses that", async () => {
    const window = await atWatch();
    for (const id of [101, 102]) {
      const token = await window.launch(["claimed"], { account: "another key", tracked: false });
      await window.journal.note(token, ["rented", id]);
    }
    const asked = () => window.lines.filter(({ path }) => /instances\/10[12]\//.test(path)).length;
    window.service.faults.add("403@getInstance");
    const next = editorWindow(window.userData, window.parts);
    await next.session.restore();
    await next.watch.reread();
    await next.watch.orphans;
    assert.equal(asked(), 2, "each is asked for");
    for (let time = 0; time < 3; time += 1) {
      window.set((time + 1) * DAY);
      await next.watch.reread();
      await next.watch.orphans;
    }
    assert.equal(asked(), 2, "that this key may not see it is an answer");
  });

  test("no launch waits for a service that is silent about what another key rented", async () => {
    const window = await atWatch();
    const token = await window.launch(["claimed"], { account: "another key", tracked: false });
    await window.journal.note(token, ["rented", 101]);
    let asked = 0;
    const connect: Parts["connect"] = (given) => ({
      ...createClient(given),
      getInstance: () => {
        asked += 1;
        return new Promise(() => {});
      },
    });
    const next = editorWindow(window.userData, { ...window.parts, connect });
    await next.session.restore();
    await next.watch.reread();
    assert.equal(asked, 1);
  });

  test("those that were sent while the service couldn't say who it is, with another key later", async () => {
    const window = await signedIn();
    const user = (await window.me().account())?.id;
    assert.ok(user !== undefined);
    const next = editorWindow(window.userData);
    await next.session.restore();
    window.service.faults.add("500@getCurrentUser");
    window.service.faults.add("create-lost");
    const intent = createIntent();
    await next.rent(planFor(await cheapest(next)), intent);
    const sent = (await next.journal.read()).find(({ token }) => token === intent.token);
    assert.equal(sent?.prepared?.user, user);
  });

  test("those of this key although the service cannot say who it is", async () => {
    const window = await atWatch();
    window.service.faults.add("403@getCurrentUser");
    const token = await window.launch(["claimed"]);
    await window.launch(["claimed"], { account: "another key", user: 1 });
    assert.deepEqual(await followedNext(window), [token]);
  });

  test("nobody's while nobody is signed in", async () => {
    assert.deepEqual(editorWindow().watch.records, []);
    const window = await atWatch();
    await window.launch(["claimed"]);
    await window.watch.reread();
    await window.session.signOut();
    assert.deepEqual([window.watch.records, await window.watch.reread(), await window.watch.look()], [[], [], false]);
    assert.equal(await window.planned(), undefined);
  });

  test("a list that comes after the account was left is refused, and changes nothing", async () => {
    const window = await atWatch();
    await window.launch(["claimed"]);
    const listing = window.watch.list(window.me());
    listing.catch(() => {});
    await window.session.signOut();
    await assert.rejects(listing, /switched accounts|signed out|account/i);
    assert.deepEqual(window.watch.records, []);
  });
});

test("files that were still being read when the account was left show nothing of it", async () => {
  let reading: (() => void) | undefined;
  const gate = { closed: false };
  const disk: Disk = {
    ...realDisk,
    read: async (path) => {
      if (gate.closed && path.endsWith(".prepared"))
        await new Promise<void>((resolve) => {
          reading = resolve;
        });
      return await realDisk.read(path);
    },
  };
  const window = await atWatch({ disk });
  // Before there are any: what was read once isn't read again.
  gate.closed = true;
  await window.launch(["claimed"]);
  const shown: number[] = [];
  const read = window.watch.reread();
  await eventually(() => reading !== undefined, "they are being read");
  window.watch.onDidChange(() => shown.push(window.watch.records.length));
  gate.closed = false;
  await window.session.signOut();
  reading?.();
  assert.deepEqual(await read, []);
  await window.watch.reread();
  assert.deepEqual([...new Set(shown)], [0], "that it is left is told, and nothing else");
});

test("a change is told once, and none is none", async () => {
  const window = await atWatch();
  const token = await window.launch(["claimed"]);
  let changes = 0;
  window.watch.onDidChange(() => (changes += 1));
  await window.watch.reread();
  assert.equal(changes, 1);
  await window.watch.reread();
  assert.equal(changes, 1);
  await window.journal.note(token, "refused");
  await window.watch.reread();
  assert.equal(changes, 2);
});

test("a watch that ended looks for nothing and tells nothing", async () => {
  const window = await atWatch();
  const token = await window.launch(["claimed"]);
  assert.equal(await window.planned(), 2000);
  let changes = 0;
  window.watch.onDidChange(() => (changes += 1));
  window.watch.dispose();
  assert.equal(window.next(), undefined);
  assert.equal(await window.planned(), undefined);
  await window.journal.note(token, ["rented", 7]);
  assert.equal((await window.watch.reread())[0]?.ids.length, 1);
  assert.deepEqual([changes, window.kinds()], [0, []]);
});
