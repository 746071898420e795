// Groups: N ordinary launches under one mark, decided once, and nothing of them forgotten.
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { type Client, type ClientOptions, createClient } from "../../../src/api/client.ts";
import type { AppError } from "../../../src/domain/base/error.ts";
import { type InstanceId, OfferId } from "../../../src/domain/base/id.ts";
import { listDistinctMachines } from "../../../src/domain/group/choose-machines.ts";
import { countStates } from "../../../src/domain/group/group-facts.ts";
import { type GroupDraft, toGroupPlan } from "../../../src/domain/group/group-plan.ts";
import type { MemberState } from "../../../src/domain/group/group-policy.ts";
import { readLaunchToken, withoutLaunchToken } from "../../../src/domain/instance/instance.ts";
import { anySearch } from "../../../src/domain/offer/offer-search.ts";
import { realClock, sleep } from "../../../src/lib/clock.ts";
import { setState } from "../../../src/sandbox/handlers/instance-state.ts";
import { type Disk, realDisk } from "../../../src/services/core/book/disk.ts";
import { createGroupId } from "../../../src/services/group/group-journal.ts";
import type { GroupAnswer, GroupReviewer } from "../../../src/services/group/review-group.ts";
import { createIntent } from "../../../src/services/launch/intent.ts";
import type { KeyNotice } from "../../../src/services/launch/notice-keys.ts";
import { WHOLE_MARKET } from "../../../src/services/offer/offers.ts";
import { clockAt, fastClock, lifeOf, planFor } from "../editor-window.ts";
import {
  decided,
  draftOf,
  groupWindow,
  listen,
  machinesOf,
  patient,
  rentGroup,
  rentTwoAndDie,
  whoSees,
} from "../group-windows.ts";
import { rentRunning } from "../rent-running.ts";
import { editorWindow, eventually, sandbox } from "../support.ts";

/** Of an offer that someone else has rented in the meantime. */
const NOT_THERE = { id: OfferId.parse(999_999_999) };

const POLICY = { automatic: true, priceRise: 1, tries: 3 };

