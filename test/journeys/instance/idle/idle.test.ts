// Idle instances: known to be idle only by readings that were taken, told once, and ended only where that was ordered.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Disk, realDisk } from "../../../../src/services/core/book/disk.ts";
import { middleman } from "../../support.ts";
import { withIdleWindows } from "./idle-windows.ts";

describe("an instance that does nothing", () => {
  test("is told once, in one window, and a later window doesn't repeat it", async () => {
    const { setLoad, told, kinds, pass, open, idleMinutes, first, id, passUntil } = await withIdleWindows();
    setLoad(1);
    assert.equal(idleMinutes(), 0);
    await passUntil(() => told.length > 0, "it is told");
    assert.ok(idleMinutes() >= 15 && idleMinutes() <= 18, String(idleMinutes()));
    assert.equal(first.idleWatch.getState(id)?.source, "service");
    await open("window-2");
    await pass(40);
    assert.deepEqual(kinds(), ["idle 1"]);
  });

  test("is told again once it had worked", async () => {
    const { setLoad, told, kinds, pass, idleMinutes, passUntil } = await withIdleWindows();
    setLoad(1);
    await passUntil(() => told.length === 1, "it is told");
    setLoad(60);
    await passUntil(() => idleMinutes() === 0, "it works");
    await pass(3);
    setLoad(0);
    await passUntil(() => told.length === 2, "it is told again");
    await pass(20);
    assert.deepEqual(kinds(), ["idle 1", "idle 1"]);
  });

  test("that one list left out hadn't worked meanwhile, so it isn't told again", async () => {
    let isLeftOut = false;
    const through = ({ url }: { readonly url: string }) =>
      middleman(url, (path, status, text) => {
        if (!isLeftOut || !path.startsWith("/api/v1/instances/")) return { status, text };
        const list = JSON.parse(text) as object;
        return { status, text: JSON.stringify({ ...list, total_instances: 0, instances_found: 0, instances: [] }) };
      });
    const { setLoad, told, kinds, pass, first, passUntil } = await withIdleWindows({ through, count: 1, seconds: 30 });
    setLoad(1);
    await passUntil(() => told.length === 1, "it is told");
    isLeftOut = true;
    await first.instances.collection.refresh();
    isLeftOut = false;
    await first.instances.collection.refresh();
    await pass(30);
    assert.deepEqual(kinds(), ["idle 1"]);
    setLoad(60);
    await pass(5);
    setLoad(1);
    await passUntil(() => told.length === 2, "it is told again after it worked");
  });

  test("whose readings are missing is never idle", async () => {
    const { setLoad, told, pass, idleMinutes, windows } = await withIdleWindows();
    setLoad(null);
    await pass(40);
    assert.deepEqual([told.length, idleMinutes()], [0, 0]);
    setLoad(1);
    await pass(10);
    setLoad(null);
    await pass(6);
    setLoad(1);
    await pass(8);
    assert.deepEqual(
      [told.length, ...windows.map((one) => idleMinutes(one))],
      [0, 0, 0],
      "what nobody saw may be work",
    );
    setLoad(-1);
    await pass(30);
    assert.equal(told.length, 0);
  });

  test("while the service is silent, nothing is idle", async () => {
    const { setLoad, told, pass, idleMinutes, service } = await withIdleWindows();
    setLoad(1);
    await pass(8);
    service.faults.add("500@listInstances");
    await pass(30);
    assert.deepEqual([told.length, idleMinutes()], [0, 0]);
    service.faults.clear();
    await pass(8);
    assert.equal(told.length, 0, "the time without readings doesn't count");
  });

  test("what the computer slept through doesn't count, nor does a clock that is set back", async () => {
    const { setLoad, told, pass, sleepFor, idleMinutes, passUntil } = await withIdleWindows();
    setLoad(1);
    await pass(10);
    sleepFor(8 * 3_600_000);
    await pass(10);
    assert.deepEqual([told.length, idleMinutes()], [0, 0]);
    sleepFor(-3_600_000);
    await pass(10);
    assert.deepEqual([told.length, idleMinutes()], [0, 0]);
    await passUntil(() => told.length === 1, "then it is known");
  });

  test("that is in use in one window is idle in none", async () => {
    const { setLoad, told, pass, windows, id, idleMinutes, passUntil } = await withIdleWindows();
    const [one, two] = windows;
    assert.ok(one && two);
    setLoad(0);
    let isOpen = true;
    two.instanceUses.add({ inUse: () => (isOpen ? [id] : []) });
    await pass(45);
    assert.deepEqual([told.length, idleMinutes(two)], [0, 0]);
    isOpen = false;
    await passUntil(() => told.length === 1, "then it is told");
    const end = two.instanceUses.begin(id);
    assert.equal(idleMinutes(two), 0);
    await pass(3);
    end();
    await passUntil(() => told.length === 2, "an upload was work");
  });

  test("is put off for an hour in all windows, also after a reload, and then told again", async () => {
    const { setLoad, told, kinds, pass, windows, id, open, first, passUntil } = await withIdleWindows();
    setLoad(0);
    await passUntil(() => told.length === 1, "it is told");
    const [, other] = windows;
    await other?.idleNotices.snooze(first.me(), id);
    first.close();
    await open("window-2");
    await pass(50);
    assert.deepEqual(kinds(), ["idle 1"]);
    await passUntil(() => told.length === 2, "it is told again");
    await pass(20);
    assert.deepEqual(kinds(), ["idle 1", "idle 1"]);
  });

  test("of which nobody wants to hear isn't told anywhere, until that is taken back", async () => {
    const { setLoad, told, pass, id, open, first, passUntil } = await withIdleWindows();
    setLoad(0);
    await passUntil(() => told.length === 1, "it is told");
    await first.idleNotices.silence(first.me(), id);
    await pass(2);
    setLoad(50);
    await pass(3);
    setLoad(0);
    await open("window-2");
    await pass(40);
    assert.equal(told.length, 1);
    assert.ok(await first.idleNotices.isSilenced(first.me(), id));
    await first.idleNotices.unsilence(first.me(), id);
    await passUntil(() => told.length === 2, "it is told again");
  });

  test("of an account that was left is told to nobody", async () => {
    const { setLoad, told, pass, windows, first, url, service, passUntil } = await withIdleWindows();
    setLoad(0);
    await pass(10);
    for (const { session } of windows) await session.signOut();
    await pass(30);
    assert.equal(told.length, 0);
    await first.session.signIn(url, service.apiKey);
    await first.instances.collection.refresh();
    await pass(10);
    assert.equal(told.length, 0, "it is counted anew");
    await passUntil(() => told.length === 1, "then it is told");
  });

  test("of an account that was left before anybody was told is told when somebody is back", async () => {
    let goOn = () => {};
    let isAsked = false;
    const left = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const disk: Disk = {
      ...realDisk,
      create: async (path, text) => {
        if (path.endsWith(".told")) {
          isAsked = true;
          await left;
        }
        return await realDisk.create(path, text);
      },
    };
    const { setLoad, told, pass, first, url, service, passUntil } = await withIdleWindows({
      count: 1,
      parts: { disk },
    });
    setLoad(0);
    await passUntil(() => isAsked, "it is about to be told");
    await first.session.signOut();
    goOn();
    await pass(2);
    assert.equal(told.length, 0);
    await first.session.signIn(url, service.apiKey);
    await first.instances.collection.refresh();
    await passUntil(() => told.length === 1, "it is told");
  });

  test("with 1,000 others is one message, and costs no request of its own", async () => {
    const rows = (text: string) => {
      const list = JSON.parse(text) as { instances: { id: number }[] };
      const [one] = list.instances;
      const many = one ? Array.from({ length: 1000 }, (_, at) => ({ ...one, id: 40_000_000 + at, gpu_util: 0 })) : [];
      return JSON.stringify({ ...list, instances: many });
    };
    const { told, pass, lists, sent, first, passUntil } = await withIdleWindows({
      count: 1,
      rule: { minutes: 5, percent: 10 },
      through: (service) =>
        middleman(service.url, (path, status, text) => ({
          status,
          text: path.startsWith("/api/v1/instances/") ? rows(text) : text,
        })),
    });
    await passUntil(() => told.length > 0, "it is told");
    await pass(3);
    assert.deepEqual(told, ["window-0 idle 1000"]);
    assert.equal(first.instances.rows.length, 1000);
    assert.deepEqual(sent, []);
    const gaps = lists.slice(1).map((at, index) => at - (lists[index] ?? 0));
    assert.ok(
      gaps.slice(2).every((gap) => gap > 55_000),
      "no more often than once a minute",
    );
  });
});
