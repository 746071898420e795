// What one of all windows tells: by whoever writes the claim, in the account that it concerns.
import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { Book, type BookTable } from "../../../../../src/services/core/book/book.ts";
import { type Disk, realDisk } from "../../../../../src/services/core/book/disk.ts";
import { tellOnce } from "../../../../../src/services/core/book/tell-once.ts";
import type { SignedIn } from "../../../../../src/services/core/session.ts";

const TABLE: BookTable<"told" | "never"> = { entry: /[0-9a-f]{4}/, kinds: { told: [], never: [] }, unread: "passes" };
const CLAIM = { entry: "00ab", file: "told" } as const;
const DAY = 86_400_000;
/** Compared, and asked nothing. */
const [ACCOUNT, OTHER] = [{ kind: "signed-in" } as SignedIn, { kind: "signed-in" } as SignedIn];

const folders: string[] = [];
after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "cloud-gpu-told-"));
  folders.push(folder);
  return folder;
}

/** Tells it in a window. @returns what became of it, and how often its person heard it. */
async function tellIn(folder: string, session: { current: SignedIn }, disk?: Disk) {
  let times = 0;
  const telling = await tellOnce({ book: new Book(TABLE, folder, disk), session }, ACCOUNT, CLAIM, () => {
    times += 1;
  });
  return [telling, times] as const;
}

test("many windows tell it once, and again once it is over", async () => {
  const folder = await newFolder();
  const race = async () => await Promise.all(Array.from({ length: 20 }, () => tellIn(folder, { current: ACCOUNT })));
  for (const _ of ["first", "again"]) {
    const tellings = await race();
    assert.equal(tellings.filter(([telling]) => telling === "told").length, 1);
    assert.equal(
      tellings.reduce((sum, [, times]) => sum + times, 0),
      1,
    );
    await new Book(TABLE, folder).remove("00ab", "told");
  }
});

test("an account that was left is told nothing and leaves no claim", async () => {
  const folder = await newFolder();
  assert.deepEqual(await tellIn(folder, { current: OTHER }), ["left", 0]);
  assert.deepEqual(await readdir(folder), []);
});

test("one that is left while the claim is written takes it back", async () => {
  const folder = await newFolder();
  const session = { current: ACCOUNT };
  const create: Disk["create"] = async (path, text) => {
    const isNew = await realDisk.create(path, text);
    session.current = OTHER;
    return isNew;
  };
  assert.deepEqual(await tellIn(folder, session, { ...realDisk, create }), ["left", 0]);
  assert.deepEqual(await readdir(folder), []);
  assert.deepEqual(await tellIn(folder, { current: ACCOUNT }), ["told", 1]);
});

test("a disk that takes no claim is an error, and nothing was told", async () => {
  const create = () => Promise.reject(Object.assign(new Error("full"), { code: "ENOSPC" }));
  let times = 0;
  const book = new Book(TABLE, await newFolder(), { ...realDisk, create });
  const telling = tellOnce({ book, session: { current: ACCOUNT } }, ACCOUNT, CLAIM, () => {
    times += 1;
  });
  await assert.rejects(telling, { code: "ENOSPC" });
  assert.equal(times, 0);
});

test("claims are removed by their age, and only those of the kinds that are named", async () => {
  const folder = await newFolder();
  const book = new Book(TABLE, folder);
  for (const entry of ["0001", "0002"]) for (const kind of ["told", "never"] as const) await book.create(entry, kind);
  const now = Date.now();
  for (const name of ["0001.told", "0001.never"])
    await utimes(join(folder, name), (now - 2 * DAY) / 1000, (now - 2 * DAY) / 1000);
  await book.removeOlder(now, { told: DAY });
  assert.deepEqual((await readdir(folder)).sort(), ["0001.never", "0002.never", "0002.told"]);
});
