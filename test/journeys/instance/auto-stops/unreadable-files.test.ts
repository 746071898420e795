// Files of ends and orders that are empty, cut, or written by a newer version: what would destroy waits and asks, and no end is lost over them.
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { sleep } from "../../../../src/lib/clock.ts";
import { type Disk, realDisk } from "../../../../src/services/core/book/disk.ts";
import { eventually } from "../../support.ts";
import { HOUR, MINUTE, withWindows } from "./auto-stop-windows.ts";

const SPOILED: readonly (readonly [what: string, spoil: (path: string) => void])[] = [
  ["empty", (path) => writeFileSync(path, "")],
  ["cut", (path) => writeFileSync(path, '{"version":1,"until":17')],
  ["of a newer version", (path) => writeFileSync(path, '{"version":2,"until":1}')],
  ["of another kind", (path) => writeFileSync(path, "null")],
  [
    "a folder",
    (path) => {
      rmSync(path);
      mkdirSync(path);
    },
  ],
];

describe("a later end that can't be read", () => {
  const cases = SPOILED.map(([what, spoil], at) => ({ what, spoil, isTakenBack: at === 0 }));
  for (const { what, spoil, isTakenBack } of cases)
    test(`as its file is ${what}: nothing is destroyed, and its person is asked`, async () => {
      const { set, inHours, forward, userData, first, row, kinds, isThere, deletes, open } = await withWindows(1);
      await set(inHours(1 / 30, "destroy"));
      const folder = join(userData.root, "ends");
      const before = new Set(readdirSync(folder));
      await set(isTakenBack ? undefined : inHours(10, "destroy"));
      const [file] = readdirSync(folder).filter((name) => !before.has(name) && name.includes(".lease"));
      assert.ok(file);
      first.close();
      spoil(join(folder, file));
      const next = await open("next", [], {});
      await eventually(
        () => next.autoStops.findAutoStop(row.value)?.isDoubted === true,
        "its row says that it isn't known",
      );
      forward(4 * MINUTE);
      await eventually(() => kinds().includes("overdue"), "its person is asked");
      await sleep(300);
      assert.deepEqual([deletes, kinds()], [[], ["overdue"]]);
      assert.ok(isThere());
      assert.equal(await set(inHours(1, "destroy"), next), "set");
      assert.equal(next.autoStops.findAutoStop(row.value)?.isDoubted, undefined);
      forward(HOUR + 1000);
      await eventually(() => kinds().includes("ended"), "the one that is set then comes");
      assert.equal(deletes.length, 1);
    });

  test("is replaced although there is no end that can be read", async () => {
    const { set, inHours, forward, userData, first, row, kinds, open } = await withWindows(1);
    await set(inHours(1, "destroy"));
    const folder = join(userData.root, "ends");
    first.close();
    for (const name of readdirSync(folder).filter((one) => one.includes(".lease")))
      writeFileSync(join(folder, name), "");
    const next = await open("next", [], {});
    assert.equal(next.autoStops.findAutoStop(row.value), undefined);
    await set(inHours(2, "destroy"), next);
    assert.equal(next.autoStops.findAutoStop(row.value)?.isDoubted, undefined);
    forward(2 * HOUR + 1000);
    await eventually(() => kinds().includes("ended"), "it comes");
  });
});

/** Fails once with a file of this name, of which it leaves a part. */
function leavePart(pattern: RegExp, part: string): Disk {
  let isFull = true;
  return {
    ...realDisk,
    create: async (path, text) => {
      if (!isFull || !pattern.test(path)) return await realDisk.create(path, text);
      isFull = false;
      writeFileSync(path, text === "" ? "" : part, { flag: "wx" });
      throw Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
    },
  };
}

describe("an end whose order was left half written", () => {
  for (const ending of ["destroy", "stop"] as const)
    for (const [what, part] of [
      ["empty", ""],
      ["cut", '{"version":1,"kind":"de'],
      ["of a newer version", '{"version":2}'],
    ] as const)
      test(`and is ${what}: ${ending} is carried out by the window that failed`, async () => {
        const { set, inHours, forward, kinds, deletes } = await withWindows(1, { disk: leavePart(/\.order$/, part) });
        await set(inHours(1, ending));
        forward(HOUR + 1000);
        await eventually(() => kinds().includes("ended"), "it is carried out");
        await sleep(500);
        assert.equal(deletes.length, 1);
        assert.deepEqual(kinds(), ["ended"]);
      });

  test("is carried out by a window that comes after the one that died over it", async () => {
    let windows: Awaited<ReturnType<typeof withWindows>> | undefined;
    const left = Promise.withResolvers<void>();
    const disk: Disk = {
      ...realDisk,
      create: async (path, text) => {
        if (!path.endsWith(".order") || !windows) return await realDisk.create(path, text);
        writeFileSync(path, "", { flag: "wx" });
        windows.first.close();
        left.resolve();
        return await new Promise<never>(() => {});
      },
    };
    windows = await withWindows(1, { disk });
    const { set, inHours, forward, kinds, deletes, open } = windows;
    await set(inHours(1, "destroy"));
    forward(HOUR + 1000);
    await left.promise;
    await open("next", [], {});
    await eventually(() => kinds().includes("ended"), "it is carried out");
    assert.equal(deletes.length, 1);
  });
});

/** Takes nothing any longer once it is full. */
function fillLater(): Disk & { isFull: boolean } {
  const disk = {
    ...realDisk,
    isFull: false,
    create: async (path: string, text: string) => {
      if (disk.isFull) throw Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
      return await realDisk.create(path, text);
    },
  };
  return disk;
}

describe("an end that comes while the disk is full", () => {
  for (const ending of ["destroy", "stop"] as const)
    test(`${ending}: nothing that nobody could call off is sent, and its person is asked once`, async () => {
      const disk = fillLater();
      const { set, inHours, forward, kinds, isThere, deletes } = await withWindows(1, { disk });
      await set(inHours(1, ending));
      disk.isFull = true;
      forward(HOUR + 1000);
      await sleep(1500);
      assert.deepEqual([kinds(), deletes], [[], []]);
      forward(11 * MINUTE);
      await eventually(() => kinds().length > 0, "its person is asked");
      await sleep(1500);
      assert.deepEqual([kinds(), deletes], [["overdue"], []]);
      assert.ok(isThere());
    });

  test("is carried out once the disk has room again in time", async () => {
    const disk = fillLater();
    const { set, inHours, forward, kinds, deletes } = await withWindows(1, { disk });
    await set(inHours(1, "destroy"));
    disk.isFull = true;
    forward(HOUR + 1000);
    await sleep(1500);
    disk.isFull = false;
    await eventually(() => kinds().includes("ended"), "it is carried out");
    assert.equal(deletes.length, 1);
  });
});
