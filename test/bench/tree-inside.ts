// Runs inside the extension host: how long the editor takes to ask a tree for 10,000 rows anew, ours and a bare one.
import { writeFile } from "node:fs/promises";
import * as vscode from "vscode";
import { Template } from "../../src/domain/template.ts";
import { templateRow } from "../../src/present/templates.ts";
import { type Node, RowTree } from "../../src/ui/trees/rows.ts";
import { median } from "./measure.ts";

const ROWS = 10_000;
const ROUNDS = 9;

const templates = Array.from({ length: ROWS + 1 }, (_, index) =>
  Template.parse({
    id: index + 1,
    hash_id: `h${index}`,
    name: `Template ${index}`,
    image: `owner/image-${index}`,
    desc: "What it is for",
  }),
);

/** Counts the rows the editor asked for, and says when it has all of them. */
class Counter {
  #left = 0;
  #done = () => {};

  expect(rows: number): Promise<void> {
    this.#left = rows;
    return new Promise((resolve) => {
      this.#done = resolve;
    });
  }

  readonly count = (): void => {
    this.#left -= 1;
    if (this.#left === 0) setImmediate(this.#done);
  };
}

/** Rows made beforehand, with nothing but what is seen: what such a list costs the editor itself. */
class Bare implements vscode.TreeDataProvider<vscode.TreeItem> {
  readonly #changed = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #counter: Counter;
  #items: vscode.TreeItem[] = [];

  constructor(counter: Counter) {
    this.#counter = counter;
  }

  show(items: vscode.TreeItem[]): void {
    this.#items = items;
    this.#changed.fire(undefined);
  }

  getChildren(item?: vscode.TreeItem): vscode.TreeItem[] {
    return item ? [] : this.#items;
  }

  getTreeItem(item: vscode.TreeItem): vscode.TreeItem {
    this.#counter.count();
    return item;
  }
}

class Counted extends RowTree<Template> {
  readonly #counter: Counter;

  constructor(counter: Counter) {
    super();
    this.#counter = counter;
  }

  override getTreeItem(node: Node<Template>): vscode.TreeItem {
    this.#counter.count();
    return super.getTreeItem(node);
  }
}

function bareItems(count: number): vscode.TreeItem[] {
  return templates.slice(0, count).map((template) => {
    const view = templateRow(template, "bench", undefined);
    const item = new vscode.TreeItem(view.label);
    item.id = view.id;
    item.description = view.description;
    item.iconPath = new vscode.ThemeIcon(view.icon);
    item.accessibilityInformation = { label: view.accessible };
    return item;
  });
}

async function timed(counter: Counter, rows: number, show: () => void): Promise<number> {
  const started = performance.now();
  const shown = counter.expect(rows);
  show();
  await shown;
  return performance.now() - started;
}

export async function run(): Promise<void> {
  const [floorCounter, ourCounter] = [new Counter(), new Counter()];
  const [floor, ours] = [new Bare(floorCounter), new Counted(ourCounter)];
  const [floorView, ourView] = [
    vscode.window.createTreeView("bench.floor", { treeDataProvider: floor }),
    vscode.window.createTreeView("bench.ours", { treeDataProvider: ours }),
  ];
  const times: { floor: number[]; ours: number[] } = { floor: [], ours: [] };
  for (let round = 0; round < ROUNDS + 2; round += 1) {
    // One row more or less each time: the whole list is drawn anew.
    const rows = ROWS + (round % 2);
    const items = bareItems(rows);
    await vscode.commands.executeCommand("bench.floor.focus");
    const floorTime = await timed(floorCounter, rows, () => floor.show(items));
    await vscode.commands.executeCommand("bench.ours.focus");
    const ourTime = await timed(ourCounter, rows, () =>
      ours.update(
        templates.slice(0, rows).map((of) => ({ view: templateRow(of, "bench", undefined), of, children: [] })),
      ),
    );
    if (round < 2) continue;
    times.floor.push(floorTime);
    times.ours.push(ourTime);
  }
  floorView.dispose();
  ourView.dispose();
  const result = { passed: 1, failed: 0, failures: [], floor: median(times.floor), ours: median(times.ours) };
  await writeFile(process.env.CLOUD_GPU_TEST_REPORT ?? "", JSON.stringify(result));
}
