// Which of several settings of an instance holds, and what one that can't be read puts in doubt.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import * as z from "zod";
import type { InstanceId } from "../../../../../src/domain/base/id.ts";
import { Book, type BookTable } from "../../../../../src/services/core/book/book.ts";
import { findLatest, readCounted } from "../../../../../src/services/core/book/latest.ts";
import { type Random, seeded } from "../../../../fuzz/answers.ts";

const TABLE: BookTable<"set"> = {
  entry: /set-[a-z]/,
  kinds: { set: [15, 6] },
  unnumbered: ["set"],
  unread: "waits",
};
const Value = z.object({ count: z.int(), at: z.number() });

const folders: string[] = [];
after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

async function open(files: Readonly<Record<string, string>>) {
  const folder = await mkdtemp(join(tmpdir(), "cloud-gpu-latest-"));
  folders.push(folder);
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return await readCounted(new Book(TABLE, folder), "set", Value);
}

test("one that can't be read puts those of its instance in doubt that don't come after it", async () => {
  const whole = (count: number) => JSON.stringify({ count, at: 0 });
  const { all, isDoubted } = await open({
    ...{ "set-a.set-7-1": whole(1), "set-b.set-7-2": "", "set-c.set-7-3": whole(3) },
    ...{ "set-d.set-8-1": whole(1), "set-e.set": "{", "set-f.set": whole(1) },
  });
  assert.deepEqual(all.map(({ name }) => name).sort(), ["set-a", "set-c", "set-d", "set-f"]);
  const doubts = (id: number) => [1, 2, 3].map((count) => isDoubted(id as InstanceId, count));
  assert.deepEqual(doubts(7), [true, true, false]);
  assert.deepEqual(doubts(8), [false, false, false]);
});

test("without any, none holds", () => {
  assert.equal(
    findLatest([], () => ({ count: 1, at: 0 })),
    undefined,
  );
});

test("the highest count holds, then the later time, then the name, in whichever order they are read", () => {
  const random = seeded(40);
  const draw = (most: number) => Math.floor(random() * most);
  for (let story = 0; story < 500; story += 1) {
    const all = Array.from({ length: 1 + draw(6) }, (_, at) => ({ name: `n${at}`, count: draw(3), at: draw(3) }));
    const sorted = [...all].sort((a, b) => a.count - b.count || a.at - b.at || (a.name < b.name ? -1 : 1));
    assert.deepEqual(
      findLatest(shuffle(all, random), (one) => one),
      sorted.at(-1),
    );
  }
});

function shuffle<T>(all: readonly T[], random: Random): readonly T[] {
  return all
    .map((one) => ({ one, key: random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ one }) => one);
}