describe("a group", () => {
  test("is as many ordinary launches of different machines, told of once", async () => {
    const window = await groupWindow();
    const { id, why } = await rentGroup(window, draftOf(window.offers4));
    assert.equal(why, undefined);
    assert.equal(window.creates().length, 4);
    assert.equal(new Set(window.service.world.listInstances().map(({ offer }) => offer.machine.id)).size, 4);
    const labels = window.instances.rows.map(({ value }) => withoutLaunchToken(value.label)).sort();
    assert.deepEqual(labels, ["sweep/0", "sweep/1", "sweep/2", "sweep/3"]);
    assert.equal(await decided(window, id), "complete");
    const [group] = window.groups.all;
    assert.ok(group);
    assert.equal(countStates(group, "ready"), 4);
    await eventually(() => window.heard.length > 0, "it was told");
    window.groups.wake();
    await window.groups.reread(window.me());
    assert.deepEqual(
      window.heard.map(({ kind }) => kind),
      ["decided"],
    );
  });

  test("ends at one moment, though time passes while each of its machines is looked at", async () => {
    let passed = 0;
    const now = () => {
      passed += 7;
      return fastClock.now() + passed;
    };
    const window = await groupWindow({}, { clock: { ...fastClock, now } });
    const draft = draftOf(window.offers4);
    await rentGroup(window, { ...draft, base: { ...draft.base, end: { hours: 8, ending: "stop", stoppedHours: 24 } } });
    const found = () => window.instances.rows.map(({ value }) => window.autoStops.findAutoStop(value));
    const ends = () => found().map((end) => end?.until);
    await eventually(() => ends().length === 4 && ends().every((end) => end !== undefined), "each has its end");
    assert.equal(new Set(ends()).size, 1, ends().join(", "));
    assert.ok(
      found().every((end) => end?.stoppedHours === 24),
      "each goes on as it was chosen",
    );
  });

  test("is rented once, however often it is confirmed", async () => {
    const window = await groupWindow();
    const id = createGroupId();
    const both = await Promise.allSettled([1, 2].map(() => rentGroup(window, draftOf(window.offers4), patient(), id)));
    assert.deepEqual(both.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
    assert.equal(window.creates().length, 4);
  });

  test("takes another machine for one that was just taken, of the same kind and for no more", async () => {
    const window = await groupWindow();
    const [taken, ...rest] = window.offers4;
    const spare = window.others.find(({ dph_total }) => dph_total !== undefined);
    assert.ok(taken && spare);
    // Whoever confirmed saw prices that the other one doesn't exceed.
    const { inet_up_cost, inet_down_cost, storage_cost, verified } = spare;
    const shown = { dph_total: Math.max(taken.dph_total ?? 0, spare.dph_total ?? 0), verified };
    const dear = { ...taken, ...NOT_THERE, ...shown, inet_up_cost, inet_down_cost, storage_cost };
    const { id } = await rentGroup(window, draftOf([dear, ...rest], { spares: [spare] }));
    assert.equal(await decided(window, id), "complete");
    const record = await window.groupJournal.find(id);
    assert.equal(record?.launches[0]?.length, 2, "both launches of the rank are known");
    assert.equal(window.creates().length, 4);
  });

  test("never takes one that costs more, or that is in it already", async () => {
    const window = await groupWindow();
    const [taken, other, ...rest] = window.offers4;
    assert.ok(taken && other);
    const dear = { ...other, dph_total: (taken.dph_total ?? 0) + 0.01 };
    const spares = [dear, ...rest].map((offer) => ({ ...offer, dph_total: offer === dear ? dear.dph_total : 0.001 }));
    const { id, why } = await rentGroup(window, draftOf([{ ...taken, ...NOT_THERE }, ...rest], { spares }));
    assert.equal(window.creates().length, 2);
    assert.equal(await decided(window, id), "short");
    assert.equal(why?.kind, "gone");
    assert.equal(window.service.world.listInstances().length, 2, "nothing is destroyed without a question");
  });

  test("never takes one whose traffic costs more than was confirmed", async () => {
    const window = await groupWindow();
    const [taken, other] = window.offers4;
    const spare = window.others.find(({ inet_down_cost: cost }) => (cost ?? 0) > 0);
    assert.ok(taken && other && spare);
    const shown = { dph_total: Math.max(taken.dph_total ?? 0, spare.dph_total ?? 0), storage_cost: spare.storage_cost };
    const free = { ...taken, ...NOT_THERE, ...shown, verified: spare.verified, inet_up_cost: 0, inet_down_cost: 0 };
    await rentGroup(window, draftOf([free, other], { spares: [spare] }));
    assert.equal(window.creates().length, 1);
    assert.ok(!window.creates().some(({ path }) => path.includes(`/${spare.id}/`)));
  });

  test("with too few is ended as agreed: exactly what it rented", async () => {
    const window = await groupWindow();
    const before = await window.rent(planFor(window.others[0] as never, "mine"), createIntent());
    assert.equal(before.kind, "rented");
    window.service.world.setFate((window.offers4[3] as { id: number }).id, "exited");
    const { id } = await rentGroup(window, draftOf(window.offers4, { rest: "destroy" }));
    assert.equal(await decided(window, id), "short");
    await eventually(() => window.service.world.listInstances().length === 1, "its members are gone");
    assert.equal(window.instances.rows.length >= 1, true);
    assert.deepEqual(
      window.service.world.listInstances().map(({ label }) => withoutLaunchToken(label ?? undefined)),
      ["mine"],
    );
    await eventually(() => window.heard.some(({ kind }) => kind === "ended"), "that was told");
  });

  test("has one unresolved launch where one answer got lost, and is complete once that is found", async () => {
    const window = await groupWindow();
    window.service.faults.add("create-lost@createInstance");
    const running = rentGroup(window, draftOf(window.offers4));
    await eventually(() => window.creates().length >= 1, "the first was sent");
    window.service.faults.delete("create-lost@createInstance");
    const { id } = await running;
    assert.equal(window.creates().length, 4, "none is sent twice");
    await eventually(async () => (await decided(window, id)) !== undefined, "it was decided");
    assert.equal(await decided(window, id), "complete");
    assert.equal(window.service.world.listInstances().length, 4);
  });

  test("of which the limits allow only a part isn't begun, though they allowed all of it when it was confirmed", async () => {
    const window = await groupWindow({}, { limits: { instances: 2 } });
    const plan = toGroupPlan(draftOf(window.offers4));
    const isRefused = (error: AppError) =>
      error.facts.limit === "instances" && /This group would add 4\./.test(error.message);
    await assert.rejects(window.launches.mayRentTogether(window.me(), plan.machines), isRefused);
    await assert.rejects(rentGroup(window, draftOf(window.offers4)), isRefused);
    assert.equal(window.creates().length, 0);
    assert.deepEqual(await window.groupJournal.read(), []);
  });

  test("stops where a limit ends it: they are counted again before each", async () => {
    const limits: { instances: number } = { instances: 4 };
    const window = await groupWindow({}, { limits });
    const { why } = await rentGroup(window, draftOf(window.offers4), {
      ...patient(),
      accompany: (_, work) =>
        work(({ sent }) => {
          if (sent === 2) limits.instances = 2;
        }, new AbortController().signal),
    });
    assert.equal(why?.facts.limit, "instances");
    assert.equal(window.creates().length, 2);
    const plan = toGroupPlan(draftOf(window.offers4));
    await assert.rejects(
      window.launches.mayRentTogether(window.me(), plan.machines.slice(0, 2)),
      (error: AppError) => error.facts.limit === "instances",
    );
  });

  test("is counted whole against the limit in dollars", async () => {
    const window = await groupWindow();
    const one = window.offers4[0]?.dph_total ?? 0;
    const tight = editorWindow(window.userData, { clock: fastClock, limits: { totalPerHour: one * 2.5 } });
    await tight.session.restore();
    const plan = toGroupPlan(draftOf(window.offers4));
    await assert.rejects(
      tight.launches.mayRentTogether(tight.me(), plan.machines),
      (error: AppError) => error.facts.limit === "totalPerHour" && /With this group/.test(error.message),
    );
    assert.equal(window.creates().length, 0);
  });

  test("runs with fewer where that was agreed, and the late ones go", async () => {
    const window = await groupWindow({ speed: 20 });
    window.service.world.setFate((window.offers4[3] as { id: number }).id, "exited");
    const { id } = await rentGroup(window, draftOf(window.offers4, { least: 3, rest: "destroy" }));
    await eventually(async () => (await decided(window, id)) !== undefined, "it was decided");
    assert.equal(await decided(window, id), "enough");
    await eventually(() => window.service.world.listInstances().length === 3, "the dead one is destroyed");
    assert.equal(countStates(window.groups.find(id) as never, "ready"), 3);
  });

  test("keeps a member that its owner stopped, where enough run, though the service calls it exited", async () => {
    const window = await groupWindow({}, { clock: clockAt(50) });
    window.service.faults.add("stopped-is-exited");
    const { world } = window.service;
    const stopLast = whoSees(4, () => setState(world, world.listInstances()[3] ?? assert.fail(), "stopped"));
    const draft = draftOf(window.offers4, { least: 3, rest: "destroy", minutes: 3 });
    const { id } = await rentGroup(window, draft, stopLast);
    await eventually(async () => (await decided(window, id)) !== undefined, "it was decided");
    assert.equal(await decided(window, id), "enough");
    await window.groups.reread(window.me());
    await sleep(300);
    assert.equal(world.listInstances().length, 4);
    assert.equal(countStates(window.groups.find(id) as never, "stopped"), 1);
  });

  test("isn't ended at once because somebody stopped a member: it may be started again in time", async () => {
    const window = await groupWindow({}, { clock: clockAt(50) });
    const { world } = window.service;
    const leaving = new AbortController();
    const stopLast = whoSees(
      2,
      () => setState(world, world.listInstances()[1] ?? assert.fail(), "stopped"),
      leaving.signal,
    );
    const draft = draftOf(window.offers4.slice(0, 2), { rest: "destroy", minutes: 20 });
    const renting = rentGroup(window, draft, stopLast);
    const count = (state: MemberState) => countStates(window.groups.all[0] ?? { members: [] }, state);
    await eventually(() => count("stopped") === 1 && count("ready") === 1, "its row says it");
    for (let time = 0; time < 5; time += 1) await window.groups.reread(window.me());
    assert.equal(await decided(window, window.groups.all[0]?.id ?? ""), undefined);
    assert.equal(world.listInstances().length, 2);
    leaving.abort();
    await renting;
  });

  test("isn't ended because a list lacks one that is there", async () => {
    let isBehind = false;
    let behind = 0;
    const connect = (options: ClientOptions): Client => {
      const client = createClient(options);
      const listInstances: Client["listInstances"] = async (...given) => {
        const listed = await client.listInstances(...given);
        if (!isBehind) return listed;
        behind += 1;
        return { ...listed, rows: listed.rows.slice(1) };
      };
      return { ...client, listInstances };
    };
    const window = await groupWindow({ speed: 1 }, { connect });
    const leaving = new AbortController();
    const running = rentGroup(window, draftOf(window.offers4, { rest: "destroy" }), patient(leaving.signal));
    await eventually(() => window.groups.all[0]?.isSending === false, "all were sent");
    await window.instances.collection.refresh();
    isBehind = true;
    await eventually(() => behind > 5, "the list is read again and again");
    leaving.abort();
    const { id } = await running;
    assert.equal(await decided(window, id), undefined);
    assert.equal(window.service.world.listInstances().length, 4);
  });

  test("is decided when its time is over", async () => {
    const window = await groupWindow({ speed: 1 });
    const { id } = await rentGroup(window, draftOf(window.offers4, { minutes: 0.02 }));
    assert.equal(await decided(window, id), "short", "none of them runs yet");
    assert.equal(window.service.world.listInstances().length, 4, "and nobody was asked yet");
  });

  test("stops at once where the person leaves, and keeps what came", async () => {
    const window = await groupWindow();
    const leaving = new AbortController();
    const { id } = await rentGroup(window, draftOf(window.offers4), {
      ...patient(),
      accompany: (_, work) => work(({ sent }) => sent === 2 && leaving.abort(), leaving.signal),
    });
    assert.equal(window.creates().length, 2);
    await eventually(async () => (await decided(window, id)) === "short", "two are too few");
    assert.equal(window.service.world.listInstances().length, 2);
  });

  test("rents nothing more once it was destroyed, also by another window", async () => {
    const window = await groupWindow({}, { liveness: lifeOf("one", "two") });
    const two = editorWindow(window.userData, { clock: fastClock, liveness: lifeOf("two", "one") });
    await two.session.restore();
    const id = createGroupId();
    let noted: Promise<unknown> | undefined;
    const { why } = await rentGroup(
      window,
      draftOf(window.offers4, { least: 1 }),
      {
        ...patient(),
        accompany: (_, work) =>
          work(({ sent }) => {
            if (sent !== 2) return;
            noted = two.groupJournal.note(id, "ended").then(() => window.groups.wake());
          }, new AbortController().signal),
      },
      id,
    );
    await noted;
    assert.equal(why?.kind, "cancelled");
    assert.equal(window.creates().length, 2);
  });

  test("rents nothing more once its account was left", async () => {
    const window = await groupWindow();
    await rentGroup(window, draftOf(window.offers4), {
      ...patient(),
      accompany: (_, work) =>
        work(({ sent }) => sent === 1 && void window.session.signOut(), new AbortController().signal),
    });
    assert.ok(window.creates().length <= 2, `${window.creates().length} were sent`);
    assert.deepEqual(window.groups.all, []);
    const sent = window.creates().length;
    await window.session.signIn(window.service.url, window.service.apiKey);
    await eventually(() => window.groups.all.length === 1, "it is there again");
    await eventually(() => window.heard.length === 1, "and was told of");
    assert.equal(window.creates().length, sent);
  });

  test("replaces a machine that dies, as the settings allow, in its rank", async () => {
    const window = await groupWindow({}, { policy: POLICY });
    window.service.world.setFate((window.offers4[1] as { id: number }).id, "exited");
    const { id } = await rentGroup(window, draftOf(window.offers4));
    assert.equal(await decided(window, id), "complete");
    const record = await window.groupJournal.find(id);
    assert.deepEqual(
      record?.launches.map(({ length }) => length),
      [1, 2, 1, 1],
    );
    assert.equal(window.service.world.listInstances().length, 4);
    assert.equal(window.creates().length, 5);
    assert.deepEqual(
      window.groups.find(id)?.members.map(({ instance }) => withoutLaunchToken(instance?.label)),
      ["sweep/0", "sweep/1", "sweep/2", "sweep/3"],
    );
  });

  test("rents and replaces all of it although nothing of that can be shown", async () => {
    const fail = () => {
      throw new Error("no window");
    };
    const window = await groupWindow({}, { policy: POLICY });
    window.service.world.setFate((window.offers4[1] as { id: number }).id, "exited");
    const { id, why } = await rentGroup(window, draftOf(window.offers4), {
      accompany: (_, work) => work(fail, new AbortController().signal),
      tellReplacing: fail,
    });
    assert.deepEqual([why, await decided(window, id)], [undefined, "complete"]);
    assert.deepEqual([window.service.world.listInstances().length, window.creates().length], [4, 5]);
  });

  test("replaces one of its instances from its row by no machine that it has already", async () => {
    const window = await groupWindow();
    const { world } = window.service;
    const [, dying] = window.offers4;
    assert.ok(dying);
    world.setFate(dying.id, "exited");
    const { id } = await rentGroup(window, draftOf(window.offers4));
    const group = window.groups.find(id);
    const dead = group?.members[1]?.id;
    const beside = group?.members[0]?.id;
    const other = world.findInstance(beside ?? 0);
    assert.ok(dead && beside && other);
    const find = async () => {
      const found = await window.replacements.propose(window.me(), { plan: planFor(dying), search: anySearch }, dead);
      return found.kind === "proposal" ? found.plan.offer.machine_id : undefined;
    };
    const cheapest = await find();
    assert.ok(cheapest);
    // Another part of that machine, with a GPU of its own, belongs to the group.
    const machine = { ...other.offer.machine, id: cheapest };
    Object.assign(other, { offer: { ...other.offer, machine, gpuIds: [99] } });
    // A reading that was under way shows what was there before.
    await eventually(async () => {
      await window.instances.collection.refresh();
      return window.instances.find(beside)?.value.machine_id === cheapest;
    }, "the list shows where it is");
    assert.notEqual(await find(), cheapest);
  });

  test("doesn't take two of its machines from one host where they are to differ", async () => {
    const window = await groupWindow();
    const all = await machinesOf(window);
    const apart = listDistinctMachines(all, { isApart: true });
    assert.equal(new Set(apart.map(({ host_id }) => host_id)).size, apart.length);
    assert.ok(apart.length > 0 && apart.length <= all.length);
  });
});

describe("the summary of a group", () => {
  const nobody = {
    change: async () => undefined,
    read: async () => true,
    addKey: async () => undefined,
    confirm: async () => false,
    tell: () => undefined,
  };

  test("says that no key fits while there is time to add one: its instances admit those of the account when they start", async () => {
    const window = await groupWindow({}, { clock: realClock });
    window.service.world.account.sshKeys = [];
    const shown: (KeyNotice | undefined)[] = [];
    const answers: (GroupAnswer | undefined)[] = ["add-key", undefined];
    const folder = join(window.userData.root, "ssh");
    await mkdir(folder, { recursive: true });
    const mine = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIMineMineMineMineMineMineMineMineMineMineMi me@here";
    await writeFile(join(folder, "id_ed25519.pub"), mine);
    await writeFile(join(folder, "id_ed25519"), "never read");
    const person: GroupReviewer = {
      ...nobody,
      showSummary: async (_, keys) => {
        shown.push(keys);
        return answers.shift();
      },
      addKey: async (account) => {
        const [key] = await window.connections.listLocalKeys();
        assert.ok(key);
        await window.accountKeys.add(account, key);
      },
    };
    await window.groupReview.review(window.me(), person, draftOf(window.offers4));
    assert.deepEqual(shown, ["none", undefined]);
  });

  test("keeps its machines when the disk changes, also where hundreds cost less", async () => {
    const window = await groupWindow({ offers: 1500 });
    const { offers } = await window.offers.search(anySearch, undefined, WHOLE_MARKET);
    const last = offers.at(-1);
    const dear = offers.filter((one) => one.gpu_name === last?.gpu_name && one.num_gpus === last?.num_gpus);
    const chosen = listDistinctMachines(dear, { isApart: false }).slice(-3);
    const shown: GroupDraft[] = [];
    const told: string[] = [];
    const answers: (GroupAnswer | undefined)[] = ["disk", undefined];
    const person: GroupReviewer = {
      ...nobody,
      showSummary: async (draft) => {
        shown.push(draft);
        return answers.shift();
      },
      change: async (_, draft) => ({ ...draft, base: { ...draft.base, diskGb: 20 } }),
      tell: ({ kind }) => void told.push(kind),
    };
    await window.groupReview.review(window.me(), person, draftOf(chosen));
    assert.deepEqual(told, []);
    assert.equal(shown[1]?.base.diskGb, 20);
    assert.deepEqual(shown[1]?.offers.map(({ id }) => id).sort(), chosen.map(({ id }) => id).sort());
  });

  test("asks for no change in the account that somebody switched to", async () => {
    const window = await groupWindow();
    const account = window.me();
    const person: GroupReviewer = {
      ...nobody,
      showSummary: async () => {
        const other = await sandbox({ seed: 2 });
        await window.session.signIn(other.url, other.apiKey);
        return "configuration";
      },
      change: async () => assert.fail("it was asked"),
    };
    await assert.rejects(window.groupReview.review(account, person, draftOf(window.offers4)), /You switched accounts/);
  });
});

describe("a group of several windows", () => {
  test("is decided and told of by the one that rented it", async () => {
    const one = await groupWindow({}, { liveness: lifeOf("one", "two") });
    const two = editorWindow(one.userData, { clock: fastClock, liveness: lifeOf("two", "one") });
    await two.session.restore();
    const heard = listen(two);
    const { id } = await rentGroup(one, draftOf(one.offers4));
    await eventually(() => one.heard.length === 1, "it was told");
    two.groups.wake();
    await eventually(() => two.groups.find(id)?.record.facts.has("told") === true, "the other one sees it");
    assert.deepEqual(heard, []);
    assert.equal(two.groups.find(id)?.members.length, 4);
  });

  test("is taken over where that window died in the middle: nothing more is rented, and what came is ended as agreed", async () => {
    const one = await groupWindow({}, { liveness: lifeOf("one") });
    await rentTwoAndDie(one, draftOf(one.offers4, { rest: "destroy" }));
    const sent = one.creates().length;
    const two = editorWindow(one.userData, { clock: fastClock, liveness: lifeOf("two") });
    await two.session.restore();
    const heard = listen(two);
    await two.instances.collection.refresh();
    await eventually(() => heard.some(({ kind }) => kind === "ended"), "it was ended");
    await eventually(() => one.service.world.listInstances().length === 0, "nothing of it is left");
    assert.equal(one.creates().length, sent, "nothing more was rented");
  });

  test("is ended as agreed also where the list is behind, and lacks what was rented a moment ago", async () => {
    const one = await groupWindow({}, { liveness: lifeOf("one") });
    await rentTwoAndDie(one, draftOf(one.offers4, { rest: "destroy" }));
    one.service.faults.add("lagging-list");
    const two = editorWindow(one.userData, { clock: fastClock, liveness: lifeOf("two") });
    await two.session.restore();
    const heard = listen(two);
    await two.instances.collection.refresh();
    assert.equal(two.instances.rows.length, 0);
    await eventually(() => heard.some(({ kind }) => kind === "ended"), "it was ended");
    await eventually(() => one.service.world.listInstances().length === 0, "nothing of it is left");
  });

  test("is taken over also where its files couldn't be read at first", async () => {
    const one = await groupWindow({}, { liveness: lifeOf("one") });
    await rentTwoAndDie(one, draftOf(one.offers4, { rest: "destroy" }));
    let failures = 0;
    const names: Disk["names"] = (folder) => {
      if (!folder.endsWith("groups") || failures >= 3) return realDisk.names(folder);
      failures += 1;
      return Promise.reject(Object.assign(new Error("too many open files"), { code: "EMFILE" }));
    };
    const two = editorWindow(one.userData, { clock: fastClock, liveness: lifeOf("two"), disk: { ...realDisk, names } });
    await two.session.restore();
    await eventually(() => one.service.world.listInstances().length === 0, "what came was ended as agreed");
    assert.equal(failures, 3);
  });

  test("ends nothing without a question where no window was open at its time", async () => {
    // Its 20 minutes are over after 24 seconds: by then it is dead, however slow the machine is.
    const one = await groupWindow({ speed: 1 }, { clock: clockAt(50), liveness: lifeOf("one") });
    await rentTwoAndDie(one, draftOf(one.offers4.slice(0, 2), { rest: "destroy", minutes: 20 }));
    const later = { ...fastClock, now: () => Date.now() + 3_600_000 };
    const two = editorWindow(one.userData, { clock: later, liveness: lifeOf("two") });
    await two.session.restore();
    const heard = listen(two);
    await two.instances.collection.refresh();
    await eventually(() => heard.length > 0, "it was told");
    assert.ok(heard[0]?.kind === "decided" && heard[0].isOverdue);
    assert.equal(one.service.world.listInstances().length, 2);
  });

  test("is another account's only there", async () => {
    const window = await groupWindow();
    const { id } = await rentGroup(window, draftOf(window.offers4));
    const elsewhere = await groupWindow();
    const other = editorWindow(window.userData, { clock: fastClock });
    await other.session.signIn(elsewhere.service.url, elsewhere.service.apiKey);
    await other.groups.reread(other.me());
    assert.equal(other.groups.find(id), undefined);
  });
});

describe("the files of groups", () => {
  test("keep the latest name, and what is damaged is passed over", async () => {
    const window = await groupWindow();
    const { id } = await rentGroup(window, draftOf(window.offers4));
    const record = await window.groupJournal.find(id);
    assert.ok(record);
    await window.groupJournal.rename(record, "train-2");
    await window.groupJournal.rename(record, "train-3");
    const folder = join(window.userData.root, "groups");
    for (const [name, text] of [
      ["grp-aaaaaaaaaaaaaaaa.prepared", "{"],
      ["grp-bbbbbbbbbbbbbbbb.prepared", "{}"],
      [`${id}.name-3`, "../../etc"],
      [`${id}.rank-0-1`, ""],
      ["notes.txt", "mine"],
    ])
      await writeFile(join(folder, String(name)), String(text));
    // More than there are must run; one launch has two ranks.
    const { prepared } = record;
    const [token = ""] = prepared.tokens;
    const twice = { ...prepared, tokens: [token, token] };
    await writeFile(join(folder, "grp-cccccccccccccccc.prepared"), JSON.stringify({ ...prepared, least: 5 }));
    await writeFile(join(folder, "grp-dddddddddddddddd.prepared"), JSON.stringify({ ...twice, least: 2 }));
    const all = await window.groupJournal.read();
    assert.deepEqual(
      all.map(({ name }) => name),
      ["train-3"],
    );
    assert.equal(all[0]?.launches.length, 4);
    await window.groups.reread(window.me());
    assert.equal(countStates(window.groups.find(id) as never, "ready"), 4);
  });

  test("that were changed by hand end nothing that the group didn't rent", async () => {
    const window = await groupWindow({ speed: 1 });
    const mine = createIntent();
    assert.equal((await window.rent(planFor(window.others[0] as never, "mine"), mine)).kind, "rented");
    const leaving = new AbortController();
    const draft = draftOf(window.offers4.slice(0, 2), { rest: "destroy" });
    const running = rentGroup(window, draft, patient(leaving.signal));
    await eventually(() => window.groups.all[0]?.isSending === false, "both were sent");
    leaving.abort();
    const { id } = await running;
    const [token] = (await window.groupJournal.find(id))?.launches[0] ?? [];
    const text = JSON.stringify({ decision: "short", by: "nobody", unwanted: [token, mine.token] });
    await writeFile(join(window.userData.root, "groups", `${id}.decided-1`), text);
    window.groups.wake();
    await eventually(() => window.heard.some(({ kind }) => kind === "ended"), "what is its own was ended");
    const left = window.service.world.listInstances().map(({ label }) => withoutLaunchToken(label ?? undefined));
    assert.deepEqual(left.sort(), ["mine", "sweep/1"]);
  });

  test("of a group go after a year and more, and no earlier", async () => {
    const window = await groupWindow();
    const { id } = await rentGroup(window, draftOf(window.offers4));
    const { prepared } = (await window.groupJournal.find(id)) ?? assert.fail();
    // Something newer shows how old it is.
    const at = prepared.at + 401 * 86_400_000;
    const tokens = prepared.tokens.map(() => createIntent().token);
    await window.groupJournal.prepare(createGroupId(), { ...prepared, tokens, at, deadline: at + 1000 });
    await window.groupJournal.tidy(Date.now() + 399 * 86_400_000);
    assert.ok(await window.groupJournal.find(id));
    await window.groupJournal.tidy(Date.now() + 401 * 86_400_000);
    assert.equal(await window.groupJournal.find(id), undefined);
  });

  test("that can't be written rent nothing", async () => {
    const window = await groupWindow();
    const folder = join(window.userData.root, "groups");
    const { rm } = await import("node:fs/promises");
    await rm(folder, { recursive: true, force: true });
    await writeFile(folder, "in its place");
    await assert.rejects(rentGroup(window, draftOf(window.offers4)), /couldn't save the group/);
    assert.equal(window.creates().length, 0);
  });

  test("with a decision that a window died over are decided by the next, at its second look", async () => {
    const window = await groupWindow();
    const leaving = new AbortController();
    const folder = join(window.userData.root, "groups");
    const id = createGroupId();
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, `${id}.decided-1`), "");
    await rentGroup(window, draftOf(window.offers4), patient(leaving.signal), id);
    assert.equal(await decided(window, id), "complete");
    assert.equal((await window.groupJournal.find(id))?.unreadable, 1);
  });

  test("take no decision that was made before another launch took a rank", async () => {
    const window = await groupWindow({ speed: 1 });
    const leaving = new AbortController();
    const running = rentGroup(window, draftOf(window.offers4), patient(leaving.signal));
    await eventually(() => window.groups.all[0]?.isSending === false, "all were sent");
    leaving.abort();
    const { id } = await running;
    const before = await window.groupJournal.find(id);
    assert.ok(before);
    await window.groupJournal.addLaunch(before, 1, createIntent().token);
    const short = { decision: "short", by: "me", unwanted: before.launches.flat() } as const;
    assert.equal(await window.groupJournal.decide(before, short), false);
    const now = await window.groupJournal.find(id);
    assert.ok(now && now.decided === undefined);
    assert.equal(await window.groupJournal.decide(now, short), true);
  });

  test("let no launch take a rank in place of an instance that was rented long before and got a member's label", async () => {
    const window = await groupWindow();
    const { world } = window.service;
    const old = rentRunning(window.service);
    const { id } = await rentGroup(window, draftOf(window.offers4));
    const member = window.groups.find(id)?.members[2]?.instance;
    const other = world.listInstances().find((one) => one.id === old);
    assert.ok(member && other);
    Object.assign(other, { label: member.label, createdAt: other.createdAt - 3 * 86_400 });
    await window.instances.collection.refresh();
    await window.groups.keepRank(old as InstanceId, createIntent().token);
    const record = await window.groupJournal.find(id);
    assert.deepEqual(
      record?.launches.map(({ length }) => length),
      [1, 1, 1, 1],
    );
  });

  test("let a launch take the rank of a dead instance once", async () => {
    const window = await groupWindow();
    const { id } = await rentGroup(window, draftOf(window.offers4));
    const member = window.groups.find(id)?.members[2];
    assert.ok(member?.id);
    const [first, second] = [createIntent().token, createIntent().token];
    await window.groups.keepRank(member.id, first);
    const record = await window.groupJournal.find(id);
    assert.deepEqual(record?.launches[2], [member.token, first]);
    assert.equal(readLaunchToken(`${second} x`), second);
    await assert.rejects(
      window.groupJournal.addLaunch({ ...record, launches: [[""], [""], [member.token]] } as never, 2, second),
      /another window/,
    );
  });
});
