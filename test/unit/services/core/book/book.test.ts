// A noun's files as data: what their names say, what can't be read, and windows that write, tidy, and die at the same time.
import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import * as z from "zod";
import { InstanceId } from "../../../../../src/domain/base/id.ts";
import {
  Book,
  type BookEntry,
  type BookTable,
  findHighest,
  findHighestCount,
  listInstanceIds,
  listNumbers,
} from "../../../../../src/services/core/book/book.ts";
import { type Disk, realDisk } from "../../../../../src/services/core/book/disk.ts";
import { type Random, seeded } from "../../../../fuzz/answers.ts";

type Kind = "root" | "taken" | "not-sent" | "of" | "closed";

const TABLE: BookTable<Kind> = {
  entry: /tok-[0-9a-f]{4}/,
  kinds: { root: [15, 6], taken: [4], "not-sent": [], of: [16], closed: [] },
  unnumbered: ["root"],
  unread: "waits",
};
const Root = z.object({ version: z.literal(1), text: z.string() });

const folders: string[] = [];
after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "cloud-gpu-book-"));
  folders.push(folder);
  return folder;
}

const toObject = (entry: BookEntry<Kind> | undefined) => Object.fromEntries(entry ?? []);

describe("the name of a file", () => {
  const NAMES: readonly [name: string, says: object | undefined][] = [
    ["tok-00ab.root", { root: [[]] }],
    ["tok-00ab.root-7-1", { root: [[7, 1]] }],
    ["tok-00ab.taken-12", { taken: [[12]] }],
    ["tok-00ab.taken-0", { taken: [[0]] }],
    ["tok-00ab.not-sent", { "not-sent": [[]] }],
    ["tok-00ab.of-9007199254740991", { of: [[9007199254740991]] }],
    // No number of a script: it would be written as another one.
    ["tok-00ab.of-9007199254740993", undefined],
    ["tok-00ab.of-01", undefined],
    ["tok-00ab.taken", undefined],
    ["tok-00ab.taken-12345", undefined],
    ["tok-00ab.taken-1-2", undefined],
    ["tok-00ab.taken--1", undefined],
    ["tok-00ab.taken-1.", undefined],
    ["tok-00ab.root-7", undefined],
    ["tok-00ab.constructor", undefined],
    ["tok-00ab.__proto__", undefined],
    ["tok-00ab.later-kind-3", undefined],
    ["tok-00ab", undefined],
    ["tok-00AB.closed", undefined],
    ["tok-00ab0.closed", undefined],
    ["xtok-00ab.closed", undefined],
    [".tok-00ab.closed.new", undefined],
    ["tok-00ab.closed ", undefined],
    ["tok-00ab.closed\n", undefined],
  ];
  for (const [name, says] of NAMES)
    test(`${JSON.stringify(name)} says ${says ? JSON.stringify(says) : "nothing"}`, async () => {
      const book = new Book(TABLE, "", { ...realDisk, names: async () => [name] });
      assert.deepEqual(toObject((await book.list()).get("tok-00ab")), says ?? {});
    });

  test("may be the entry's alone", async () => {
    const folder = await newFolder();
    const book = new Book({ entry: /away-[0-9a-f]{4}/, kinds: { "": [16] }, unread: "passes" }, folder);
    assert.equal(await book.create("away-0001", ["", 1_700_000_000_000]), true);
    assert.deepEqual(await readdir(folder), ["away-0001-1700000000000"]);
    assert.equal(findHighest((await book.list()).get("away-0001"), ""), 1_700_000_000_000);
  });
});

