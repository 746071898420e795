// Destroying and stopping over real HTTP: in bulk where the service can, read back, finished by the next window.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { OfferId } from "../../../src/domain/base/id.ts";
import { createInstance } from "../../../src/sandbox/handlers/create-instance.ts";
import type { SandboxOptions } from "../../../src/sandbox/start.ts";
import { createOrderToken } from "../../../src/services/instance/order-journal.ts";
import { fastClock, lifeOf, type Parts } from "../editor-window.ts";
import { editorWindow, eventually, pass, sandbox, serve, showAs, signedIn } from "../support.ts";
import { rentUnlisted } from "./unlisted.ts";

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** An account that has rented several machines. */
async function withInstances(count: number, options: SandboxOptions = {}, parts: Parts = {}) {
  const window = await signedIn(options, { clock: fastClock, ...parts });
  const { world } = window.service;
  for (let rented = 0; rented < count; rented += 1) {
    const offer = world.offers.find((one) => world.isRentable(one));
    assert.ok(offer);
    world.setFate(offer.id, "runs");
    createInstance(world, OfferId.parse(offer.id), { image: "a/b", runtype: "ssh_direct", target_state: "running" });
  }
  await window.instances.collection.refresh();
  assert.equal(window.instances.rows.length, count);
  const writes = () => window.lines.filter(({ method, path }) => method !== "GET" && path !== "/api/v0/bundles/");
  return { ...window, world, writes };
}

describe("stopping one", () => {
  for (const isQueued of [false, true])
    test(`is ${isQueued ? "not " : ""}confirmed where the service ${isQueued ? "only queues" : "accepts"} it`, async () => {
      const { service, userData } = await signedIn();
      const { world } = service;
      const offer = world.offers.find((one) => world.isRentable(one));
      assert.ok(offer);
      world.setFate(offer.id, "runs");
      createInstance(world, OfferId.parse(offer.id), { image: "a/b", runtype: "ssh_direct" });
      const queued = { success: false, error: "resources_unavailable", msg: "state change queued." };
      const url = await serve(async (request, body) => {
        const answer = await pass(service.url, request, body);
        return isQueued && request.method === "PUT" && /\/instances\/\d+\/$/.test(request.url ?? "")
          ? { status: 200, text: JSON.stringify(queued) }
          : answer;
      });
      const window = editorWindow(userData, { clock: fastClock });
      await window.session.signIn(url, service.apiKey);
      await window.instances.collection.refresh();
      const [row] = window.instances.rows;
      assert.ok(row);
      const seen = new Set<boolean | undefined>();
      window.orders.onDidChange(() => {
        const { stage, isConfirmed } = window.orders.getStage(row.value.id) ?? {};
        if (stage === "checking") seen.add(isConfirmed);
      });
      await window.orders.carryOut(window.me(), "stop", [row]);
      assert.deepEqual([...seen], [!isQueued], "terminals close only where it is confirmed");
    });
});

