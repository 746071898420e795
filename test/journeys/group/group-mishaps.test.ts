// What befalls a group while it is rented and after: no credit, other windows, a killed program, and files that someone changed.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { type Client, type ClientOptions, createClient } from "../../../src/api/client.ts";
import { InstanceId, OfferId } from "../../../src/domain/base/id.ts";
import { listDistinctMachines } from "../../../src/domain/group/choose-machines.ts";
import { countStates } from "../../../src/domain/group/group-facts.ts";
import type { GroupDraft } from "../../../src/domain/group/group-plan.ts";
import { type Clock, sleep } from "../../../src/lib/clock.ts";
import { describeDecision } from "../../../src/present/group/group-text.ts";
import { createGroupId } from "../../../src/services/group/group-journal.ts";
import type { GroupAnswer, GroupReviewer } from "../../../src/services/group/review-group.ts";
import { clockAt, fastClock, lifeOf } from "../editor-window.ts";
import { decided, draftOf, groupWindow, listen, patient, rentGroup, rentTwoAndDie, whoSees } from "../group-windows.ts";
import { rentRunning } from "../rent-running.ts";
import { editorWindow, eventually } from "../support.ts";

describe("a group that is being rented", () => {
  test("stops where the credit ends, and what came is ended as agreed", async () => {
    const window = await groupWindow();
    const { account } = window.service.world;
    const { id, why } = await rentGroup(
      window,
      draftOf(window.offers4, { rest: "destroy" }),
      whoSees(2, () => {
        account.credit = 0;
      }),
    );
    assert.equal(why?.kind, "no-credit");
    assert.equal(window.creates().length, 3, "the one that was refused is the last");
    assert.equal(await decided(window, id), "short");
    await eventually(() => window.service.world.listInstances().length === 0, "both are destroyed");
  });

  test("is ended without an instance that was there before it and was given the label of a member", async () => {
    const window = await groupWindow();
    const { world } = window.service;
    const old = rentRunning(window.service);
    const copyLabel = () => {
      const [other, member] = world.listInstances();
      assert.ok(other?.id === old && member);
      Object.assign(other, { label: member.label, createdAt: other.createdAt - 3600 });
    };
    await window.watch.look();
    const [first, second] = window.offers4;
    assert.ok(first && second);
    const missing = { ...second, id: OfferId.parse(999_999_999) };
    const { id } = await rentGroup(window, draftOf([first, missing], { rest: "destroy" }), whoSees(1, copyLabel));
    assert.equal(await decided(window, id), "short");
    await eventually(() => window.heard.some(({ kind }) => kind === "ended"), "it was ended");
    await window.watch.look();
    assert.deepEqual(
      world.listInstances().map((one) => one.id),
      [old],
    );
  });

  test("is ended without an instance that was rented days later and was given the label of a member", async () => {
    const window = await groupWindow();
    const { world } = window.service;
    const [first, second] = window.offers4;
    assert.ok(first && second);
    let label = "";
    const see = whoSees(1, () => {
      label = String(world.listInstances()[0]?.label);
    });
    const missing = { ...second, id: OfferId.parse(999_999_999) };
    const { id } = await rentGroup(window, draftOf([first, missing], { rest: "destroy" }), see);
    assert.equal(await decided(window, id), "short");
    await eventually(() => world.listInstances().length === 0, "it was ended");
    const later = rentRunning(window.service);
    const [other] = world.listInstances();
    assert.ok(other && label.startsWith("vsc-"));
    Object.assign(other, { label, createdAt: other.createdAt + 3 * 86_400 });
    for (let time = 0; time < 5; time += 1) await window.watch.look();
    await window.groups.reread(window.me());
    window.groups.wake();
    await sleep(300);
    assert.deepEqual(
      world.listInstances().map((one) => one.id),
      [later],
    );
  });

  test("is ended as agreed although one request rented two and this computer's clock is two days behind", async () => {
    const window = await groupWindow();
    const { world } = window.service;
    const [first, second] = window.offers4;
    assert.ok(first && second);
    const ids: number[] = [];
    const see = whoSees(1, () => {
      const [own] = world.listInstances();
      assert.ok(own);
      // The network repeats the request. What the service's clock says is two days later than what this one does.
      const twin = rentRunning(window.service);
      const other = world.findInstance(InstanceId.parse(twin));
      assert.ok(other);
      Object.assign(own, { createdAt: own.createdAt + 2 * 86_400 });
      Object.assign(other, { label: own.label, createdAt: own.createdAt });
      ids.push(own.id, twin);
    });
    const missing = { ...second, id: OfferId.parse(999_999_999) };
    await window.watch.look();
    const { id } = await rentGroup(window, draftOf([first, missing], { rest: "destroy" }), see);
    assert.equal(await decided(window, id), "short");
    for (let time = 0; time < 10; time += 1) {
      await window.watch.look();
      await window.groups.reread(window.me());
      window.groups.wake();
      await sleep(100);
    }
    assert.equal(
      world.findInstance(ids[0] as InstanceId),
      undefined,
      `what it rented is ended, of ${ids.join(" and ")}`,
    );
  });

  test("isn't ended early because the clock was ahead for a moment", async () => {
    let shift = 0;
    const clock: Clock = { ...clockAt(50), now: () => Date.now() + shift };
    const window = await groupWindow({ speed: 1 }, { clock });
    const lists = () => window.lines.filter(({ path }) => path.startsWith("/api/v1/instances/")).length;
    const leaving = new AbortController();
    const draft = draftOf(window.offers4.slice(0, 2), { rest: "destroy", minutes: 20 });
    const renting = rentGroup(window, draft, patient(leaving.signal));
    await eventually(() => window.service.world.listInstances().length === 2, "both are rented");
    await eventually(() => window.groups.all[0]?.listed.length === 2, "and listed");
    shift = 25 * 60_000;
    const before = lists();
    await eventually(() => lists() > before + 3, "the group is looked at again and again");
    shift = 0;
    leaving.abort();
    const { id } = await renting;
    assert.equal(await decided(window, id), undefined);
    assert.equal(window.service.world.listInstances().length, 2, "20 minutes were agreed");
  });

  test("isn't ended early by a window that opens while the clock is ahead for a moment", async () => {
    let shift = 0;
    const clock: Clock = { ...clockAt(50), now: () => Date.now() + shift };
    const one = await groupWindow({ speed: 1 }, { clock, liveness: lifeOf("one") });
    const leaving = new AbortController();
    const draft = draftOf(one.offers4.slice(0, 2), { rest: "destroy", minutes: 20 });
    const renting = rentGroup(one, draft, patient(leaving.signal));
    await eventually(() => one.groups.all[0]?.listed.length === 2, "both are rented and listed");
    leaving.abort();
    const { id } = await renting;
    one.close();
    shift = 25 * 60_000;
    const two = editorWindow(one.userData, { clock, liveness: lifeOf("two") });
    await two.session.restore();
    await eventually(() => two.groups.all[0]?.listed.length === 2, "the next window looks at it");
    const lists = () => one.lines.filter(({ path }) => path.startsWith("/api/v1/instances/")).length;
    const before = lists();
    await eventually(() => lists() > before + 3, "again and again");
    shift = 0;
    assert.equal(await decided(two, id), undefined);
    assert.equal(one.service.world.listInstances().length, 2, "20 minutes were agreed");
  });

  test("is ended as agreed at its time although the clock was set forward meanwhile", async () => {
    let [shift, passed] = [0, 0];
    const clock: Clock = {
      ...clockAt(50),
      now: () => Date.now() + passed + shift,
      elapsed: () => performance.now() * 50 + passed,
    };
    const window = await groupWindow({ speed: 1 }, { clock });
    const leaving = new AbortController();
    const draft = draftOf(window.offers4.slice(0, 2), { rest: "destroy", minutes: 20 });
    const renting = rentGroup(window, draft, patient(leaving.signal));
    await eventually(() => window.groups.all[0]?.listed.length === 2, "both are rented and listed");
    leaving.abort();
    const { id } = await renting;
    shift = 25 * 60_000;
    passed = 21 * 60_000;
    await eventually(async () => (await decided(window, id)) !== undefined, "20 minutes are over");
    await eventually(() => window.heard.some(({ kind }) => kind === "decided"), "it is told");
    const overdue = window.heard.map((notice) => notice.kind === "decided" && notice.isOverdue);
    assert.deepEqual(overdue.slice(0, 1), [false], "this window was open at its time");
    await eventually(() => window.service.world.listInstances().length === 0, "both are destroyed");
  });

  test("is decided in time although the clock was behind for a moment", async () => {
    let [shift, passed] = [0, 0];
    const clock: Clock = {
      ...clockAt(50),
      now: () => Date.now() + passed + shift,
      elapsed: () => performance.now() * 50 + passed,
    };
    const window = await groupWindow({ speed: 1 }, { clock });
    const lists = () => window.lines.filter(({ path }) => path.startsWith("/api/v1/instances/")).length;
    const leaving = new AbortController();
    const draft = draftOf(window.offers4.slice(0, 2), { minutes: 20 });
    const renting = rentGroup(window, draft, patient(leaving.signal));
    await eventually(() => window.groups.all[0]?.listed.length === 2, "both are rented and listed");
    shift = -24 * 60 * 60_000;
    const before = lists();
    await eventually(() => lists() > before + 3, "the group is looked at again and again");
    shift = 0;
    passed = 21 * 60_000;
    leaving.abort();
    const { id } = await renting;
    await eventually(async () => (await decided(window, id)) !== undefined, "20 minutes are over by both clocks");
  });

  test("is decided in time although the clock was ahead as it was confirmed", async () => {
    let [shift, passed] = [24 * 60 * 60_000, 0];
    const clock: Clock = {
      ...clockAt(50),
      now: () => Date.now() + passed + shift,
      elapsed: () => performance.now() * 50 + passed,
    };
    const window = await groupWindow({ speed: 1 }, { clock });
    const leaving = new AbortController();
    const draft = draftOf(window.offers4.slice(0, 2), { minutes: 20 });
    const renting = rentGroup(window, draft, patient(leaving.signal));
    await eventually(() => window.groups.all[0]?.listed.length === 2, "both are rented and listed");
    [shift, passed] = [0, 21 * 60_000];
    leaving.abort();
    const { id } = await renting;
    await eventually(async () => (await decided(window, id)) !== undefined, "20 minutes are over");
  });

  test("is decided after the computer slept, once its minutes have passed awake, and nothing is destroyed without a question", async () => {
    let [asleep, passed] = [0, 0];
    const clock: Clock = {
      ...clockAt(50),
      now: () => Date.now() + passed + asleep,
      elapsed: () => performance.now() * 50 + passed,
    };
    const window = await groupWindow({ speed: 1 }, { clock });
    const lists = () => window.lines.filter(({ path }) => path.startsWith("/api/v1/instances/")).length;
    const leaving = new AbortController();
    const draft = draftOf(window.offers4.slice(0, 2), { rest: "destroy", minutes: 20 });
    const renting = rentGroup(window, draft, patient(leaving.signal));
    await eventually(() => window.groups.all[0]?.listed.length === 2, "both are rented and listed");
    leaving.abort();
    const { id } = await renting;
    asleep = 8 * 60 * 60_000;
    const before = lists();
    await eventually(() => lists() > before + 3, "the group is looked at again and again");
    assert.equal(await decided(window, id), undefined, "it may still be complete");
    passed = 20 * 60_000;
    await eventually(() => window.heard.some(({ kind }) => kind === "decided"), "it is told");
    assert.equal(await decided(window, id), "short");
    const overdue = window.heard.map((notice) => notice.kind === "decided" && notice.isOverdue);
    assert.deepEqual(overdue.slice(0, 1), [true]);
    assert.equal(window.service.world.listInstances().length, 2, "the person is asked");
  });

  test("is decided by a window that opened later, once it has followed it, although the clock was ahead as it was confirmed", async () => {
    let [shift, passed] = [24 * 60 * 60_000, 0];
    const clock: Clock = {
      ...clockAt(50),
      now: () => Date.now() + passed + shift,
      elapsed: () => performance.now() * 50 + passed,
    };
    const one = await groupWindow({ speed: 1 }, { clock, liveness: lifeOf("one") });
    await rentTwoAndDie(one, draftOf(one.offers4.slice(0, 2), { minutes: 20 }));
    shift = 0;
    const two = editorWindow(one.userData, { clock, liveness: lifeOf("two") });
    await two.session.restore();
    await eventually(() => two.groups.all[0]?.listed.length === 2, "the next window looks at it");
    const [group] = two.groups.all;
    assert.ok(group);
    assert.equal(await decided(two, group.id), undefined);
    passed = 20 * 60_000;
    await eventually(async () => (await decided(two, group.id)) !== undefined, "20 minutes are over");
  });

  test("is ended as agreed minutes after its time by a window that opened later", async () => {
    let passed = 0;
    const clock: Clock = {
      ...clockAt(50),
      now: () => Date.now() + passed,
      elapsed: () => performance.now() * 50 + passed,
    };
    const one = await groupWindow({ speed: 1 }, { clock, liveness: lifeOf("one") });
    await rentTwoAndDie(one, draftOf(one.offers4.slice(0, 2), { rest: "destroy", minutes: 20 }));
    passed = 21 * 60_000;
    const two = editorWindow(one.userData, { clock, liveness: lifeOf("two") });
    await two.session.restore();
    await eventually(() => two.groups.all[0]?.listed.length === 2, "the next window looks at it");
    passed += 5 * 60_000;
    await eventually(() => one.service.world.listInstances().length === 0, "both are destroyed");
  });

  test("rents nothing more once another window has decided it, and that one destroys what came", async () => {
    const one = await groupWindow({}, { liveness: lifeOf("one") });
    const two = editorWindow(one.userData, { clock: fastClock, liveness: lifeOf("two") });
    await two.session.restore();
    listen(two);
    const id = createGroupId();
    const { why } = await rentGroup(
      one,
      draftOf(one.offers4, { rest: "destroy" }),
      whoSees(2, () => {
        const decide = async () => {
          const record = await two.groupJournal.find(id);
          assert.ok(record);
          const unwanted = record.launches.flat();
          assert.ok(await two.groupJournal.decide(record, { decision: "short", by: "two", unwanted }));
          one.groups.wake();
          two.groups.wake();
        };
        void decide();
      }),
      id,
    );
    assert.equal(why?.kind, "cancelled");
    assert.ok(one.creates().length < 4, "not all were sent");
    await eventually(() => one.service.world.listInstances().length === 0, "what came is destroyed");
  });

  test("rents nothing more once it was destroyed, though this window hasn't heard of it yet", async () => {
    const window = await groupWindow();
    const id = createGroupId();
    const end = () => writeFileSync(join(window.userData.root, "groups", `${id}.ended`), "{}");
    const { why } = await rentGroup(window, draftOf(window.offers4, { least: 1 }), whoSees(2, end), id);
    assert.equal(why?.kind, "cancelled");
    assert.equal(window.creates().length, 2);
  });

  test("has no machine replaced once it was destroyed, also while the dead one is being destroyed", async () => {
    const id = createGroupId();
    let folder = "";
    const connect = (options: ClientOptions): Client => {
      const client = createClient(options);
      const destroyInstance: Client["destroyInstance"] = async (...given) => {
        writeFileSync(join(folder, `${id}.ended`), "{}");
        return await client.destroyInstance(...given);
      };
      return { ...client, destroyInstance };
    };
    const window = await groupWindow({}, { policy: { automatic: true, priceRise: 1, tries: 3 }, connect });
    folder = join(window.userData.root, "groups");
    window.service.world.setFate((window.offers4[1] as { id: number }).id, "exited");
    await rentGroup(window, draftOf(window.offers4), undefined, id);
    await eventually(() => window.groups.find(id)?.record.facts.has("ended") === true, "it is known to be ended");
    assert.equal(window.creates().length, 4);
  });

  test("has no machine replaced once it was destroyed, also while the new one's offer is checked", async () => {
    const id = createGroupId();
    let hasDestroyed = false;
    let end: (() => Promise<unknown>) | undefined;
    const connect = (options: ClientOptions): Client => {
      const client = createClient(options);
      const destroyInstance: Client["destroyInstance"] = async (...given) => {
        const answer = await client.destroyInstance(...given);
        hasDestroyed = true;
        return answer;
      };
      const searchOffers: Client["searchOffers"] = async (...given) => {
        if (hasDestroyed) await end?.();
        return await client.searchOffers(...given);
      };
      return { ...client, destroyInstance, searchOffers };
    };
    const window = await groupWindow({}, { policy: { automatic: true, priceRise: 1, tries: 3 }, connect });
    let isEnded = false;
    end = async () => {
      end = undefined;
      await window.groupJournal.note(id, "ended");
      await window.groups.reread(window.me());
      isEnded = window.groups.find(id)?.record.facts.has("ended") === true;
    };
    window.service.world.setFate((window.offers4[1] as { id: number }).id, "exited");
    await rentGroup(window, draftOf(window.offers4), undefined, id);
    await eventually(() => isEnded, "it is ended while the offer is checked");
    assert.equal(window.creates().length, 4);
  });

  test("may cost money, and says so, where the list is behind and lacks what came", async () => {
    const one = await groupWindow({}, { liveness: lifeOf("one") });
    await rentTwoAndDie(one, draftOf(one.offers4));
    one.service.faults.add("lagging-list");
    const two = editorWindow(one.userData, { clock: fastClock, liveness: lifeOf("two") });
    await two.session.restore();
    const heard = listen(two);
    const listed: number[] = [];
    two.groups.onNotice(() => listed.push(two.instances.rows.length));
    await two.instances.collection.refresh();
    await eventually(() => heard.length > 0, "it was told");
    const [notice] = heard;
    assert.ok(notice?.kind === "decided");
    assert.equal(listed[0], 0, "the list had none of them when it was told");
    const { text } = describeDecision(notice.group, [], notice.isOverdue, undefined);
    assert.match(text, /aren't in the list yet and may cost money\.$/);
  });

  test("isn't begun with more machines than its files can name, or with one", async () => {
    const window = await groupWindow();
    const [first] = window.offers4;
    assert.ok(first);
    for (const count of [0, 1, 65]) {
      const draft = draftOf(Array.from({ length: count }, () => first));
      await assert.rejects(rentGroup(window, draft), RangeError);
    }
    assert.equal(window.creates().length, 0);
  });

  test("in a program that is killed between two of its members is ended as agreed by the next", async () => {
    const window = await groupWindow();
    const { root } = window.userData;
    const source = (name: string) => JSON.stringify(join(import.meta.dirname, "..", name));
    const script = `
      import { newUserData, openWindow, lifeOf, fastClock } from ${source("editor-window.ts")};
      import { draftOf, machinesOf, patient, rentGroup, rentTwoAndDie } from ${source("group-windows.ts")};
      const [, root, url, key] = process.argv;
      const window = openWindow({ ...newUserData(), root }, { clock: fastClock, life: lifeOf("killed") });
      await window.session.signIn(url, key);
      const offers = (await machinesOf(window)).slice(0, 4);
      const accompany = (_, work) => work(({ sent }) => console.log("sent", sent), new AbortController().signal);
      await rentGroup(window, draftOf(offers, { rest: "destroy" }), { ...patient(), accompany });
    `;
    const args = ["--input-type=module", "-e", script, root, window.service.url, window.service.apiKey];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    const closed = once(child, "close");
    let said = "";
    for await (const text of child.stdout.setEncoding("utf8")) {
      said += text;
      if (/^sent 2$/m.test(said)) child.kill("SIGKILL");
    }
    const [, signal] = await closed;
    assert.equal(signal, "SIGKILL");
    assert.doesNotMatch(said, /^sent 4$/m, "it died in the middle");
    const sent = window.creates().length;
    assert.ok(sent >= 2);
    window.groups.wake();
    await eventually(() => window.heard.some(({ kind }) => kind === "ended"), "it was ended");
    await eventually(() => window.service.world.listInstances().length === 0, "nothing of it is left");
    assert.equal(window.creates().length, sent, "nothing more was rented");
  });
});

describe("a group that was rented", () => {
  test("of which an instance is destroyed elsewhere says so, and keeps the others", async () => {
    const window = await groupWindow();
    const { id } = await rentGroup(window, draftOf(window.offers4, { rest: "destroy" }));
    assert.equal(await decided(window, id), "complete");
    const [first] = window.groups.find(id)?.members ?? [];
    assert.ok(first?.id);
    window.service.world.destroy(first.id);
    await window.instances.collection.refresh();
    const group = window.groups.find(id);
    assert.ok(group);
    assert.equal(group.members[0]?.state, "gone");
    assert.equal(countStates(group, "ready"), 3);
    window.groups.wake();
    await window.groups.reread(window.me());
    assert.equal(window.service.world.listInstances().length, 3);
  });

  test("whose hosts must differ takes no machine of an unknown host in place of one that died", async () => {
    let isHidden = false;
    const connect = (options: ClientOptions): Client => {
      const client = createClient(options);
      const searchOffers: Client["searchOffers"] = async (...given) => {
        const found = await client.searchOffers(...given);
        if (!isHidden) return found;
        return { ...found, rows: found.rows.map((row) => ({ ...row, value: { ...row.value, host_id: undefined } })) };
      };
      return { ...client, searchOffers };
    };
    const window = await groupWindow({}, { policy: { automatic: true, priceRise: 1, tries: 3 }, connect });
    const machines = listDistinctMachines([...window.offers4, ...window.others], { isApart: true }).slice(0, 2);
    assert.equal(machines.length, 2);
    window.service.world.setFate((machines[1] as { id: number }).id, "exited");
    const hide = () => {
      isHidden = true;
    };
    const { id } = await rentGroup(window, draftOf(machines, { isApart: true }), whoSees(2, hide));
    assert.equal(await decided(window, id), "short");
    assert.equal(window.creates().length, 2);
  });

  test("is one group also where somebody copied its files", async () => {
    const window = await groupWindow();
    const { id } = await rentGroup(window, draftOf(window.offers4));
    const folder = join(window.userData.root, "groups");
    for (const copy of ["grp-aaaaaaaaaaaaaaaa", "grp-7777777777777777"])
      await copyFile(join(folder, `${id}.prepared`), join(folder, `${copy}.prepared`));
    await window.groups.reread(window.me());
    assert.deepEqual(
      window.groups.all.map((group) => group.id),
      [id],
    );
  });
});

describe("the summary of a group", () => {
  test("stays as it was where too few such machines are offered by now", async () => {
    const window = await groupWindow();
    const draft = draftOf(window.offers4);
    const shown: GroupDraft[] = [];
    const told: string[] = [];
    const answers: (GroupAnswer | undefined)[] = ["disk", undefined];
    const person: GroupReviewer = {
      showSummary: async (now) => {
        shown.push(now);
        return answers.shift();
      },
      change: async (_, now) => ({ ...now, base: { ...now.base, diskGb: 100_000 } }),
      read: async () => true,
      addKey: async () => undefined,
      confirm: async () => false,
      tell: (what) => void told.push(what.kind === "refused" ? what.error.message : what.kind),
    };
    await window.groupReview.review(window.me(), person, draft);
    assert.deepEqual(told, ["Only 0 of 4 such machines are available. Nothing was changed."]);
    assert.deepEqual(shown, [draft, draft]);
  });
});
