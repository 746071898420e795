// Runs inside the extension host: how long the editor takes to show a search of 10,000 templates, ours and bare rows.
import { writeFile } from "node:fs/promises";
import * as vscode from "vscode";
import type { Row } from "../../src/domain/base/wire.ts";
import { Template } from "../../src/domain/template/template.ts";
import { realClock } from "../../src/lib/clock.ts";
import { setTranslator } from "../../src/lib/text.ts";
import { buildTemplateRow } from "../../src/present/template/templates.ts";
import { type Node, RowTree } from "../../src/ui/list/rows.ts";
import { buildTemplateGroups } from "../../src/ui/template/templates-view.ts";
import { median } from "./measure.ts";

const ROWS = 10_000;
const ROUNDS = 15;

const templates = Array.from({ length: ROWS + 1 }, (_, index): Row<Template> => {
  const value = Template.parse({
    id: index + 1,
    hash_id: `h${index}`,
    name: `Template ${index}`,
    image: `owner/image-${index}`,
    desc: "What it is for",
  });
  return { value, raw: value };
});

/** A heading over items made beforehand, with nothing but what is seen: what such a list costs the editor itself. */
class Bare implements vscode.TreeDataProvider<vscode.TreeItem> {
  readonly #changed = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #heading = new vscode.TreeItem("Search", vscode.TreeItemCollapsibleState.Expanded);
  #items: vscode.TreeItem[] = [];

  show(items: vscode.TreeItem[]): void {
    this.#items = items;
    this.#changed.fire(undefined);
  }

  getChildren(item?: vscode.TreeItem): vscode.TreeItem[] {
    if (item === undefined) return [this.#heading];
    return item === this.#heading ? this.#items : [];
  }

  getParent(item: vscode.TreeItem): vscode.TreeItem | undefined {
    return item === this.#heading ? undefined : this.#heading;
  }

  getTreeItem(item: vscode.TreeItem): vscode.TreeItem {
    return item;
  }
}

const since = (stale: boolean) => (stale ? 0 : undefined);

function bareItems(count: number, stale: boolean): vscode.TreeItem[] {
  return templates.slice(0, count).map(({ value }) => {
    const view = buildTemplateRow(value, "bench", since(stale));
    const item = new vscode.TreeItem(view.label);
    item.id = view.id;
    item.description = view.description;
    item.iconPath = new vscode.ThemeIcon(view.icon, view.color ? new vscode.ThemeColor(view.color) : undefined);
    item.accessibilityInformation = { label: view.accessible };
    return item;
  });
}

/** Until the editor has the rows: a row can be brought into sight only after the refresh that brought it. */
async function shown<T>(view: vscode.TreeView<T>, show: () => void, last: () => T): Promise<number> {
  const started = performance.now();
  show();
  await view.reveal(last(), { select: false, focus: false });
  return performance.now() - started;
}

class Subjects {
  readonly #floor = new Bare();
  readonly #ours = new RowTree<Row<Template>>({ clock: realClock, isVisible: () => true });
  readonly #floorView = vscode.window.createTreeView("bench.floor", { treeDataProvider: this.#floor });
  readonly #oursView = vscode.window.createTreeView("bench.ours", { treeDataProvider: this.#ours });

  async floor(rows: number, stale: boolean): Promise<number> {
    const items = bareItems(rows, stale);
    await vscode.commands.executeCommand("bench.floor.focus");
    return shown(
      this.#floorView,
      () => this.#floor.show(items),
      () => items.at(-1) as vscode.TreeItem,
    );
  }

  async ours(rows: number, stale: boolean): Promise<number> {
    const found = { filters: {}, rows: templates.slice(0, rows) };
    const groups = { own: [], recommended: [], popular: [], found, unreadable: 0 };
    await vscode.commands.executeCommand("bench.ours.focus");
    return shown(
      this.#oursView,
      () => this.#ours.update(buildTemplateGroups(groups, "bench", since(stale), () => false)),
      () => this.#ours.roots[0]?.children.at(-1) as Node<Row<Template>>,
    );
  }

  dispose(): void {
    for (const part of [this.#floorView, this.#oursView, this.#ours]) part.dispose();
  }
}

export async function run(): Promise<void> {
  setTranslator(vscode.l10n.t);
  const subjects = new Subjects();
  const times = { floor: [] as number[], ours: [] as number[], staleFloor: [] as number[], stale: [] as number[] };
  for (let round = -2; round < ROUNDS; round += 1) {
    // One row more or less each time: the whole list is drawn again. Then the same rows, each of them grey.
    const rows = ROWS + (Math.abs(round) % 2);
    const sample = {
      floor: await subjects.floor(rows, false),
      ours: await subjects.ours(rows, false),
      staleFloor: await subjects.floor(rows, true),
      stale: await subjects.ours(rows, true),
    };
    if (round < 0) continue;
    for (const name of Object.keys(times) as (keyof typeof times)[]) times[name].push(sample[name]);
  }
  subjects.dispose();
  const medians = Object.fromEntries(Object.entries(times).map(([name, samples]) => [name, median(samples)]));
  const result = { passed: 1, failed: 0, failures: [], ...medians };
  await writeFile(process.env.CLOUD_GPU_TEST_REPORT ?? "", JSON.stringify(result));
}