describe("a file", () => {
  test("is written into a folder that isn't there yet, and once", async () => {
    const folder = join(await newFolder(), "a", "b");
    const book = new Book(TABLE, folder);
    assert.equal(await book.create("tok-0001", ["root", 7, 1], { version: 1, text: "ü" }), true);
    assert.equal(await book.create("tok-0001", ["root", 7, 1], { version: 1, text: "other" }), false);
    assert.deepEqual(await book.read("tok-0001", ["root", 7, 1], Root), { version: 1, text: "ü" });
  });

  test("that can't be read now isn't one that says nothing, where something is rented or destroyed by it", async () => {
    const ill: Disk = { ...realDisk, read: () => Promise.reject(Object.assign(new Error("EIO"), { code: "EIO" })) };
    const folder = await newFolder();
    await assert.rejects(new Book(TABLE, folder, ill).read("tok-0001", "root", Root), { code: "EIO" });
    await assert.rejects(new Book(TABLE, folder, ill).readText("tok-0001", "root"), { code: "EIO" });
    const telling = new Book({ ...TABLE, unread: "passes" }, folder, ill);
    assert.equal(await telling.read("tok-0001", "root", Root), undefined);
    assert.equal(await telling.readText("tok-0001", "root"), undefined);
  });

  const SPOILED = ["", "{", '{"version":1', '{"version":2,"text":"later"}', "null", "\0", '{"version":1,"text":7}'];
  for (const text of SPOILED)
    test(`that holds ${JSON.stringify(text)} is read again until it is whole`, async () => {
      const folder = await newFolder();
      const book = new Book(TABLE, folder);
      await writeFile(join(folder, "tok-0001.root"), text);
      assert.equal(await book.read("tok-0001", "root", Root), undefined);
      await writeFile(join(folder, "tok-0001.root"), '{"version":1,"text":"whole"}');
      assert.equal((await book.read("tok-0001", "root", Root))?.text, "whole");
    });

  test("is read from the disk once, and forgotten with its name", async () => {
    const folder = await newFolder();
    let reads = 0;
    const read: Disk["read"] = async (path) => {
      reads += 1;
      return await realDisk.read(path);
    };
    const book = new Book(TABLE, folder, { ...realDisk, read });
    await book.create("tok-0001", "root", { version: 1, text: "first" });
    for (const _ of [1, 2, 3]) assert.equal((await book.read("tok-0001", "root", Root))?.text, "first");
    assert.equal(reads, 1);
    // As another window tidies and writes.
    await rm(join(folder, "tok-0001.root"));
    await book.list();
    await writeFile(join(folder, "tok-0001.root"), '{"version":1,"text":"second"}');
    assert.equal((await book.read("tok-0001", "root", Root))?.text, "second");
  });
});

/** A disk for one window, which dies after so many steps: nothing that it asked for ever comes back. */
function createMortalDisk(steps: number): { readonly disk: Disk; readonly died: Promise<void> } {
  let left = steps;
  const { promise: died, resolve } = Promise.withResolvers<void>();
  const step = async <T>(work: () => Promise<T>): Promise<T> => {
    left -= 1;
    const value = left > 0 ? await work() : undefined;
    if (left > 0) return value as T;
    resolve();
    return await new Promise<T>(() => {});
  };
  const disk: Disk = {
    create: (path, text) => step(() => realDisk.create(path, text)),
    names: (folder) => step(() => realDisk.names(folder)),
    read: (path) => step(() => realDisk.read(path)),
    remove: (path) => step(() => realDisk.remove(path)),
  };
  return { disk, died };
}

const TOKENS = ["tok-0001", "tok-0002"];
const FILES = [["root", 7, 1], ["taken", 1], ["taken", 2], "not-sent", ["of", 5], "closed"] as const;

const pick = <T>(draw: Random, from: readonly T[]): T => from[Math.floor(draw() * from.length)] as T;

/** A window that writes on what isn't closed, as every journal does. */
async function write(book: Book<Kind>, draw: Random): Promise<void> {
  for (let turn = 0; turn < 6; turn += 1) {
    const token = pick(draw, TOKENS);
    if ((await book.list()).get(token)?.has("closed")) continue;
    const file = pick(draw, FILES);
    await book.create(token, file, file[0] === "root" ? { version: 1, text: "" } : "");
  }
}

/** A window that tidies, long after. */
async function tidy(book: Book<Kind>, draw: Random): Promise<void> {
  for (const [token, entry] of await book.list())
    if (entry.has("closed") && draw() < 0.7) await book.removeEntry(token);
}

/** Both windows at a time; each may die at any step. */
async function playTwo(folder: string, draw: Random, live: typeof write): Promise<void> {
  const windows = [1, 2].map(() => {
    const { disk, died } = createMortalDisk(draw() < 0.7 ? Math.ceil(draw() * 12) : 1000);
    return Promise.race([died, live(new Book(TABLE, folder, disk), draw)]);
  });
  await Promise.all(windows);
}

/** Each is of six times two windows. `CLOUD_GPU_STORIES` may ask for more. */
const STORIES = Number(process.env.CLOUD_GPU_STORIES ?? 150);

test("windows that write, tidy, and die at any step bring nothing back", async () => {
  const revived: string[] = [];
  let [closings, halves] = [0, 0];
  for (let seed = 1; seed <= STORIES; seed += 1) {
    const draw = seeded(seed);
    const folder = await newFolder();
    const closed = new Set<string>();
    for (let generation = 0; generation < 6; generation += 1) {
      await playTwo(folder, draw, generation % 2 === 0 ? write : tidy);
      const entries = await new Book(TABLE, folder).list();
      for (const token of closed) {
        const entry = entries.get(token);
        if (entry?.has("root") && !entry.has("closed")) revived.push(`seed ${seed}: ${token}`);
        if (entry?.has("closed") && !entry.has("root")) halves += 1;
        if (!entry) closed.delete(token);
      }
      for (const [token, entry] of entries) if (entry.has("closed") && entry.has("root")) closed.add(token);
      closings += closed.size;
    }
    await rm(folder, { recursive: true, force: true });
  }
  assert.deepEqual(revived, []);
  // The stories have what they are about.
  assert.ok(closings > 0 && halves > 0, `${closings} closed, ${halves} cut short`);
});

