// A tree drawn from plain rows. It refreshes only the rows that changed and keeps the others as they are.
import * as vscode from "vscode";
import { commands } from "../../ids.ts";
import { keepSides } from "../../lib/markup.ts";
import type { Facts, RowView } from "../../present/base/row.ts";
import { FullRedraw, type Screen } from "./full-redraw.ts";

/** A row, and the thing it represents. */
export interface Node<T> {
  readonly view: RowView;
  readonly of: T | undefined;
  readonly children: readonly Node<T>[];
  /** The account it was drawn for: its commands never act in another account. Set when the row is drawn. */
  readonly account?: RowAccount | undefined;
}

/** Compared by identity. The tree knows nothing else about it. */
type RowAccount = object;

type Kept<T> = { -readonly [K in keyof Node<T>]: Node<T>[K] } & { /** The last update that had it. */ turn: number };

/**
 * If more rows than this changed, the whole list is refreshed at once, because the editor refreshes single rows one by
 * one.
 */
const FEW = 50;

export class RowTree<T> implements vscode.TreeDataProvider<Node<T>> {
  readonly #changed = new vscode.EventEmitter<Node<T> | undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  #roots: readonly Node<T>[] = [];
  /** One object per row for as long as the row exists: the editor identifies nodes by identity. */
  readonly #nodes = new Map<string, Kept<T>>();
  #turn = 0;
  #account: RowAccount | undefined;
  /** Tooltips that were shown: the editor keeps them until the row is drawn again. */
  readonly #said = new Map<string, string>();
  readonly #whole: FullRedraw;

  constructor(screen: Screen) {
    this.#whole = new FullRedraw({ ...screen, redraw: () => this.#changed.fire(undefined) });
  }

  get roots(): readonly Node<T>[] {
    return this.#roots;
  }

  /**
   * Takes new rows and redraws as little as possible: rows that changed, and parents that gained or lost rows. A full
   * redraw makes the editor lose the row that a command was invoked on.
   */
  update(next: readonly Node<T>[], account?: RowAccount): void {
    this.#account = account;
    const reshaped = whereReshaped(this.#roots, next);
    const changed: Node<T>[] = [];
    this.#turn += 1;
    this.#roots = next.map((node) => this.#adopt(node, changed));
    if (reshaped?.length !== 0)
      for (const [id, { turn }] of this.#nodes) if (turn !== this.#turn) this.#nodes.delete(id);
    if (reshaped && changed.length <= FEW) for (const node of new Set([...reshaped, ...changed])) this.#draw(node);
    else this.#draw(undefined);
  }

  #draw(node: Node<T> | undefined): void {
    if (node) {
      this.#said.delete(node.view.id);
      this.#changed.fire(node);
      return;
    }
    this.#said.clear();
    void this.#whole.begin();
  }

  #adopt({ view, of, children }: Node<T>, changed: Node<T>[]): Node<T> {
    const turn = this.#turn;
    const below = children.length === 0 ? NONE : children.map((child) => this.#adopt(child, changed));
    const kept = this.#nodes.get(view.id);
    if (kept === undefined) {
      const made = { view, of, children: below, account: this.#account, turn };
      this.#nodes.set(view.id, made);
      return made;
    }
    const said = this.#said.get(view.id);
    if (!sameLook(kept.view, view) || (said !== undefined && said !== saying(view))) changed.push(kept);
    kept.view = view;
    kept.of = of;
    kept.children = below;
    kept.account = this.#account;
    kept.turn = turn;
    return kept;
  }

  /** The editor may still ask about a group that is gone, such as one of the account before: it has no rows any longer. */
  getChildren(node?: Node<T>): Node<T>[] {
    if (!node) {
      this.#whole.noteAsked();
      return [...this.#roots];
    }
    return this.#nodes.get(node.view.id) === node ? [...node.children] : [];
  }

  getParent(node: Node<T>): Node<T> | undefined {
    return [...this.#nodes.values()].find((other) => other.children.includes(node));
  }

  /** The first row that stands for it, at whatever depth. */
  find(isSought: (of: T | undefined) => boolean): Node<T> | undefined {
    return findBelow(this.#roots, isSought);
  }

  getTreeItem(node: Node<T>): vscode.TreeItem {
    const { view, children } = node;
    const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState;
    const unfolded = view.folded ? Collapsed : Expanded;
    const { label, description } = keepSides(view);
    const item = new vscode.TreeItem(label, children.length === 0 ? None : unfolded);
    item.id = view.id;
    item.description = description;
    item.contextValue = view.context;
    item.accessibilityInformation = { label: view.accessible };
    if (view.command) item.command = { command: view.command, title: view.label };
    if (view.opens) item.command = { command: commands.openRow, title: view.label, arguments: [node] };
    if (view.icon !== "")
      item.iconPath = new vscode.ThemeIcon(view.icon, view.color ? new vscode.ThemeColor(view.color) : undefined);
    return item;
  }

  /** Called by the editor when the person hovers over the row. */
  resolveTreeItem(item: vscode.TreeItem, { view }: Node<T>): vscode.TreeItem {
    if (view.tooltip === undefined) return item;
    this.#said.set(view.id, saying(view));
    item.tooltip = markdown(view.tooltip());
    return item;
  }

  dispose(): void {
    this.#whole.dispose();
    this.#changed.dispose();
  }
}

const NONE: readonly never[] = [];

function findBelow<T>(nodes: readonly Node<T>[], isSought: (of: T | undefined) => boolean): Node<T> | undefined {
  for (const node of nodes) {
    const found = isSought(node.of) ? node : findBelow(node.children, isSought);
    if (found) return found;
  }
  return undefined;
}

/** The nodes that gained or lost children; undefined if the top level did, or if a node can now be expanded. */
function whereReshaped<T>(before: readonly Node<T>[], next: readonly Node<T>[]): Node<T>[] | undefined {
  if (before.length !== next.length) return undefined;
  const found: Node<T>[] = [];
  for (const [index, node] of before.entries()) {
    const other = next[index];
    if (node.view.id !== other?.view.id) return undefined;
    const below = whereReshaped(node.children, other.children);
    if (below) found.push(...below);
    else if (node.children.length === 0 || other.children.length === 0) return undefined;
    else found.push(node);
  }
  return found;
}

/** Everything that a row shows without hovering. Written out for speed, because it runs for every row on every read. */
function sameLook(before: RowView, next: RowView): boolean {
  return (
    before.label === next.label &&
    before.description === next.description &&
    before.icon === next.icon &&
    before.color === next.color &&
    before.context === next.context &&
    before.accessible === next.accessible &&
    before.folded === next.folded &&
    before.opens === next.opens &&
    before.command === next.command
  );
}

function saying({ tooltip }: RowView): string {
  return JSON.stringify(tooltip?.());
}

/**
 * Escapes every character that Markdown could treat as markup, a link or an icon. `appendText` wouldn't allow line
 * breaks.
 */
function asText(text: string): string {
  return text.replace(/[!-/:-@[-`{-~]/g, "\\$&");
}

/** Values come from a server. They are fully escaped, so that no link, image or markup in them is ever rendered. */
function markdown({ title, facts }: Facts): vscode.MarkdownString {
  // Two spaces end a line without ending the paragraph, so that everything fits on a screen.
  const lines = facts.map(([name, value]) => `${asText(name)}: ${asText(value)}  \n`);
  const text = new vscode.MarkdownString(`**${asText(title)}**\n\n${lines.join("")}`, false);
  text.supportHtml = false;
  text.isTrusted = false;
  return text;
}