describe("destroying many", () => {
  test("is one request where the service can, and every row shows how far it is", async () => {
    const window = await withInstances(6);
    const stages = new Set<string | undefined>();
    const [first] = window.instances.rows;
    assert.ok(first);
    window.orders.onDidChange(() => stages.add(window.orders.getStage(first.value.id)?.stage));
    const ends = await window.orders.carryOut(window.me(), "destroy", window.instances.rows);
    assert.deepEqual(
      ends.map(({ outcome }) => outcome),
      Array(6).fill("done"),
    );
    assert.equal(window.writes().length, 1);
    assert.equal(window.world.listInstances().length, 0);
    assert.deepEqual([...stages], ["waiting", "sending", "checking", undefined]);
    assert.deepEqual(window.instances.rows, []);
  });

  test("is one request each where the service has no other way", async () => {
    const window = await withInstances(3, { faults: ["404-html@destroyInstances"] });
    const ends = await window.orders.carryOut(window.me(), "destroy", window.instances.rows);
    assert.ok(ends.every(({ outcome }) => outcome === "done"));
    const alone = window.writes().filter(({ path }) => /instances\/\d+\/$/.test(path));
    assert.equal(alone.length, 3);
    assert.equal(window.world.listInstances().length, 0);
  });

  test("whose answer is lost is read back from the list", async () => {
    const window = await withInstances(3, { faults: ["reset-after@destroyInstances"] });
    const ends = await window.orders.carryOut(window.me(), "destroy", window.instances.rows);
    assert.ok(ends.every(({ outcome }) => outcome === "done"));
    assert.equal(window.writes().length, 1, "nothing is sent a second time");
  });

  test("that the service refuses says so for each, and that they may still cost money", async () => {
    const window = await withInstances(2, { faults: ["403@destroyInstances"] });
    const ends = await window.orders.carryOut(window.me(), "destroy", window.instances.rows);
    assert.deepEqual(
      ends.map(({ outcome }) => outcome),
      ["failed", "failed"],
    );
    assert.equal(window.world.listInstances().length, 2);
    // No order waits for the disk.
    const isOpen = async () => (await window.orderJournal.readOpen()).filter(({ isSent }) => isSent).length === 2;
    await eventually(isOpen, "until the person heard");
    await window.orders.acknowledge(ends);
    assert.deepEqual(await window.orderJournal.readOpen(), []);
  });
});

test("that a list leaves machines out is no word on whether they stopped", async () => {
  const { window, service, rows } = await rentUnlisted();
  service.faults.add("500@setInstancesState");
  const ends = await window.orders.carryOut(window.me(), "stop", rows);
  const stopped = service.world.listInstances().filter(({ intended }) => intended === "stopped").length;
  assert.equal(stopped, 0);
  assert.deepEqual(
    ends.map(({ outcome }) => outcome),
    ["failed", "failed"],
  );
});

test("a bare 404 to a destroy is no proof: the instance is read back, and its row stays", async () => {
  const window = await withInstances(1, { faults: ["404-html@destroyInstance"] });
  const [row] = window.instances.rows;
  assert.ok(row);
  const [end] = await window.orders.carryOut(window.me(), "destroy", [row]);
  assert.equal(end?.outcome, "failed");
  await window.instances.collection.refresh();
  assert.equal(window.instances.rows.length, 1);
});

