// A tree drawn from plain rows: it fires only the rows that changed and keeps the others under the cursor.
import * as vscode from "vscode";
import type { Facts, RowView } from "../../present/row.ts";

/** A row, and the thing it stands for. */
export interface Node<T> {
  readonly view: RowView;
  readonly of: T | undefined;
  readonly children: readonly Node<T>[];
}

export class RowTree<T> implements vscode.TreeDataProvider<Node<T>> {
  readonly #changed = new vscode.EventEmitter<Node<T> | undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  #roots: readonly Node<T>[] = [];
  /** One object a row for as long as the row lives: the editor recognises nodes by identity. */
  #nodes = new Map<string, Node<T>>();
  #drawn = new Map<string, string>();

  get roots(): readonly Node<T>[] {
    return this.#roots;
  }

  /** Takes new rows over. Same rows in the same order: only changed ones are drawn again. */
  update(next: readonly Node<T>[]): void {
    const before = this.#drawn;
    const sameShape = shape(this.#roots) === shape(next);
    this.#drawn = new Map();
    const alive = new Map<string, Node<T>>();
    this.#roots = next.map((node) => this.#adopt(node, alive));
    this.#nodes = alive;
    if (!sameShape) this.#changed.fire(undefined);
    else for (const [id, drawn] of this.#drawn) if (before.get(id) !== drawn) this.#changed.fire(alive.get(id));
  }

  #adopt(node: Node<T>, alive: Map<string, Node<T>>): Node<T> {
    const kept = (this.#nodes.get(node.view.id) ?? {}) as { -readonly [K in keyof Node<T>]: Node<T>[K] };
    kept.view = node.view;
    kept.of = node.of;
    kept.children = node.children.map((child) => this.#adopt(child, alive));
    alive.set(node.view.id, kept);
    this.#drawn.set(node.view.id, JSON.stringify(node.view));
    return kept;
  }

  getChildren(node?: Node<T>): Node<T>[] {
    return [...(node ? node.children : this.#roots)];
  }

  getParent(node: Node<T>): Node<T> | undefined {
    return [...this.#nodes.values()].find((other) => other.children.includes(node));
  }

  getTreeItem({ view, children }: Node<T>): vscode.TreeItem {
    const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState;
    const item = new vscode.TreeItem(view.label, children.length === 0 ? None : view.folded ? Collapsed : Expanded);
    item.id = view.id;
    item.description = view.description;
    item.contextValue = view.context;
    item.accessibilityInformation = { label: view.accessible };
    item.tooltip = markdown(view.tooltip);
    if (view.command) item.command = { command: view.command, title: view.label };
    if (view.icon !== "")
      item.iconPath = new vscode.ThemeIcon(view.icon, view.color ? new vscode.ThemeColor(view.color) : undefined);
    return item;
  }

  dispose(): void {
    this.#changed.dispose();
  }
}

function shape(nodes: readonly Node<unknown>[]): string {
  const ids = (node: Node<unknown>): unknown => [node.view.id, node.children.map(ids)];
  return JSON.stringify(nodes.map(ids));
}

/** Every character that Markdown could take for markup, a link or an icon. `appendText` would forbid line breaks as well. */
function asText(text: string): string {
  return text.replace(/[!-/:-@[-`{-~]/g, "\\$&");
}

/** Values come from a server: they are escaped throughout, so no link, image or markup of theirs is ever drawn. */
function markdown({ title, facts }: Facts): vscode.MarkdownString | undefined {
  if (title === "") return undefined;
  // Two blanks end a line without ending the paragraph: all of it fits on a screen.
  const lines = facts.map(([name, value]) => `${asText(name)}: ${asText(value)}  \n`);
  const text = new vscode.MarkdownString(`**${asText(title)}**\n\n${lines.join("")}`, false);
  text.supportHtml = false;
  text.isTrusted = false;
  return text;
}
