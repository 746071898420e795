// A folder of write-once files moves to where all editors share it, also to another disk.
import assert from "node:assert/strict";
import { access, mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { moveFolder } from "../../../../../src/services/core/book/move-folder.ts";

/** A disk in memory, where the system has one: nothing can be linked to it from another. */
const MEMORY = "/dev/shm";
const hasMemory = await access(MEMORY).then(
  () => true,
  () => false,
);
const PLACES = [
  { name: "on one disk", parent: tmpdir(), skip: false },
  { name: "to another disk", parent: MEMORY, skip: hasMemory ? false : "this system has no disk in memory" },
];

const isRoot = (name: string) => name.endsWith(".root");

for (const { name, parent, skip } of PLACES) {
  describe(name, { skip }, () => {
    const newFolders = async (t: { after(done: () => Promise<unknown>): void }) => {
      const [from, to] = await Promise.all([
        mkdtemp(join(tmpdir(), "cloud-gpu-move-")),
        mkdtemp(join(parent, "cloud-gpu-move-")),
      ]);
      t.after(() => Promise.all([from, to].map((folder) => rm(folder, { recursive: true, force: true }))));
      return { from, to };
    };

    test("whole files move with their age; folders, and what begins with a dot, stay", async (t) => {
      const { from, to } = await newFolders(t);
      for (const [file, text] of [
        ["a", "1"],
        ["b.root", "2"],
        [".c", "3"],
      ] as const) {
        await writeFile(join(from, file), text);
        await utimes(join(from, file), 1000, 2000);
      }
      await mkdir(join(from, "folder"));
      await moveFolder(from, to, isRoot);
      assert.deepEqual((await readdir(from)).sort(), [".c", "folder"]);
      assert.deepEqual((await readdir(to)).sort(), ["a", "b.root"]);
      assert.equal(await readFile(join(to, "b.root"), "utf8"), "2");
      assert.equal((await stat(join(to, "a"))).mtimeMs, 2_000_000);
    });

    test("of two that differ, the one that is there holds; what is there whole, or begun, isn't kept twice", async (t) => {
      const { from, to } = await newFolders(t);
      for (const [file, here, there] of [
        ["differs", "mine", "yours"],
        ["same", "one", "one"],
        ["begun", "whole", "who"],
      ] as const) {
        await writeFile(join(from, file), here);
        await writeFile(join(to, file), there);
      }
      await writeFile(join(from, "folder"), "text");
      await mkdir(join(to, "folder"));
      await moveFolder(from, to, isRoot);
      assert.deepEqual((await readdir(from)).sort(), ["differs", "folder"]);
      assert.equal(await readFile(join(to, "differs"), "utf8"), "yours");
      assert.equal(await readFile(join(to, "begun"), "utf8"), "whole");
    });

    test("nothing moves from a folder that isn't there, or to one", async (t) => {
      const { from, to } = await newFolders(t);
      await moveFolder(join(from, "none"), to, isRoot);
      await writeFile(join(from, "a"), "1");
      await moveFolder(from, join(to, "none"), isRoot);
      assert.deepEqual(await readdir(from), ["a"]);
    });
  });
}

test("a folder that can't be read is told of", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "cloud-gpu-move-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, "file"), "");
  await assert.rejects(moveFolder(join(folder, "file"), folder, isRoot), { code: "ENOTDIR" });
});
