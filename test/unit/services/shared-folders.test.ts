// What an editor kept by itself moves to where all editors of the user share it, whatever happens on the way.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { silentLog } from "../../../src/lib/log.ts";
import { moveFolder } from "../../../src/services/core/book/move-folder.ts";
import { AutoStopJournal } from "../../../src/services/instance/auto-stops/auto-stop-journal.ts";
import { openSharedFolder } from "../../../src/services/shared-folders.ts";

const folders: string[] = [];
after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "cloud-gpu-shared-"));
  folders.push(folder);
  return folder;
}

async function fill(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
}

const TOKEN = `lea-${"0".repeat(20)}`;
const END = {
  ...{ version: 1, id: 7, origin: "https://service.example", account: "a", ending: "destroy", count: 1 },
  ...{ until: 2e12, at: 1e12 },
};

describe("a folder of files", () => {
  test("moves with its contents and times, but for what isn't whole, folders, and what is there already", async () => {
    const [from, to] = [await newFolder(), await newFolder()];
    await fill(from, { a: "1", b: "old", ".half.new": "" });
    await mkdir(join(from, "folder"));
    await utimes(join(from, "a"), 1000, 1000);
    await fill(to, { b: "new" });
    await moveFolder(from, to, () => false);
    assert.deepEqual((await readdir(to)).sort(), ["a", "b"]);
    assert.equal((await stat(join(to, "a"))).mtimeMs, 1_000_000);
    assert.equal(await readFile(join(to, "b"), "utf8"), "new");
    assert.deepEqual((await readdir(from)).sort(), [".half.new", "folder"]);
    await moveFolder(join(from, "none"), to, () => false);
  });

  test("is moved by several windows at once, and nothing is lost", async () => {
    const [from, to] = [await newFolder(), await newFolder()];
    await fill(from, Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`f-${at}`, String(at)])));
    await Promise.all([1, 2, 3, 4].map(() => moveFolder(from, to, () => false)));
    assert.deepEqual(await readdir(from), []);
    const texts = await Promise.all((await readdir(to)).map((name) => readFile(join(to, name), "utf8")));
    assert.deepEqual(
      texts.map(Number).sort((a, b) => a - b),
      [...Array(200).keys()],
    );
  });
});

test("an end that is over is never read as one that holds while it moves", async () => {
  const [own, shared] = [await newFolder(), await newFolder()];
  const names = Array.from({ length: 40 }, (_, at) => `lea-${String(at).padStart(20, "0")}`);
  await fill(
    join(own, "ends"),
    Object.fromEntries(
      names.flatMap((name) => [
        [`${name}.lease-7-1`, JSON.stringify(END)],
        [`${name}.over-7`, ""],
      ]),
    ),
  );
  const journal = new AutoStopJournal(join(shared, "ends"));
  let isMoved = false;
  let seen = 0;
  const watch = async () => {
    while (!isMoved) {
      const all = await journal.readAll();
      seen = Math.max(seen, all.length);
      assert.ok(all.every(({ over }) => over.size === 1));
    }
  };
  const watching = watch();
  await openSharedFolder(own, silentLog, shared);
  isMoved = true;
  await watching;
  assert.equal((await journal.readAll()).length, names.length);
});

test("a window that dies on the way leaves what the next one moves", async () => {
  const [own, shared] = [await newFolder(), await newFolder()];
  await fill(join(own, "ends"), { [`${TOKEN}.lease-7-1`]: JSON.stringify(END), [`${TOKEN}.over-7`]: "" });
  // As it is left between two files.
  await fill(join(shared, "ends"), { [`${TOKEN}.over-7`]: "" });
  assert.equal(await openSharedFolder(own, silentLog, shared), shared);
  assert.deepEqual(await readdir(join(own, "ends")), []);
  const [entry] = await new AutoStopJournal(join(shared, "ends")).readAll();
  assert.deepEqual([...(entry?.over ?? [])], [7]);
});

test("where the user has no such folder, the editor's own is used, and nothing is moved", async () => {
  const own = await newFolder();
  await fill(join(own, "ends"), { [`${TOKEN}.lease-7-1`]: JSON.stringify(END) });
  const warned: string[] = [];
  const log = { ...silentLog, warn: (message: string) => void warned.push(message) };
  await fill(own, { file: "" });
  assert.equal(await openSharedFolder(own, log, join(own, "file", "cloud-gpu")), own);
  assert.match(warned.join(), /can't be used: other editors don't know what is set in this one/);
  assert.deepEqual(await readdir(join(own, "ends")), [`${TOKEN}.lease-7-1`]);
});

test("nobody else may look into it", { skip: process.platform === "win32" }, async () => {
  const [own, shared] = [await newFolder(), join(await newFolder(), "state", "cloud-gpu")];
  await openSharedFolder(own, silentLog, shared);
  for (const name of ["ends", "orders", "windows"])
    assert.equal((await stat(join(shared, name))).mode & 0o777, 0o700, name);
});
