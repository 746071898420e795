// Rows that arrive take the place of the remembered ones; what is still missing stays as it was.
import assert from "node:assert/strict";
import { test } from "node:test";
import { mergeRemembered } from "../../../../src/ui/list/list-memory.ts";
import type { Node } from "../../../../src/ui/list/rows.ts";

const node = (id: string, description: string): Node<string> => ({
  view: { id, label: id, description, icon: "", color: undefined, context: "", accessible: id },
  of: undefined,
  children: [],
});
const said = (nodes: readonly Node<string>[]) => nodes.map(({ view }) => `${view.id} ${view.description}`);

test("each list replaces what was remembered of it, in its place", () => {
  const remembered = [node("own", "old"), node("popular", "old")];
  assert.deepEqual(said(mergeRemembered(remembered, [])), ["own old", "popular old"]);
  const arrived = [node("own", "new"), node("recommended", "new")];
  assert.deepEqual(said(mergeRemembered(remembered, arrived)), ["own new", "popular old", "recommended new"]);
  assert.deepEqual(said(mergeRemembered([], arrived)), ["own new", "recommended new"]);
});

test("what has arrived in another group is not remembered where it was, nor is a group that it leaves empty", () => {
  const group = (id: string, ...children: readonly string[]): Node<string> => ({
    ...node(id, ""),
    children: children.map((child) => node(child, "")),
  });
  const ids = (nodes: readonly Node<string>[]) =>
    nodes.map(({ view, children }) => [view.id, children.map((child) => child.view.id).join(" ")]);
  const remembered = [group("recommended", "t1"), group("popular", "t7", "t8"), group("lonely", "t7")];
  assert.deepEqual(ids(mergeRemembered(remembered, [group("recommended", "t7", "t1")])), [
    ["recommended", "t7 t1"],
    ["popular", "t8"],
  ]);
});
