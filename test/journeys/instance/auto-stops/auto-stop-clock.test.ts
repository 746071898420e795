// Ends while the clock is wrong for a while, or the service doesn't know an instance for a moment: over real HTTP.
import assert from "node:assert/strict";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { createInstance } from "../../../../src/sandbox/handlers/create-instance.ts";
import { startInstance, stopInstance } from "../../../../src/sandbox/world/lifecycle.ts";
import { type Disk, realDisk } from "../../../../src/services/core/book/disk.ts";
import { createIntent } from "../../../../src/services/launch/intent.ts";
import type { Parts } from "../../editor-window.ts";
import { eventually, pass, serve } from "../../support.ts";
import { createMissing, HOUR, MINUTE, withWindows } from "./auto-stop-windows.ts";

async function withInstance(through?: Parameters<typeof withWindows>[2], parts: Parts = {}) {
  const windows = await withWindows(1, parts, through);
  const { world, row, userData, first, forward } = windows;
  const instance = world.listInstances().find(({ id }) => id === row.value.id);
  assert.ok(instance);
  const filesIn = (folder: string) => readdirSync(join(userData.root, folder));
  const filesWith = (part: string) => filesIn("ends").filter((name) => name.includes(part));
  const refresh = () => first.instances.collection.refresh();
  /** Returns once the window has looked at all ends. */
  const look = () => first.autoStops.set(first.me(), { token: createIntent().token }, { hours: 900, ending: "remind" });
  /** A minute after the time of an attempt, as the clock had it then. */
  const stopsInTwoHours = async () => {
    forward(2 * HOUR + MINUTE + 2000);
    await eventually(() => instance.intended === "stopped", "it is stopped at its end");
  };
  return { ...windows, instance, stopsInTwoHours, filesIn, filesWith, refresh, look };
}

/** An end in two hours that the service refuses to carry out while the clock is two hours ahead. */
async function failEarly(
  { set, inHours, forward, kinds, first, row, service, look }: Awaited<ReturnType<typeof withInstance>>,
  meanwhile: () => Promise<void> = async () => {},
): Promise<void> {
  await set(inHours(2, "stop"));
  service.faults.add("500@updateInstance");
  forward(2 * HOUR + 1000);
  await eventually(() => kinds().includes("ended"), "the failure is told");
  service.faults.clear();
  await meanwhile();
  forward(-2 * HOUR);
  await look();
  assert.ok(first.autoStops.findAutoStop(row.value), "it is still to come");
}

