// Ends of instances, kept by windows over real HTTP: reminded of once, carried out by one window, called off by a later end.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { InstanceId } from "../../../../src/domain/base/id.ts";
import type { AutoStopWish } from "../../../../src/domain/instance/auto-stop.ts";
import { type Clock, sleep } from "../../../../src/lib/clock.ts";
import { createInstance } from "../../../../src/sandbox/handlers/create-instance.ts";
import type { Sandbox } from "../../../../src/sandbox/start.ts";
import { realDisk } from "../../../../src/services/core/book/disk.ts";
import type { AutoStopEntry } from "../../../../src/services/instance/auto-stops/auto-stop-entry.ts";
import { listNewlyLaunched } from "../../../../src/services/instance/auto-stops/auto-stop-launches.ts";
import { createIntent } from "../../../../src/services/launch/intent.ts";
import { lifeOf, planFor } from "../../editor-window.ts";
import { cheapest, eventually, pass, serve } from "../../support.ts";
import { HOUR, MINUTE, withWindows } from "./auto-stop-windows.ts";

describe("an end", () => {
  test("that is set in one window is shown in all, and taken back in all", async () => {
    const { windows, row, set, inHours } = await withWindows(2);
    assert.equal(await set(inHours(4, "stop")), "set");
    const seen = () => windows.map(({ autoStops }) => autoStops.findAutoStop(row.value)?.ending);
    await eventually(() => seen().every((one) => one === "stop"), "both show it");
    await set(undefined, windows[1]);
    await eventually(() => seen().every((one) => one === undefined), "both show none");
  });

  test("is reminded of once, by one window, and nothing is sent", async () => {
    const { set, inHours, forward, told, kinds, deletes, isThere } = await withWindows(2);
    await set(inHours(4, "remind"));
    await sleep(100);
    assert.deepEqual(kinds(), []);
    forward(4 * HOUR - 9 * MINUTE);
    await eventually(() => told.length > 0, "a reminder before it");
    await sleep(1500);
    assert.deepEqual(kinds(), ["soon"]);
    forward(9 * MINUTE);
    await eventually(() => told.length > 1, "a reminder at it");
    await sleep(1500);
    assert.deepEqual(kinds(), ["soon", "over"]);
    assert.deepEqual(deletes, []);
    assert.ok(isThere());
  });

  test("destroys the instance, by one request of one window, and says so once", async () => {
    const { set, inHours, forward, told, kinds, deletes, isThere, windows, row } = await withWindows(2);
    await set(inHours(1, "destroy"));
    forward(HOUR + 1000);
    await eventually(() => kinds().includes("ended"), "it is told");
    assert.ok(!isThere());
    await sleep(1500);
    assert.deepEqual(kinds(), ["ended"]);
    assert.equal(deletes.length, 1);
    const [, notice] = told[0] ?? [];
    assert.ok(notice?.kind === "ended" && notice.result.outcome === "done");
    assert.ok(windows.every(({ autoStops }) => autoStops.findAutoStop(row.value) === undefined));
  });

  test("carried out by a window that is killed before it says so is told by the next one", async () => {
    const killed = { isAt: false, ahead: 0 };
    const clock: Clock = {
      now: () => Date.now() + killed.ahead,
      elapsed: () => performance.now() * 60,
      sleep: (ms, signal) => (killed.isAt ? new Promise(() => {}) : sleep(ms / 60, signal)),
    };
    const through = (service: Sandbox) =>
      serve(async (request, body) => {
        if (request.method === "DELETE") killed.isAt = true;
        return await pass(service.url, request, body);
      });
    const { set, inHours, kinds, deletes, open, row } = await withWindows(
      1,
      { clock, liveness: lifeOf("first") },
      through,
    );
    await set(inHours(1, "destroy"));
    killed.ahead = HOUR + 1000;
    await eventually(() => deletes.length === 1, "it is sent");
    const alive: Clock = { ...clock, sleep: (ms, signal) => sleep(ms / 60, signal) };
    const next = await open("next", [], { clock: alive });
    await eventually(() => next.orderNotices.length > 0, "it is told");
    const [notice] = next.orderNotices;
    assert.ok(notice?.kind === "finished");
    assert.deepEqual(
      notice.ends.map(({ id, kind, outcome }) => ({ id, kind, outcome })),
      [{ id: row.value.id, kind: "destroy", outcome: "done" }],
    );
    await sleep(500);
    assert.deepEqual([kinds(), next.orderNotices.length, deletes.length], [[], 1, 1]);
  });

  test("can't be set on an instance that an end destroyed", async () => {
    const { set, inHours, forward, kinds } = await withWindows(1);
    await set(inHours(1, "destroy"));
    forward(HOUR + 1000);
    await eventually(() => kinds().includes("ended"), "it is told");
    await sleep(200);
    assert.equal(await set(inHours(2, "destroy")), "late");
  });

  test("stops it, and doesn't stop it again once somebody started it", async () => {
    const { set, inHours, forward, kinds, deletes, world, first, row } = await withWindows(2);
    await set(inHours(1, "stop"));
    forward(HOUR + 1000);
    await eventually(() => kinds().includes("ended"), "it is told");
    assert.equal(world.listInstances().find(({ id }) => id === row.value.id)?.intended, "stopped");
    await first.actions.start(first.me(), row.value.id);
    await sleep(1500);
    assert.equal(deletes.length, 2, "stopped and started");
  });

  test("that is put off in another window doesn't come", async () => {
    const { set, inHours, forward, kinds, isThere, windows } = await withWindows(2);
    await set(inHours(1, "destroy"));
    forward(HOUR - 5 * MINUTE);
    await eventually(() => kinds().length === 1, "a reminder");
    assert.equal(await set(inHours(2, "destroy"), windows[1]), "set");
    forward(10 * MINUTE);
    await sleep(1500);
    assert.ok(isThere());
    assert.deepEqual(kinds(), ["soon"]);
    forward(2 * HOUR - 10 * MINUTE);
    await eventually(() => kinds().includes("ended"), "the later one");
    assert.ok(!isThere());
  });

  test("that passed while the computer slept or no window was open is asked about, and nothing is sent", async () => {
    const { set, inHours, forward, kinds, deletes, isThere } = await withWindows(2);
    await set(inHours(1, "destroy"));
    forward(HOUR + 11 * MINUTE);
    await eventually(() => kinds().length > 0, "a question");
    await sleep(1500);
    assert.deepEqual(kinds(), ["overdue"]);
    assert.deepEqual(deletes, []);
    assert.ok(isThere());
  });

  test("that passed is asked about again by the next window if the one that asked is gone", async () => {
    const { set, inHours, forward, kinds, windows, open } = await withWindows(1);
    await set(inHours(1, "destroy"));
    forward(2 * HOUR);
    await eventually(() => kinds().length === 1, "a question");
    windows[0]?.close();
    await open("later", []);
    await eventually(() => kinds().length === 2, "another question");
    assert.deepEqual(kinds(), ["overdue", "overdue"]);
  });

  test("that passed isn't asked about again once somebody dismissed the question, in no window", async () => {
    const { set, inHours, forward, kinds, told, first, open } = await withWindows(1);
    await set(inHours(1, "destroy"));
    forward(2 * HOUR);
    await eventually(() => kinds().length === 1, "a question");
    told[0]?.[1].answered();
    await sleep(300);
    // It lives, but it waits for no answer any longer.
    const other = await open("other", ["other"]);
    for (let minutes = 0; minutes < 10; minutes += 2) {
      forward(2 * MINUTE);
      other.autoStops.wake();
      await sleep(100);
    }
    first.close();
    await open("last", ["last"]);
    await sleep(1000);
    assert.deepEqual(kinds(), ["overdue"]);
  });

  test("of which somebody was only reminded is told again by the next window if nobody has seen it", async () => {
    const { set, inHours, forward, kinds, told, windows, row, open } = await withWindows(1);
    await set(inHours(1, "remind"));
    forward(HOUR + 1000);
    await eventually(() => kinds().includes("over"), "a reminder");
    await eventually(
      () => windows[0]?.autoStops.findAutoStop(row.value) === undefined,
      "its row has nothing more to say",
    );
    windows[0]?.close();
    const later = await open("later", ["later"]);
    await eventually(() => kinds().length === 2, "another reminder");
    assert.equal(kinds()[1], "over");
    told[1]?.[1].answered();
    later.close();
    await sleep(300);
    await open("last", ["last"]);
    await sleep(1500);
    assert.deepEqual(kinds(), ["over", "over"], "once it was seen, it is over");
  });

  for (const { ending, what } of [
    { ending: "remind", what: "over" },
    { ending: "destroy", what: "overdue" },
  ] as const)
    test(`is told (${what}) for each of two instances if the network repeated the launch`, async () => {
      const { first, world, forward, told } = await withWindows(1);
      const { token } = createIntent();
      await first.autoStops.set(first.me(), { token }, { hours: 1, ending });
      const rent = (name: string) => {
        const offer = world.offers.find((one) => world.isRentable(one));
        assert.ok(offer);
        world.setFate(offer.id, "runs");
        const body = { image: "a/b", runtype: "ssh_direct", target_state: "running", label: `${token} ${name}` };
        return InstanceId.parse(createInstance(world, offer.id, body).id);
      };
      const ids = [rent("one"), rent("twin")];
      await first.instances.collection.refresh();
      await eventually(
        () => ids.every((id) => first.autoStops.findAutoStop({ id }) !== undefined),
        "both have the end",
      );
      forward(HOUR + 20 * MINUTE);
      const toldOf = () => told.filter(([, { kind }]) => kind === what).map(([, { instance }]) => instance.id);
      await eventually(() => toldOf().length === 2, "both are told of");
      assert.deepEqual(toldOf().sort(), [...ids].sort());
    });

  test("is tried again while the service fails, and told when it worked", async () => {
    const { set, inHours, forward, told, kinds, service, isThere } = await withWindows(2);
    await set(inHours(1, "destroy"));
    service.faults.add("500@destroyInstance");
    forward(HOUR + 1000);
    await eventually(() => kinds().includes("ended"), "the failure is told");
    assert.ok(isThere());
    const [, first] = told[0] ?? [];
    assert.ok(first?.kind === "ended" && first.result.outcome === "failed");
    service.faults.clear();
    forward(2 * MINUTE);
    await eventually(() => !isThere(), "it is destroyed");
    await eventually(() => told.length === 2, "and told");
    const [, second] = told[1] ?? [];
    assert.ok(second?.kind === "ended" && second.result.outcome === "done");
  });

  test("isn't carried out once the account was left, and is when it is back in time", async () => {
    const { set, inHours, forward, first, service, isThere, deletes } = await withWindows(1);
    await set(inHours(1, "destroy"));
    await first.session.signOut();
    forward(HOUR + 1000);
    await sleep(1500);
    assert.ok(isThere());
    assert.deepEqual(deletes, []);
    await first.session.signIn(service.url, service.apiKey);
    await eventually(() => !isThere(), "it is destroyed");
  });

  test("that can't be written down isn't believed in", async () => {
    const { set, inHours, first, row } = await withWindows(1, {
      disk: { ...realDisk, create: () => Promise.reject(Object.assign(new Error("full"), { code: "ENOSPC" })) },
    });
    await assert.rejects(set(inHours(1, "destroy")), /full/);
    assert.equal(first.autoStops.findAutoStop(row.value), undefined);
  });
});

