// What the names of an entry's files say, and what the disk means where it can't be read.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
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
import { realDisk } from "../../../../../src/services/core/book/disk.ts";

type Kind = "of" | "taken";

const entryOf = (files: Partial<Record<Kind, readonly (readonly number[])[]>>): BookEntry<Kind> =>
  new Map(Object.entries(files) as [Kind, readonly (readonly number[])[]][]);

describe("the names of an entry's files", () => {
  const entry = entryOf({ of: [[7, 2], [9], []], taken: [[3], [12], [5]] });

  test("give the first number of each", () => {
    assert.deepEqual(listNumbers(entry, "of"), [7, 9]);
    assert.deepEqual(listNumbers(entryOf({}), "of"), []);
    assert.deepEqual(listNumbers<Kind>(undefined, "of"), []);
  });

  test("give the highest number, and 0 where there is none", () => {
    assert.equal(findHighest(entry, "taken"), 12);
    assert.equal(findHighest(entryOf({}), "taken"), 0);
    assert.equal(findHighest<Kind>(undefined, "taken"), 0);
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
    assert.equal(findHighestCount(new Map<string, BookEntry<Kind>>(), "of", InstanceId.parse(7)), 0);
  });
});

describe("where the disk can't be read", () => {
  const fail = (code: string) => () => Promise.reject(Object.assign(new Error(code), { code }));
  const bookOf = (unread: BookTable<Kind>["unread"], code = "EIO") =>
    new Book<Kind>({ entry: /[a-z]+/, kinds: { of: [4], taken: [4] }, unread }, "/nowhere", {
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
      const book = new Book<Kind>({ entry: /[a-z]+/, kinds: { of: [4], taken: [4] }, unread: "waits" }, "/nowhere", {
        ...realDisk,
        names: async () => [],
        create: () => {
          tried += 1;
          return fail(code)();
        },
      });
      await assert.rejects(book.create("a", ["of", 1]), { code });
      assert.equal(tried, calls, code);
    }
  });

  test("a text is written as it is, an object as JSON, and a mark without anything", async () => {
    const written: string[] = [];
    const book = new Book<Kind>({ entry: /[a-z]+/, kinds: { of: [4], taken: [4] }, unread: "waits" }, "/nowhere", {
      ...realDisk,
      create: async (_, text) => written.push(text) > 0,
    });
    await book.create("a", ["of", 1], "as it is");
    await book.create("a", ["of", 2], { a: 1 });
    await book.create("a", ["of", 3]);
    assert.deepEqual(written, ["as it is", '{"a":1}', ""]);
  });
});
