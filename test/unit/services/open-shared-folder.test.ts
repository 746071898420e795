// What an editor kept on its own moves to where all editors of the user share it, whatever happens on the way.
import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { silentLog } from "../../../src/lib/log.ts";
import { moveFolder } from "../../../src/services/core/book/move-folder.ts";
import { AutoStopJournal } from "../../../src/services/instance/auto-stops/auto-stop-journal.ts";
import { openSharedFolder } from "../../../src/services/open-shared-folder.ts";

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
  test("moves with its contents and times, but for what isn't whole, folders, and what is otherwise there already", async () => {
    const [from, to] = [await newFolder(), await newFolder()];
    await fill(from, { a: "1", b: "old", c: "same", ".half.new": "" });
    await mkdir(join(from, "folder"));
    await utimes(join(from, "a"), 1000, 1000);
    await fill(to, { b: "new", c: "same" });
    await moveFolder(from, to, () => false);
    assert.deepEqual((await readdir(to)).sort(), ["a", "b", "c"]);
    assert.equal((await stat(join(to, "a"))).mtimeMs, 1_000_000);
    assert.equal(await readFile(join(to, "b"), "utf8"), "new");
    assert.deepEqual((await readdir(from)).sort(), [".half.new", "b", "folder"]);
    await moveFolder(join(from, "none"), to, () => false);
  });

  for (const left of ["", '{"wh'])
    test(`replaces ${left === "" ? "the empty file" : "the half"} that a killed window left`, async () => {
      const [from, to] = [await newFolder(), await newFolder()];
      await fill(from, { a: '{"whole":1}' });
      await fill(to, { a: left });
      await moveFolder(from, to, () => true);
      assert.equal(await readFile(join(to, "a"), "utf8"), '{"whole":1}');
      assert.deepEqual(await readdir(from), []);
    });

  test("keeps a file that a folder is in the place of", async () => {
    const [from, to] = [await newFolder(), await newFolder()];
    await fill(from, { a: "1" });
    await mkdir(join(to, "a"));
    await moveFolder(from, to, () => true);
    assert.deepEqual(await readdir(from), ["a"]);
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
  assert.deepEqual(await openSharedFolder(own, silentLog, shared), { folder: shared });
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
  const { folder, problem = "" } = await openSharedFolder(own, log, join(own, "file", "cloud-gpu"));
  assert.equal(folder, own);
  assert.match(
    problem,
    /^Your other editors don't know the auto-stops that you set here, because “.*cloud-gpu” can't be used\. /,
  );
  assert.match(warned.join(), /can't be used: other editors don't know what is set in this one/);
  assert.deepEqual(await readdir(join(own, "ends")), [`${TOKEN}.lease-7-1`]);
});

test("nobody else may look into it", { skip: process.platform === "win32" }, async () => {
  const [own, shared] = [await newFolder(), join(await newFolder(), "state", "cloud-gpu")];
  await openSharedFolder(own, silentLog, shared);
  for (const name of ["ends", "orders", "windows"])
    assert.equal((await stat(join(shared, name))).mode & 0o777, 0o700, name);
});

describe("a shared folder that is in use", () => {
  test("is still the one, though a part of it is broken, and the person is told", async () => {
    const [own, shared] = [await newFolder(), await newFolder()];
    await fill(join(shared, "ends"), { [`${TOKEN}.lease-7-1`]: JSON.stringify(END) });
    await fill(shared, { runs: "" });
    const { folder, problem = "" } = await openSharedFolder(own, silentLog, shared);
    assert.equal(folder, shared);
    assert.match(problem, /couldn't be moved to “.*”, so Cloud GPU doesn't carry them out\. Repair that folder/);
  });

  test("gets no auto-stop before what became of its orders is there", async () => {
    const [own, shared] = [await newFolder(), await newFolder()];
    await fill(join(own, "ends"), { [`${TOKEN}.lease-7-1`]: JSON.stringify(END) });
    await fill(own, { orders: "" });
    const { problem } = await openSharedFolder(own, silentLog, shared);
    assert.ok(problem);
    assert.deepEqual(await readdir(join(shared, "ends")).catch(() => []), []);
    assert.deepEqual(await readdir(join(own, "ends")), [`${TOKEN}.lease-7-1`]);
  });

  test("waits for the windows that still work in the editor's own", async () => {
    const [own, shared] = [await newFolder(), await newFolder()];
    await fill(join(own, "windows"), { [crypto.randomUUID()]: "" });
    await fill(join(own, "orders"), { "ord-1.order": "{}" });
    assert.deepEqual(await openSharedFolder(own, silentLog, shared), { folder: own });
    assert.deepEqual(await readdir(join(own, "orders")), ["ord-1.order"]);
    const [name = ""] = await readdir(join(own, "windows"));
    await utimes(join(own, "windows", name), 1000, 1000);
    assert.deepEqual(await openSharedFolder(own, silentLog, shared), { folder: shared });
  });
});

describe("a shared folder of somebody else", { skip: process.getuid === undefined }, () => {
  for (const [mode, isUsed] of [
    [0o700, true],
    [0o755, true],
    [0o775, false],
    [0o777, false],
  ] as const)
    test(`with mode ${mode.toString(8)} is ${isUsed ? "used" : "not used"}`, async () => {
      const [own, shared] = [await newFolder(), await newFolder()];
      await chmod(shared, mode);
      const { folder, problem } = await openSharedFolder(own, silentLog, shared);
      assert.equal(folder, isUsed ? shared : own);
      if (!isUsed) assert.match(problem ?? "", /Other users may write to it\.$/);
    });

  test("is not what a link of the person's own leads to", async () => {
    const [own, shared, place] = [await newFolder(), await newFolder(), await newFolder()];
    await symlink(shared, join(place, "cloud-gpu"));
    assert.equal((await openSharedFolder(own, silentLog, join(place, "cloud-gpu"))).folder, join(place, "cloud-gpu"));
  });
});