describe("the end of a launch", () => {
  test("is written down before anything is sent, and holds for the instance that is rented", async () => {
    const { windows, first, forward, world, kinds } = await withWindows(2);
    const offer = await cheapest(first);
    world.setFate(offer.id, "runs");
    const end: AutoStopWish = { hours: 2, ending: "destroy" };
    const outcome = await first.rent({ ...planFor(offer), end }, createIntent());
    assert.ok(outcome.kind === "rented");
    const [id] = outcome.ids;
    await Promise.all(windows.map(({ instances }) => instances.collection.refresh()));
    const endOf = ({ instances, autoStops }: typeof first) => {
      const row = id && instances.find(id);
      return row && autoStops.findAutoStop(row.value)?.ending;
    };
    await eventually(() => windows.every((window) => endOf(window) === "destroy"), "both show it");
    forward(2 * HOUR + 1000);
    await eventually(() => kinds().includes("ended"), "it ends");
    assert.ok(!world.listInstances().some((one) => one.id === id));
  });

  test("holds though its answer was lost, and though its label changes", async () => {
    const { first, forward, world, service, isThere, row } = await withWindows(1);
    const offer = await cheapest(first);
    world.setFate(offer.id, "runs");
    service.faults.add("reset-after@createInstance");
    const outcome = await first.rent({ ...planFor(offer), end: { hours: 1, ending: "destroy" } }, createIntent());
    service.faults.clear();
    assert.ok(outcome.kind === "rented");
    await first.instances.collection.refresh();
    const rented = first.instances.rows.find(({ value }) => value.id !== row.value.id);
    assert.ok(rented);
    await eventually(() => first.autoStops.findAutoStop(rented.value) !== undefined, "it is recognized");
    await first.me().client.labelInstance(rented.value.id, "another name");
    await first.instances.collection.refresh();
    forward(HOUR + 1000);
    await eventually(() => !world.listInstances().some((one) => one.id === rented.value.id), "it ends");
    assert.ok(isThere(), "the other one stays");
  });

  test("isn't that of what was there before it and was given its label, however recently that was rented", async () => {
    const { first, forward, world, isThere, row } = await withWindows(1);
    const offer = await cheapest(first);
    world.setFate(offer.id, "runs");
    const intent = createIntent();
    const outcome = await first.rent({ ...planFor(offer), end: { hours: 1, ending: "destroy" } }, intent);
    assert.ok(outcome.kind === "rented");
    await first.me().client.labelInstance(row.value.id, `${intent.token} copied`);
    await first.instances.collection.refresh();
    assert.deepEqual(first.watch.records.find(({ token }) => token === intent.token)?.ids, outcome.ids);
    forward(HOUR + 1000);
    await eventually(() => !world.listInstances().some((one) => one.id === outcome.ids[0]), "it ends");
    await sleep(1500);
    assert.ok(isThere(), "the other one stays");
  });

  test("holds for the instance that is rented although this computer's clock is two days ahead", async () => {
    const { first, forward, world } = await withWindows(1);
    forward(48 * HOUR);
    const offer = await cheapest(first);
    world.setFate(offer.id, "runs");
    const outcome = await first.rent({ ...planFor(offer), end: { hours: 1, ending: "destroy" } }, createIntent());
    assert.ok(outcome.kind === "rented");
    await first.instances.collection.refresh();
    forward(HOUR + 1000);
    await eventually(() => !world.listInstances().some((one) => one.id === outcome.ids[0]), "it ends");
  });

  test("isn't that of what was rented days later and was given its label, though both are first seen together", () => {
    const [own, later] = [InstanceId.parse(101), InstanceId.parse(102)];
    const at = Date.now();
    const token = "vsc-aaaaaaaaaaaaaaaa";
    const autoStop = { version: 1, token, before: [], origin: "o", account: "a", until: at + 120 * HOUR } as const;
    const entry: AutoStopEntry = {
      name: "lea-00000000000000000000",
      autoStop: { ...autoStop, before: [], ending: "destroy", at, count: 1 },
      ...{
        ids: new Set(),
        over: new Set(),
        seen: new Set(),
        doubted: new Set(),
        told: new Map(),
        proofs: new Map(),
        proofCounts: new Map(),
      },
    };
    const rows = [
      { value: { id: own, label: token, start_date: at / 1000 } },
      { value: { id: later, label: `${token} copied`, start_date: at / 1000 + 3 * 86_400 } },
    ];
    assert.deepEqual(listNewlyLaunched(entry, rows), [own]);
  });

  test("that can't be written down rents nothing", async () => {
    const { first, world } = await withWindows(1, {
      disk: {
        ...realDisk,
        create: (path, text) =>
          path.includes("lea-") ? Promise.reject(new Error("full")) : realDisk.create(path, text),
      },
    });
    const before = world.listInstances().length;
    const outcome = await first.rent(
      { ...planFor(await cheapest(first)), end: { hours: 1, ending: "stop" } },
      createIntent(),
    );
    assert.equal(outcome.kind, "not-rented");
    assert.equal(world.listInstances().length, before);
  });
});