describe("a window that closes half way", () => {
  const dead = lifeOf("first");
  const next = lifeOf("second");

  /** Four machines that were to be destroyed in a window that no longer is, `age` milliseconds ago. */
  async function left(age: number, kind: "destroy" | "stop" = "destroy", options: SandboxOptions = {}) {
    const window = await withInstances(4, options, { liveness: dead });
    const account = window.me();
    // They have run for long.
    for (const one of window.world.listInstances()) showAs(one, "running");
    const ids = window.instances.rows.map(({ value }) => value.id);
    // First of all: it would carry out what it finds under its own name.
    window.close();
    for (const [at, id] of ids.entries()) {
      await window.orderJournal.write(`ord-${String(at).padStart(20, "0")}`, {
        version: 1,
        kind,
        id,
        origin: account.address.origin,
        account: account.tag,
        at: Date.now() - age,
        owner: "first",
      });
    }
    return { ...window, ids };
  }

  test("is finished by the next one, which says so", async () => {
    const before = await left(5000);
    const window = editorWindow(before.userData, { clock: fastClock, liveness: next });
    await window.session.restore();
    await eventually(() => window.orderNotices.length > 0, "it was told");
    const [notice] = window.orderNotices;
    assert.ok(notice?.kind === "finished");
    assert.ok(notice.ends.every(({ outcome }) => outcome === "done") && notice.ends.length === 4);
    assert.equal(before.world.listInstances().length, 0);
  });

  test("is left to a window that still lives", async () => {
    const before = await left(5000);
    const window = editorWindow(before.userData, { clock: fastClock, liveness: lifeOf("second", "first") });
    await window.session.restore();
    await pause(200);
    assert.equal(before.world.listInstances().length, 4);
    assert.deepEqual(window.orderNotices, []);
  });

  test("too long ago is asked for again and never done unasked", async () => {
    const before = await left(16 * 60_000);
    const window = editorWindow(before.userData, { clock: fastClock, liveness: next });
    await window.session.restore();
    await eventually(() => window.orderNotices.length > 0, "it was told");
    assert.equal(before.world.listInstances().length, 4);
    window.close();
    const again = editorWindow(before.userData, { clock: fastClock, liveness: lifeOf("third") });
    await again.session.restore();
    await eventually(() => again.orderNotices.length > 0, "it is told until somebody heard");
    const [notice] = again.orderNotices;
    assert.ok(notice?.kind === "stale" && notice.orders.length === 4);
    await notice.acknowledge();
    again.close();
    const last = editorWindow(before.userData, { clock: fastClock, liveness: lifeOf("fourth") });
    await last.session.restore();
    await pause(200);
    assert.deepEqual(last.orderNotices, [], "and not after that");
    assert.equal(before.world.listInstances().length, 4);
  });

  test("is finished by one of two windows that open together", async () => {
    const before = await left(5000);
    const both = [lifeOf("second", "third"), lifeOf("third", "second")].map((liveness) =>
      editorWindow(before.userData, { clock: fastClock, liveness }),
    );
    await Promise.all(both.map(({ session }) => session.restore()));
    await eventually(() => both.some(({ orderNotices }) => orderNotices.length > 0), "it was told");
    await eventually(() => before.world.listInstances().length === 0, "all are gone");
    const told = both.flatMap(({ orderNotices }) =>
      orderNotices.flatMap((notice) => (notice.kind === "finished" ? notice.ends.map(({ id }) => id) : [])),
    );
    assert.equal(new Set(told).size, told.length, "nobody told of the same machine twice");
  });

  test("is told, and not stopped twice, where a request had left and nobody knows what came of it", async () => {
    const before = await left(5000, "stop");
    const [first] = before.ids;
    assert.ok(first);
    await before.orderJournal.note(`ord-${"0".repeat(20)}`, "sent");
    const window = editorWindow(before.userData, { clock: fastClock, liveness: next });
    await window.session.restore();
    await eventually(() => window.orderNotices.length === 2, "both were told");
    const stale = window.orderNotices.find(({ kind }) => kind === "stale");
    assert.deepEqual(stale?.kind === "stale" && stale.orders.map(({ id }) => id), [first]);
    const running = before.world.listInstances().filter(({ intended }) => intended === "running");
    assert.deepEqual(
      running.map(({ id }) => id),
      [first],
    );
  });

  test("is destroyed all the same where a request had left: to destroy twice changes nothing", async () => {
    const before = await left(5000);
    for (let at = 0; at < 4; at += 1) await before.orderJournal.note(`ord-${String(at).padStart(20, "0")}`, "sent");
    const window = editorWindow(before.userData, { clock: fastClock, liveness: next });
    await window.session.restore();
    await eventually(() => before.world.listInstances().length === 0, "all are gone");
  });

  test("leaves what came about in the meantime without a word", async () => {
    const before = await left(60 * 60_000, "stop");
    for (const { id } of before.world.listInstances()) {
      const { status } = await fetch(`${before.service.url}/api/v0/instances/${id}/`, {
        method: "PUT",
        headers: { authorization: `Bearer ${before.service.apiKey}`, "content-type": "application/json" },
        body: JSON.stringify({ state: "stopped" }),
      });
      assert.equal(status, 200);
    }
    const window = editorWindow(before.userData, { clock: fastClock, liveness: next });
    await window.session.restore();
    await eventually(async () => (await before.orderJournal.readOpen()).length === 0, "it is settled");
    assert.deepEqual(window.orderNotices, []);
  });

  test("is heard of by a window that opened long before", async () => {
    const window = await withInstances(2, {}, { liveness: lifeOf("second", "first") });
    const [row] = window.instances.rows;
    assert.ok(row);
    const account = window.me();
    const { tag, address } = account;
    const order = { version: 1, kind: "destroy", id: row.value.id, origin: address.origin, account: tag } as const;
    await window.orderJournal.write(createOrderToken(), { ...order, at: Date.now(), owner: "gone" });
    window.orders.wake();
    await eventually(() => window.orderNotices.length === 1, "it was finished and told");
    assert.equal(window.world.listInstances().length, 1);
  });

  test("does not touch what belongs to another account", async () => {
    const before = await left(5000);
    const other = await sandbox({ seed: 7 });
    const window = editorWindow(before.userData, { clock: fastClock, liveness: next });
    await window.session.signIn(other.url, other.apiKey);
    await pause(200);
    assert.equal(before.world.listInstances().length, 4);
    assert.deepEqual(window.orderNotices, []);
  });

  test("asks about a stop of what was stopped and started elsewhere since, and sends nothing", async () => {
    const before = await left(5000, "stop", { speed: 1 });
    const [own] = before.world.listInstances();
    assert.ok(own);
    own.timeline = [{ at: before.world.getNow(), status: "running", message: "started again" }];
    const window = editorWindow(before.userData, { clock: fastClock, liveness: next });
    await window.session.restore();
    await eventually(() => window.orderNotices.length === 2, "the others were stopped, and this one is asked about");
    const stale = window.orderNotices.find(({ kind }) => kind === "stale");
    assert.ok(stale?.kind === "stale");
    assert.deepEqual(
      stale.orders.map(({ id }) => id),
      [own.id],
    );
    assert.equal(own.intended, "running");
    assert.equal(before.world.listInstances().filter(({ intended }) => intended === "stopped").length, 3);
  });

  test("asks about a stop where the service doesn't say for how long an instance has run", async () => {
    const before = await left(5000, "stop");
    before.service.faults.add("without-uptime");
    const window = editorWindow(before.userData, { clock: fastClock, liveness: next });
    await window.session.restore();
    await eventually(() => window.orderNotices.length > 0, "it is asked");
    assert.deepEqual(
      window.orderNotices.map(({ kind }) => kind),
      ["stale"],
    );
    assert.ok(before.world.listInstances().every(({ intended }) => intended === "running"));
  });

  test("does not stop again what was started since", async () => {
    const before = await left(5000, "stop");
    const window = editorWindow(before.userData, { clock: fastClock, liveness: lifeOf("second", "first") });
    await window.session.restore();
    const [id] = before.ids;
    assert.ok(id);
    await window.actions.start(window.me(), id);
    window.close();
    const last = editorWindow(before.userData, { clock: fastClock, liveness: lifeOf("third") });
    await last.session.restore();
    await eventually(() => last.orderNotices.length > 0, "the others were stopped");
    const stopped = before.world.listInstances().filter(({ intended }) => intended === "stopped");
    assert.equal(stopped.length, 3);
    assert.ok(!stopped.some((one) => one.id === id));
  });
});

test("an account that is left half way keeps its orders, and they go on when it is back", async () => {
  const window = await withInstances(3, { faults: ["404-html@destroyInstances"] });
  const other = await sandbox({ seed: 7 });
  const account = window.me();
  const working = window.orders.carryOut(account, "destroy", window.instances.rows);
  await eventually(() => window.world.listInstances().length < 3, "the first one is gone");
  await window.session.enterSandbox(other.url, other.apiKey);
  const ends = await working;
  const left = ends.filter(({ outcome }) => outcome === "left");
  assert.equal(window.world.listInstances().length, left.length);
  assert.ok(left.length > 0);
  assert.equal(other.world.listInstances().length, 0);
  await window.session.signOut();
  await eventually(() => window.world.listInstances().length === 0, "the rest went when the account was back");
});
