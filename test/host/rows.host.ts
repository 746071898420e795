// The tree's rows in the real editor: kept under the cursor, drawn again only where they changed, text drawn as text.
import assert from "node:assert/strict";
import type { MarkdownString } from "vscode";
import { commands } from "../../src/ids.ts";
import { realClock } from "../../src/lib/clock.ts";
import type { RowView } from "../../src/present/base/row.ts";
import { type Node, RowTree } from "../../src/ui/list/rows.ts";
import { describe, it } from "./bdd.ts";

const SCREEN = { clock: realClock, isVisible: () => true };

function node(id: string, description: string): Node<string> {
  const view: RowView = {
    id,
    label: id,
    description,
    icon: "vm",
    color: undefined,
    context: "x",
    accessible: id,
    tooltip: () => ({ title: id, facts: [["Status", description]] }),
  };
  return { view, of: id, children: [] };
}

function hover(tree: RowTree<string>, row: Node<string>): MarkdownString {
  return tree.resolveTreeItem(tree.getTreeItem(row), row).tooltip as MarkdownString;
}

/** What the tree has drawn again, by row ID; undefined is the whole list. */
function watched(tree: RowTree<string>): (string | undefined)[] {
  const fired: (string | undefined)[] = [];
  tree.onDidChangeTreeData((changed) => fired.push(changed?.view.id));
  return fired;
}

describe("rows", () => {
  it("fire alone when they change, and all together only when rows come or go", () => {
    const tree = new RowTree<string>(SCREEN);
    const fired = watched(tree);
    tree.update([node("a", "1"), node("b", "1")]);
    const kept = tree.getChildren();
    tree.update([node("a", "1"), node("b", "2")]);
    tree.update([node("a", "1"), node("b", "2")]);
    assert.deepEqual(fired, [undefined, "b"]);
    assert.deepEqual(tree.getChildren(), kept);
    assert.equal(tree.getTreeItem(kept[1] as Node<string>).description, "2");
    tree.update([node("a", "1")]);
    assert.deepEqual(fired, [undefined, "b", undefined]);
    assert.equal(tree.getChildren()[0], kept[0]);
  });

  it("say on hovering what is true now: a row that was hovered over is drawn again when only that changed", () => {
    const tree = new RowTree<string>(SCREEN);
    const said = (load: string): Node<string> => {
      const plain = node("a", "running");
      return { ...plain, view: { ...plain.view, tooltip: () => ({ title: "a", facts: [["Load", load]] }) } };
    };
    tree.update([said("1")]);
    const fired = watched(tree);
    tree.update([said("2")]);
    assert.deepEqual(fired, [], "nobody has seen what changed");
    assert.match(hover(tree, tree.roots[0] as Node<string>).value, /Load: 2/);
    tree.update([said("2")]);
    tree.update([said("3")]);
    assert.deepEqual(fired, ["a"]);
    assert.match(hover(tree, tree.roots[0] as Node<string>).value, /Load: 3/);
  });

  it("come and go below their heading without the rest being drawn again", () => {
    const tree = new RowTree<string>(SCREEN);
    const list = (...below: string[]): Node<string>[] => [
      { ...node("first", "1"), children: [node("kept", "1")] },
      { ...node("second", "1"), children: below.map((id) => node(id, "1")) },
    ];
    tree.update(list("a"));
    const fired = watched(tree);
    tree.update(list("a", "b"));
    assert.deepEqual(fired, ["second"]);
    assert.deepEqual(
      tree.roots[1]?.children.map(({ view }) => view.id),
      ["a", "b"],
    );
    tree.update(list());
    assert.deepEqual(fired, ["second", undefined], "a heading that can no longer be unfolded is another row");
  });

  it("are asked for all at once where many changed, and one that came back is a new one", () => {
    const tree = new RowTree<string>(SCREEN);
    const many = (description: string) => Array.from({ length: 60 }, (_, at) => node(`r${at}`, description));
    tree.update(many("1"));
    const fired = watched(tree);
    const [first, second] = tree.roots;
    tree.update(many("2"));
    assert.deepEqual(fired, [undefined]);
    assert.equal(tree.roots[0], first);
    tree.update(many("2").slice(1));
    tree.update(many("2"));
    assert.notEqual(tree.roots[0], first);
    assert.equal(tree.roots[1], second);
  });

  it("say what opens them, and a click on one that nothing opens runs nothing", () => {
    const tree = new RowTree<string>(SCREEN);
    const plain = node("a", "1");
    tree.update([{ ...plain, view: { ...plain.view, opens: commands.instanceShow } }, node("b", "1")]);
    const [first, second] = tree.getChildren();
    assert.ok(first && second);
    const { command } = tree.getTreeItem(first);
    assert.equal(command?.command, commands.openRow);
    assert.equal(command.arguments?.[0], first, "the row itself, so that its account goes with it");
    assert.equal(tree.getTreeItem(second).command, undefined);
  });

  it("draw what a server says as text: no link, no image, no markup, no trust", () => {
    const tree = new RowTree<string>(SCREEN);
    const hostile = "[x](command:workbench.action.quit) ![i](https://example.invalid/t.png) **b**";
    tree.update([node("a", hostile)]);
    const tooltip = hover(tree, tree.getChildren()[0] as Node<string>);
    assert.equal(tooltip.isTrusted, false);
    assert.equal(tooltip.supportHtml, false);
    assert.doesNotMatch(tooltip.value, /(?<!\\)\[x\]|(?<!\\)!\[|(?<!\\)\*\*b/);
  });
});
