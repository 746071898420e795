// A row opens by two quick clicks or by Enter, and by nothing else.
import assert from "node:assert/strict";
import { test } from "node:test";
import { commands, views } from "../../../../src/ids.ts";
import { RowOpener } from "../../../../src/ui/list/row-opener.ts";

function opener() {
  let now = 0;
  const opened: unknown[] = [];
  const selected: unknown[] = [];
  const one = new RowOpener(
    { now: () => now, elapsed: () => now, sleep: async () => {} },
    (view) => (view === views.instances ? selected : []),
    async (command, row) => void opened.push([command, row]),
  );
  return {
    opened,
    select: (...rows: unknown[]) => selected.splice(0, selected.length, ...rows),
    at: async (ms: number, ...given: unknown[]) => {
      now = ms;
      await one.open(given);
    },
  };
}
const row = (id: string, opens: string = commands.instanceShow) => ({ view: { id, opens } });

test("two quick clicks on the same row open it once, also where the editor tells of a third", async () => {
  const { at, opened } = opener();
  await at(0, row("a"));
  assert.deepEqual(opened, []);
  await at(200, row("a"));
  await at(210, row("a"));
  assert.deepEqual(opened, [[commands.instanceShow, row("a")]]);
});

test("slow clicks, and clicks on two rows, open nothing", async () => {
  const { at, opened } = opener();
  await at(0, row("a"));
  await at(600, row("a"));
  await at(700, row("b"));
  await at(800, row("a"));
  assert.deepEqual(opened, []);
});

test("Enter opens the selected row of its view once, whenever the editor tells of it, and also where it never does", async () => {
  for (const toldAt of [100, 102, 1500, undefined]) {
    const { at, opened, select } = opener();
    await at(0, row("a"));
    select(row("a"));
    await at(100, "key");
    if (toldAt === 100) await at(toldAt, row("a"));
    await at(101, views.instances);
    if (toldAt !== undefined && toldAt !== 100) await at(toldAt, row("a"));
    assert.deepEqual(opened, [[commands.instanceShow, row("a")]]);
    await at((toldAt ?? 101) + 100, row("b"));
    assert.equal(opened.length, 1, "a click right after it");
  }
});

test("Enter on a heading, in another view, or where nothing is selected opens nothing, at once or later", async () => {
  const { at, opened, select } = opener();
  await at(0, row("b"));
  for (const selected of [[], [{ view: { id: "heading" } }], [row("a", "workbench.action.quit")]]) {
    select(...selected);
    await at(1000, "key");
    await at(1001, views.instances);
  }
  select(row("b"));
  await at(1002, views.templates);
  await at(4000, row("b"));
  assert.deepEqual(opened, []);
});

test("a key that selects the row right after a click on it opens nothing, held down or not", async () => {
  const { at, opened } = opener();
  await at(0, row("a"));
  for (const ms of [100, 130, 160]) {
    await at(ms, "key");
    await at(ms + 1, row("a"));
  }
  assert.deepEqual(opened, []);
});

test("a click right after a key that selected the row is the first of two, not the second", async () => {
  const { at, opened } = opener();
  await at(0, "key");
  await at(10, row("a"));
  await at(300, row("a"));
  assert.deepEqual(opened, []);
  await at(500, row("a"));
  assert.equal(opened.length, 1);
});

test("what other extensions pass opens nothing", async () => {
  const { at, opened } = opener();
  for (const odd of [
    null,
    1,
    {},
    { view: null },
    { view: { id: "a" } },
    row("a", "workbench.action.quit"),
    { view: { id: 1, opens: commands.refresh } },
  ]) {
    await at(0, odd);
    await at(1, odd);
    await at(2, "key");
    await at(3, odd);
    await at(4, "enter");
    await at(5, "toString");
  }
  assert.deepEqual(opened, []);
});
