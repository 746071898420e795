// Orders to end an idle instance, in two windows over real HTTP: warned of once, carried out by one window, and never while anything works.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { requireInstance, setState } from "../../../../src/sandbox/handlers/instance-state.ts";
import { realDisk } from "../../../../src/services/core/book/disk.ts";
import { lifeOf } from "../../editor-window.ts";
import { middleman } from "../../support.ts";
import { withIdleWindows } from "./idle-windows.ts";

const OFF = { minutes: 0, percent: 10 };
const WISH = { minutes: 20, ending: "destroy" } as const;

describe("an order to end an idle instance", () => {
  test("is shown in all windows, and taken back in all", async () => {
    const { order, windows, id, passUntil } = await withIdleWindows({ rule: OFF });
    const seen = () => windows.map(({ idleOrders }) => idleOrders.getWish({ id })?.ending);
    assert.equal(await order({ ...WISH, ending: "stop" }), "set");
    await passUntil(() => seen().every((one) => one === "stop"), "both show it");
    assert.equal(await order(undefined, windows[1]), "set");
    await passUntil(() => seen().every((one) => one === undefined), "both show none");
  });

  test("warns once, destroys by one request of one window, and says so once", async () => {
    const { order, setLoad, told, kinds, sent, isThere, pass, passUntil } = await withIdleWindows({ rule: OFF });
    setLoad(1);
    await order(WISH);
    await passUntil(() => told.length > 0, "a warning");
    assert.deepEqual(kinds(), ["soon"]);
    await pass(6);
    assert.ok(isThere(), "ten minutes before");
    await passUntil(() => kinds().includes("ended done"), "it is told");
    await pass(20);
    assert.deepEqual(kinds(), ["soon", "ended done"]);
    assert.deepEqual(sent, ["DELETE"]);
    assert.ok(!isThere());
  });

  test("comes as well while somebody looks at the list all the time", async () => {
    const { order, setLoad, kinds, passUntil } = await withIdleWindows({ rule: OFF, seconds: 10 });
    setLoad(0);
    await order({ ...WISH, minutes: 6 });
    await passUntil(() => kinds().includes("ended done"), "it is told");
    assert.deepEqual(kinds(), ["soon", "ended done"]);
  });

  test("stops it, and doesn't stop it again once somebody started it", async () => {
    const { order, setLoad, kinds, sent, isThere, pass, first, id, passUntil, during } = await withIdleWindows({
      rule: OFF,
    });
    setLoad(0);
    await order({ ...WISH, ending: "stop" });
    await passUntil(() => kinds().includes("ended done"), "it is told");
    assert.ok(!isThere());
    await passUntil(() => first.idleOrders.getWish({ id }) === undefined, "the order is over");
    await during(first.actions.start(first.me(), id));
    await pass(45);
    assert.deepEqual(sent, ["PUT", "PUT"]);
    assert.ok(isThere());
  });

  test("is no end for one that works, that nobody can read, or that is in use", async () => {
    const { order, setLoad, sent, pass, windows, id, passUntil } = await withIdleWindows({ rule: OFF });
    setLoad(40);
    await order({ minutes: 5, ending: "destroy" });
    await pass(12);
    setLoad(null);
    await pass(12);
    setLoad(0);
    let isOpen = true;
    windows[1]?.instanceUses.add({ inUse: () => (isOpen ? [id] : []) });
    await pass(30);
    assert.deepEqual(sent, []);
    isOpen = false;
    await passUntil(() => sent.length > 0, "then it is ended");
  });

  test("starts anew when the person keeps it running, in all windows", async () => {
    const { order, setLoad, told, kinds, sent, pass, windows, id, first, passUntil } = await withIdleWindows({
      rule: OFF,
    });
    setLoad(0);
    await order(WISH);
    const names: string[] = [];
    for (const { idleOrders } of windows) idleOrders.onNotice(({ name }) => void names.push(name));
    await passUntil(() => told.length === 1, "a warning");
    const [name] = names;
    assert.equal(await windows[1]?.idleOrders.set(first.me(), id, WISH, name).catch(() => "other"), "other");
    const [, other] = windows;
    assert.equal(await other?.idleOrders.set(other.me(), id, WISH, name), "set");
    assert.equal(await other?.idleOrders.set(other.me(), id, WISH, name), "changed", "it isn't the one of the message");
    await pass(14);
    assert.deepEqual([kinds().filter((one) => one.startsWith("ended")), sent], [[], []]);
    await passUntil(() => sent.length === 1, "it comes later");
  });

  test("waits for a new count after the computer slept, and in a window that was just opened", async () => {
    const { order, setLoad, sent, pass, sleepFor, id, windows, open, kinds, passUntil } = await withIdleWindows({
      rule: OFF,
    });
    setLoad(0);
    await order(WISH);
    await passUntil(() => kinds().includes("soon"), "a warning");
    sleepFor(9 * 3_600_000);
    await pass(14);
    assert.deepEqual(sent, [], "the night doesn't count");
    for (const window of [...windows]) window.close();
    const later = await open("window-2");
    await passUntil(() => later.idleOrders.getWish({ id })?.minutes === 20, "it knows of the order");
    await pass(14);
    assert.deepEqual(sent, [], "what others counted doesn't, either");
    await passUntil(() => sent.length === 1, "then it comes");
  });

  test("is no end for one that began to work after the last list", async () => {
    let load: number | null = 90;
    const through = ({ url }: { readonly url: string }) =>
      middleman(url, (path, status, text) => {
        const isOne = /^\/api\/v0\/instances\/\d+\/$/.test(path) && text.startsWith('{"instances":{');
        return { status, text: isOne ? text.replace(/"gpu_util":[^,]*/, `"gpu_util":${load}`) : text };
      });
    const { order, setLoad, sent, pass, kinds, isThere, passUntil } = await withIdleWindows({ rule: OFF, through });
    // The list lags: only the instance itself is known better.
    setLoad(0);
    await order(WISH);
    await passUntil(() => kinds().includes("soon"), "a warning");
    await pass(25);
    assert.deepEqual(sent, []);
    load = null;
    await pass(45);
    assert.deepEqual(sent, [], "nor where it isn't known");
    assert.ok(isThere());
    load = 0;
    await passUntil(() => sent.length === 1, "then it is ended");
  });

  test("is tried again while the service fails, and told when it worked", async () => {
    const { order, setLoad, sent, kinds, service, isThere, passUntil } = await withIdleWindows({ rule: OFF });
    setLoad(0);
    await order(WISH);
    service.faults.add("500@destroyInstance");
    await passUntil(() => kinds().includes("ended failed"), "the failure is told");
    assert.ok(isThere());
    service.faults.clear();
    await passUntil(() => kinds().includes("ended done"), "and then that it worked");
    assert.deepEqual(
      kinds().filter((one) => one.startsWith("ended")),
      ["ended failed", "ended done"],
    );
    assert.ok(sent.length >= 2);
  });

  test("isn't carried out once the account was left, and counts anew when it is back", async () => {
    const { order, setLoad, sent, pass, first, url, service, kinds, passUntil } = await withIdleWindows({
      rule: OFF,
      count: 1,
    });
    setLoad(0);
    await order(WISH);
    await passUntil(() => kinds().includes("soon"), "a warning");
    await first.session.signOut();
    await pass(20);
    assert.deepEqual(sent, []);
    await first.session.signIn(url, service.apiKey);
    await first.instances.collection.refresh();
    await pass(12);
    assert.deepEqual(sent, []);
    await passUntil(() => sent.length === 1, "then it comes");
  });

  test("that a killed window had begun is carried out by the next one, once it knows itself", async () => {
    const killed: { at?: "claimed" } = {};
    const never = () => new Promise<never>(() => undefined);
    const disk = {
      ...realDisk,
      create: async (path: string, text: string) => {
        if (killed.at) return await never();
        const isCreated = await realDisk.create(path, text);
        if (path.endsWith(".order")) {
          killed.at = "claimed";
          return await never();
        }
        return isCreated;
      },
    };
    const { order, setLoad, sent, pass, first, open, isThere, id, passUntil } = await withIdleWindows({
      rule: OFF,
      count: 1,
      parts: { disk, liveness: lifeOf("dead") },
    });
    setLoad(0);
    await order(WISH);
    await passUntil(() => killed.at !== undefined, "it is claimed");
    first.close();
    const next = await open("window-1", { disk: realDisk, liveness: lifeOf("window-1") });
    await pass(14);
    assert.deepEqual(sent, [], "it doesn't know yet");
    assert.equal(next.idleOrders.getWish({ id })?.ending, "destroy");
    await passUntil(() => !isThere(), "then it ends");
    assert.deepEqual(sent, ["DELETE"]);
  });

  for (const part of ["", '{"version":1,"kin', '{"version":2}'])
    test(`whose order to the service was left as “${part}” is carried out all the same`, async () => {
      let isLeft = false;
      const disk = {
        ...realDisk,
        create: async (path: string, text: string) => {
          if (isLeft || !path.endsWith(".order")) return await realDisk.create(path, text);
          isLeft = true;
          writeFileSync(path, part, { flag: "wx" });
          throw Object.assign(new Error("full"), { code: "ENOSPC" });
        },
      };
      const wish = { ...WISH, ending: "stop" } as const;
      const { order, setLoad, kinds, sent, passUntil } = await withIdleWindows({
        rule: OFF,
        count: 1,
        parts: { disk },
      });
      setLoad(0);
      await order(wish);
      await passUntil(() => kinds().includes("ended done"), "it is told");
      assert.deepEqual([sent, isLeft], [["PUT"], true]);
    });

  test("isn't carried out while a later one can't be read, and is given anew", async () => {
    const { order, setLoad, sent, isThere, pass, passUntil, first, id, userData } = await withIdleWindows({
      rule: OFF,
      count: 1,
    });
    setLoad(0);
    await order(WISH);
    // As a window leaves it that dies over taking it back.
    writeFileSync(join(userData.root, "idle-orders", `idl-${"0".repeat(20)}.idle-${id}-2`), "");
    await passUntil(() => first.idleOrders.getWish({ id })?.isDoubted === true, "its row says that it isn't known");
    await pass(60);
    assert.deepEqual(sent, []);
    assert.equal(await order(WISH), "set");
    assert.equal(first.idleOrders.getWish({ id })?.isDoubted, false);
    await passUntil(() => !isThere(), "then it ends");
    assert.deepEqual(sent, ["DELETE"]);
  });

  test("that can't be written down isn't believed in", async () => {
    const full = { ...realDisk, create: () => Promise.reject(Object.assign(new Error("full"), { code: "ENOSPC" })) };
    const { order, first, id, setLoad, sent, pass } = await withIdleWindows({
      rule: OFF,
      count: 1,
      parts: { disk: full },
    });
    setLoad(0);
    await assert.rejects(order(WISH), /full/);
    assert.equal(first.idleOrders.getWish({ id }), undefined);
    await pass(30);
    assert.deepEqual(sent, []);
  });

  test("keeps the list read each minute although nobody looks and the rhythm is slow", async () => {
    const { order, lists, first, pass } = await withIdleWindows({ rule: OFF, count: 1 });
    await order(WISH);
    const before = lists.length;
    await pass(20);
    const read = lists.length - before;
    assert.ok(read >= 14 && read <= 22, `${read} lists in about 20 minutes`);
    assert.ok(first.idleOrders.needsReadings);
  });

  test("that a window carried out before it was killed isn't promised again", async () => {
    let isKilled = false;
    const create = async (path: string, text: string) => {
      if (isKilled) return await new Promise<never>(() => undefined);
      const isCreated = await realDisk.create(path, text);
      isKilled = path.endsWith(".sent");
      return isCreated;
    };
    const { order, setLoad, sent, pass, first, open, isThere, id, passUntil, during, kinds } = await withIdleWindows({
      ...{ rule: OFF, count: 1, parts: { disk: { ...realDisk, create }, liveness: lifeOf("dead") } },
    });
    setLoad(0);
    await order({ ...WISH, ending: "stop" });
    await passUntil(() => sent.length === 1 && !isThere(), "it was sent and done");
    first.close();
    const next = await open("next", { disk: realDisk, liveness: lifeOf("next") });
    await pass(10);
    assert.equal(next.idleOrders.getWish({ id }), undefined, "its row says nothing anymore");
    await during(next.actions.start(next.me(), id));
    const before = kinds().length;
    await pass(60);
    assert.deepEqual(kinds().slice(before), []);
    assert.ok(isThere());
  });

  test("holds for the next time after an attempt failed and the instance was started again", async () => {
    const windows = await withIdleWindows({ rule: OFF, count: 1 });
    const { order, setLoad, kinds, pass, passUntil, service } = windows;
    setLoad(0);
    await order({ ...WISH, ending: "stop" });
    service.faults.add("500@updateInstance");
    await passUntil(() => kinds().includes("ended failed"), "the failure is told");
    setLoad(90);
    service.faults.clear();
    await pass(3);
    await startAgain(windows);
    setLoad(0);
    await passUntil(() => kinds().includes("ended done"), "it is stopped");
  });

  test("holds for the next time after an instance was in use at the last moment and was started again", async () => {
    const windows = await withIdleWindows({ rule: OFF, count: 1 });
    const { order, setLoad, kinds, pass, passUntil, first, id, isThere } = windows;
    setLoad(0);
    await order({ ...WISH, ending: "stop" });
    await passUntil(() => kinds().includes("soon"), "a warning");
    let wasWritten = false;
    let inUse = false;
    first.instanceUses.add({ inUse: () => (inUse ? [id] : []) });
    first.orders.onDidChange(() => {
      if (wasWritten || !first.orders.getStage(id)) return;
      wasWritten = true;
      inUse = true;
      first.instanceUses.look();
      inUse = false;
    });
    await passUntil(() => wasWritten, "the order is written down, and somebody opens a terminal");
    await pass(2);
    assert.ok(isThere());
    setLoad(90);
    await startAgain(windows);
    setLoad(0);
    await passUntil(() => kinds().includes("ended done"), "it is stopped");
  });
});

/** The person stops it elsewhere and starts it here. */
async function startAgain({ pass, during, first, id, world }: Awaited<ReturnType<typeof withIdleWindows>>) {
  await pass(3);
  setState(world, requireInstance(world, id), "stopped");
  await pass(3);
  await during(first.actions.start(first.me(), id));
  await pass(3);
  assert.equal(first.idleOrders.getWish({ id })?.ending, "stop", "its row says so");
}
