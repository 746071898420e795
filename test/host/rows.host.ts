// The tree's rows in the real editor: kept under the cursor, drawn again only where they changed, text drawn as text.
import assert from "node:assert/strict";
import type { MarkdownString } from "vscode";
import type { RowView } from "../../src/present/row.ts";
import { type Node, RowTree } from "../../src/ui/trees/rows.ts";

function node(id: string, description: string): Node<string> {
  const view: RowView = {
    id,
    label: id,
    description,
    icon: "vm",
    color: undefined,
    context: "x",
    accessible: id,
    tooltip: { title: id, facts: [["Status", description]] },
  };
  return { view, of: id, children: [] };
}

describe("rows", () => {
  it("fire alone when they change, and all together only when rows come or go", () => {
    const tree = new RowTree<string>();
    const fired: (string | undefined)[] = [];
    tree.onDidChangeTreeData((changed) => fired.push(changed?.view.id));
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

  it("draw what a server says as text: no link, no image, no markup, no trust", () => {
    const tree = new RowTree<string>();
    const hostile = "[x](command:workbench.action.quit) ![i](https://example.invalid/t.png) **b**";
    tree.update([node("a", hostile)]);
    const tooltip = tree.getTreeItem(tree.getChildren()[0] as Node<string>).tooltip as MarkdownString;
    assert.equal(tooltip.isTrusted, false);
    assert.equal(tooltip.supportHtml, false);
    assert.doesNotMatch(tooltip.value, /(?<!\\)\[x\]|(?<!\\)!\[|(?<!\\)\*\*b/);
  });
});