type NumberedKind = "of" | "taken";

const entryOf = (files: Partial<Record<NumberedKind, readonly (readonly number[])[]>>): BookEntry<NumberedKind> =>
  new Map(Object.entries(files) as [NumberedKind, readonly (readonly number[])[]][]);

describe("the names of an entry's files", () => {
  const entry = entryOf({ of: [[7, 2], [9], []], taken: [[3], [12], [5]] });

  test("give the first number of each", () => {
    assert.deepEqual(listNumbers(entry, "of"), [7, 9]);
    assert.deepEqual(listNumbers(entryOf({}), "of"), []);
    assert.deepEqual(listNumbers<NumberedKind>(undefined, "of"), []);
  });

  test("give the highest number, and 0 where there is none", () => {
    assert.equal(findHighest(entry, "taken"), 12);
    assert.equal(findHighest(entryOf({}), "taken"), 0);
    assert.equal(findHighest<NumberedKind>(undefined, "taken"), 0);
  });

  test("give instances, and leave out what is none", () => {
    assert.deepEqual(listInstanceIds(entryOf({ of: [[7, 2], [0], [], [9]] }), "of"), [7, 9]);
    assert.deepEqual(listInstanceIds(entryOf({}), "of"), []);
  });

  test("give the highest count of one instance, in all entries", () => {
    const entries = new Map([
      [
        "a",
        entryOf({
          of: [
            [7, 2],
            [9, 40],
          ],
        }),
      ],
      ["b", entryOf({ of: [[7, 5], [7]] })],
      ["c", entryOf({ taken: [[7, 90]] })],
    ]);
    assert.equal(findHighestCount(entries, "of", InstanceId.parse(7)), 5);
    assert.equal(findHighestCount(entries, "of", InstanceId.parse(9)), 40);
    assert.equal(findHighestCount(entries, "of", InstanceId.parse(8)), 0);
    assert.equal(findHighestCount(new Map<string, BookEntry<NumberedKind>>(), "of", InstanceId.parse(7)), 0);
  });
});

describe("where the disk can't be read", () => {
  const fail = (code: string) => () => Promise.reject(Object.assign(new Error(code), { code }));
  const bookOf = (unread: BookTable<NumberedKind>["unread"], code = "EIO") =>
    new Book<NumberedKind>({ entry: /[a-z]+/, kinds: { of: [4], taken: [4] }, unread }, "/nowhere", {
      ...realDisk,
      read: fail(code),
    });
  const Any = z.object({});

  for (const [unread, waits] of [
    ["waits", ["of", "taken"]],
    ["passes", []],
    [["taken"], ["taken"]],
  ] as const)
    for (const kind of ["of", "taken"] as const)
      test(`what is of a table that says ${JSON.stringify(unread)} ${waits.some((one) => one === kind) ? "waits" : "passes"} as ${kind}`, async () => {
        const book = bookOf(unread);
        for (const read of [() => book.read("a", [kind, 1], Any), () => book.readText("a", [kind, 1])])
          if (waits.some((one) => one === kind)) await assert.rejects(read(), { code: "EIO" });
          else assert.equal(await read(), undefined);
      });

  test("a text that isn't there is none, also where the others wait", async () =>
    assert.equal(await bookOf("waits", "ENOENT").readText("a", ["of", 1]), undefined));

  test("what can't be written isn't tried in a new folder, unless the folder is missing", async () => {
    for (const [code, calls] of [
      ["EIO", 1],
      ["ENOENT", 2],
    ] as const) {
      let tried = 0;
      const book = new Book<NumberedKind>(
        { entry: /[a-z]+/, kinds: { of: [4], taken: [4] }, unread: "waits" },
        "/nowhere",
        {
          ...realDisk,
          names: async () => [],
          create: () => {
            tried += 1;
            return fail(code)();
          },
        },
      );
      await assert.rejects(book.create("a", ["of", 1]), { code });
      assert.equal(tried, calls, code);
    }
  });

  test("a text is written as it is, an object as JSON, and a mark without anything", async () => {
    const written: string[] = [];
    const book = new Book<NumberedKind>(
      { entry: /[a-z]+/, kinds: { of: [4], taken: [4] }, unread: "waits" },
      "/nowhere",
      {
        ...realDisk,
        create: async (_, text) => written.push(text) > 0,
      },
    );
    await book.create("a", ["of", 1], "as it is");
    await book.create("a", ["of", 2], { a: 1 });
    await book.create("a", ["of", 3]);
    assert.deepEqual(written, ["as it is", '{"a":1}', ""]);
  });
});