describe("after the clock was ahead", () => {
  test("an end that was noted to be over comes, by the next list", async () => {
    const { set, inHours, forward, world, first, instance, filesWith, refresh } = await withInstance();
    await set(inHours(2, "stop"));
    stopInstance(instance, world.getNow());
    forward(24 * HOUR);
    await refresh();
    first.autoStops.wake();
    await eventually(() => filesWith(".over-").length > 0, "it is over");
    forward(-24 * HOUR);
    startInstance(instance, world.getNow(), true);
    await refresh();
    await eventually(() => filesWith(".over-").length === 0, "it is still to come");
    forward(2 * HOUR + 1000);
    await eventually(() => instance.intended === "stopped", "it is stopped at its end");
  });

  test("an end that was carried out then is neither shown nor told again", async () => {
    const { set, inHours, forward, world, first, row, instance, filesWith, refresh, look, kinds, deletes } =
      await withInstance();
    await set(inHours(2, "stop"));
    forward(2 * HOUR + 1000);
    await eventually(() => kinds().includes("ended"), "it ends");
    await eventually(() => filesWith(".over-").length > 0, "that is noted");
    forward(-2 * HOUR);
    startInstance(instance, world.getNow(), true);
    await refresh();
    const told = kinds().length;
    await look();
    assert.equal(first.autoStops.findAutoStop(row.value), undefined);
    forward(115 * MINUTE);
    await look();
    forward(6 * MINUTE);
    await look();
    assert.equal(first.autoStops.findAutoStop(row.value), undefined);
    assert.equal(kinds().length, told);
    assert.equal(deletes.length, 1);
    assert.equal(instance.intended, "running");
  });

  for (const { name, isNoted, ms } of [
    { name: "and noted, is not promised in its last minutes", isNoted: true, ms: 2 * HOUR - 90_000 },
    { name: "and not noted, is not promised in its last minutes", isNoted: false, ms: 2 * HOUR - 90_000 },
    { name: "and not noted, is not said to have been missed", isNoted: false, ms: 2 * HOUR + 30 * MINUTE },
  ])
    test(`an end that was carried out then, ${name}`, async () => {
      const { set, inHours, forward, world, first, row, instance, userData, filesWith, refresh, look, kinds } =
        await withInstance();
      await set(inHours(2, "stop"));
      forward(2 * HOUR + 1000);
      await eventually(() => kinds().includes("ended") && filesWith(".over-").length > 0, "it is stopped");
      // As a window leaves it that is killed before it notes that.
      if (!isNoted) for (const file of filesWith(".over-")) rmSync(join(userData.root, "ends", file));
      forward(-2 * HOUR);
      startInstance(instance, world.getNow(), true);
      await refresh();
      await look();
      const before = kinds().length;
      forward(ms);
      await look();
      await look();
      assert.deepEqual(kinds().slice(before), []);
      assert.equal(first.autoStops.findAutoStop(row.value), undefined);
    });

  test("an end that failed then comes at its time, though the instance was started in between", async () => {
    const windows = await withInstance();
    const { first, row, look, stopsInTwoHours } = windows;
    await failEarly(windows);
    await first.actions.start(first.me(), row.value.id);
    await look();
    assert.ok(first.autoStops.findAutoStop(row.value), "it is still to come after the start");
    await stopsInTwoHours();
  });

  test("an end that failed then comes at its time, though it couldn't be read as the instance was started", async () => {
    let isBad = false;
    const read: Disk["read"] = async (path) => {
      if (isBad && path.includes(".lease")) throw Object.assign(new Error("EIO"), { code: "EIO" });
      return await realDisk.read(path);
    };
    const windows = await withInstance(undefined, { disk: { ...realDisk, read } });
    const { first, row, look, stopsInTwoHours } = windows;
    await failEarly(windows);
    isBad = true;
    await first.actions.start(first.me(), row.value.id);
    isBad = false;
    await look();
    await stopsInTwoHours();
  });

  test("an end that failed then comes at its time, though the instance was seen stopped then, and started", async () => {
    const windows = await withInstance();
    const { forward, first, row, instance, world, refresh, look } = windows;
    await failEarly(windows, async () => {
      stopInstance(instance, world.getNow());
      forward(10_000);
      await refresh();
      await look();
    });
    await first.actions.start(first.me(), row.value.id);
    startInstance(instance, world.getNow(), true);
    await eventually(async () => {
      await refresh();
      return first.instances.find(row.value.id)?.value.actual_status === "running";
    }, "it runs");
    forward(2 * HOUR + 15_000);
    await refresh();
    await look();
    forward(MINUTE);
    await eventually(() => instance.intended === "stopped", "it is stopped at its end");
  });

  test("an order that a window left unsent then is for the end, whatever happened to the instance meanwhile", async () => {
    const killed = Promise.withResolvers<void>();
    const never = new Promise<never>(() => {});
    let isDead = false;
    let close = () => {};
    const disk: Disk = {
      ...realDisk,
      create: async (path, text) => {
        const isMade = await realDisk.create(path, text);
        if (!path.endsWith(".order")) return isMade;
        isDead = true;
        close();
        killed.resolve();
        return await never;
      },
      names: (folder) => (isDead ? never : realDisk.names(folder)),
    };
    const { set, inHours, forward, first, row, instance, world, filesIn, open, stopsInTwoHours } = await withInstance(
      undefined,
      {
        disk,
      },
    );
    close = () => first.close();
    await set(inHours(2, "stop"));
    forward(2 * HOUR + 1000);
    await killed.promise;
    forward(-2 * HOUR);
    stopInstance(instance, world.getNow());
    const next = await open("next", [], {});
    await eventually(() => filesIn("orders").some((name) => /\.(told|done)$/.test(name)), "it is taken up");
    await next.actions.start(next.me(), row.value.id);
    await next.instances.collection.refresh();
    await stopsInTwoHours();
  });

  test("a reminder that was shown then is shown at its time", async () => {
    const { set, inHours, forward, first, row, look, kinds, told } = await withInstance();
    const over = () => kinds().filter((kind) => kind === "over").length;
    await set(inHours(2, "remind"));
    forward(24 * HOUR);
    await eventually(() => over() === 1, "it is told");
    for (const [, { answered }] of told) answered();
    forward(-24 * HOUR);
    await look();
    assert.ok(first.autoStops.findAutoStop(row.value), "it is still to come");
    forward(115 * MINUTE);
    await eventually(() => kinds().includes("soon"), "it is told that it comes");
    assert.equal(over(), 1);
    forward(6 * MINUTE);
    await eventually(() => over() === 2, "it is told at its time");
    await look();
    assert.equal(over(), 2);
  });
});

