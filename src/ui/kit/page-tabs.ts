// The tabs of one kind of page: one for each thing that such a page is about.
import * as vscode from "vscode";
import { pages, panels } from "../../ids.ts";
import type { Disposable } from "../../lib/disposable.ts";
import type { PageName } from "../../protocol/messages.ts";
import { getPageFolder, renderPageHtml } from "./page-html.ts";

/** Answers the page in a tab. @returns what ends with the tab. */
type Fill = (panel: vscode.WebviewPanel) => Disposable;

const kinds: Readonly<Record<PageName, string>> = { ...pages, ...panels };

export class PageTabs<Key> implements Disposable {
  readonly #extension: vscode.Uri;
  readonly #page: PageName;
  readonly #open = new Map<Key, vscode.WebviewPanel>();

  constructor(extension: vscode.Uri, page: PageName) {
    this.#extension = extension;
    this.#page = page;
  }

  /** Shows the tab that is open for it, or opens one. */
  show(key: Key, title: string, fill: Fill): void {
    const open = this.#open.get(key);
    if (open) {
      open.reveal();
      return;
    }
    // What someone sorted, scrolled or typed is still there when they come back to the tab.
    const options = { retainContextWhenHidden: true };
    this.fill(vscode.window.createWebviewPanel(kinds[this.#page], title, vscode.ViewColumn.Active, options), key, fill);
  }

  /** Fills a tab that the editor opened. */
  fill(panel: vscode.WebviewPanel, key: Key, fill: Fill): void {
    const { webview } = panel;
    webview.options = { enableScripts: true, localResourceRoots: [getPageFolder(this.#extension)] };
    this.#open.set(key, panel);
    const filling = fill(panel);
    panel.onDidDispose(() => {
      this.#open.delete(key);
      filling.dispose();
    });
    webview.html = renderPageHtml(webview, this.#extension, this.#page);
  }

  close(key: Key): void {
    this.#open.get(key)?.dispose();
  }

  /** Closes all of them. */
  clear(): void {
    for (const panel of [...this.#open.values()]) panel.dispose();
  }

  dispose(): void {
    this.clear();
  }
}