/** A window whose questions about single instances are answered only once it is let on. */
async function withHeldAnswers() {
  const [asked, mayAnswer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let isHolding = false;
  const windows = await withInstance((service) =>
    serve(async (request, body) => {
      if (isHolding && request.method === "GET" && /instances\/\d+\/$/.test(request.url ?? "")) {
        asked.resolve();
        await mayAnswer.promise;
      }
      return await pass(service.url, request, body);
    }),
  );
  const hold = () => {
    isHolding = true;
  };
  const letOn = () => {
    isHolding = false;
    mayAnswer.resolve();
  };
  return { ...windows, hold, letOn, asked: asked.promise };
}

describe("while the service is asked at an end", () => {
  test("a clock that was ahead is set right: nothing is ended hours early", async () => {
    const { set, inHours, forward, isThere, deletes, filesIn, hold, letOn, asked } = await withHeldAnswers();
    await set(inHours(3, "destroy"));
    hold();
    forward(3 * HOUR + 1000);
    await asked;
    forward(-3 * HOUR);
    letOn();
    await eventually(() => filesIn("orders").some((name) => name.endsWith(".told")), "it is given up for now");
    assert.deepEqual([deletes, isThere()], [[], true]);
    // A minute after the time of the first attempt, as the clock had it.
    forward(3 * HOUR + MINUTE);
    await eventually(() => !isThere(), "it ends at its time");
  });

  test("the computer sleeps while its clock is ahead: the end comes once the clock is right", async () => {
    const { set, inHours, forward, kinds, first, row, instance, refresh, look, stopsInTwoHours, hold, letOn, asked } =
      await withHeldAnswers();
    await set(inHours(2, "stop"));
    hold();
    forward(2 * HOUR + 1000);
    await asked;
    forward(30 * MINUTE);
    letOn();
    await eventually(() => kinds().includes("overdue"), "it is asked about");
    assert.equal(instance.intended, "running");
    forward(-2 * HOUR - 30 * MINUTE);
    await refresh();
    await look();
    assert.ok(first.autoStops.findAutoStop(row.value), "it is still to come");
    await stopsInTwoHours();
  });
});

test("a file that can't be removed after the clock was ahead keeps no other end from coming", async () => {
  let isLocked = false;
  const disk: Disk = {
    ...realDisk,
    remove: async (path) => {
      if (isLocked && path.includes("-told-")) throw Object.assign(new Error("EBUSY"), { code: "EBUSY" });
      await realDisk.remove(path);
    },
  };
  const { set, inHours, forward, first, world, kinds, isThere } = await withWindows(1, { disk });
  const offer = world.offers.find((one) => world.isRentable(one));
  assert.ok(offer);
  world.setFate(offer.id, "runs");
  const order = { image: "a/b", runtype: "ssh_direct", target_state: "running" };
  const { id } = createInstance(world, offer.id, order);
  await first.instances.collection.refresh();
  const other = first.instances.rows.find(({ value }) => value.id === id)?.value;
  assert.ok(other);
  await first.autoStops.set(first.me(), { id: other.id }, inHours(5, "remind"));
  forward(5 * HOUR - 5 * MINUTE);
  await eventually(() => kinds().includes("soon"), "it is told");
  isLocked = true;
  forward(-5 * HOUR + 5 * MINUTE);
  await set(inHours(1, "destroy"));
  forward(HOUR + 1000);
  await eventually(() => !isThere(), "it ends");
});

test("a service that misses the instance for a moment just at its end doesn't end that end", async () => {
  const missing = createMissing();
  const { set, inHours, forward, isThere } = await withWindows(1, {}, missing.through);
  await set(inHours(1, "destroy"));
  missing.isOn = true;
  forward(HOUR + 1000);
  await eventually(() => missing.asked > 0, "the service was asked");
  missing.isOn = false;
  await eventually(() => !isThere(), "it ends all the same");
});
