// One window of the real editor, driven through what a person sees and can press.

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, FrameLocator, Locator, Page } from "playwright-core";
import { type Development, develop } from "./development.ts";
import { eventually, press, type Wanted } from "./lists.ts";
import * as prompts from "./prompts.ts";
import * as quick from "./quick-input.ts";
import * as trees from "./trees.ts";

/** Milliseconds that a busy machine is given for anything that no test says more of. */
export const PATIENCE = 60_000;
/** Milliseconds for which something that is drawn again again and again must stay. */
const SETTLED = 500;
const PICTURES = join(import.meta.dirname, "..", "..", "dist", "pictures");

export class Workbench {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  /** A fresh window of its own browser profile; close it with `close`. */
  /** `deviceScaleFactor`: pixels of a picture for each of the page's. */
  static async inBrowser(
    browser: Browser,
    size = { width: 1280, height: 800 },
    deviceScaleFactor = 1,
  ): Promise<Workbench> {
    const context = await browser.newContext({ viewport: size, deviceScaleFactor });
    context.setDefaultTimeout(PATIENCE);
    return new Workbench(await context.newPage());
  }

  /** Opens a running editor, with the extension folder and language it was started for, and waits until its parts are there. */
  async open(editor: { url: string } & Development): Promise<void> {
    const { url, ...development } = editor;
    await develop(this.page, development);
    await this.page.goto(url);
    await this.ready();
  }

  async reload(): Promise<void> {
    await this.page.reload();
    await this.ready();
  }

  async close(): Promise<void> {
    await this.page.context().close();
  }

  private async ready(): Promise<void> {
    await this.page.locator(".monaco-workbench .part.statusbar .statusbar-item").first().waitFor({ timeout: PATIENCE });
    await this.page.locator(".activitybar .action-item").first().waitFor({ timeout: PATIENCE });
  }

  /** Runs a command from the palette by its whole label, category and all. */
  command(label: string): Promise<void> {
    return quick.command(this.page, label);
  }

  quickSays(text: string | RegExp): Promise<void> {
    return quick.quickSays(this.page, text);
  }
  quickTitle(wanted?: Wanted): Promise<string> {
    return quick.quickTitle(this.page, wanted);
  }

  quickItems(): Promise<quick.QuickItem[]> {
    return quick.quickItems(this.page);
  }

  quickType(text: string): Promise<void> {
    return quick.quickType(this.page, text);
  }

  quickPick(wanted: Wanted, timeout?: number): Promise<void> {
    return quick.quickPick(this.page, wanted, timeout);
  }

  quickAnswer(text: string): Promise<void> {
    return quick.quickAnswer(this.page, text);
  }

  quickAccept(): Promise<void> {
    return quick.quickAccept(this.page);
  }

  quickBack(): Promise<void> {
    return quick.quickBack(this.page);
  }

  quickClose(): Promise<void> {
    return quick.quickClose(this.page);
  }

  quickRefused(text: string, says: RegExp): Promise<string> {
    return quick.quickRefused(this.page, text, says);
  }

  openContainer(title: string): Promise<void> {
    return trees.openContainer(this.page, title);
  }

  foldView(title: string): Promise<void> {
    return trees.foldView(this.page, title);
  }

  treeRows(viewTitle: string): Promise<string[]> {
    return trees.treeRows(this.page, viewTitle);
  }

  waitForRow(wanted: Wanted, timeout?: number): Promise<Locator> {
    return trees.waitForRow(this.page, wanted, timeout);
  }

  waitForRowIn(viewTitle: string, wanted: Wanted): Promise<Locator> {
    return trees.waitForRowIn(this.page, viewTitle, wanted);
  }

  clickRow(row: Wanted): Promise<void> {
    return trees.clickRow(this.page, row);
  }

  toggleRow(row: Wanted): Promise<void> {
    return trees.toggleRow(this.page, row);
  }

  rowMenu(row: Wanted, item: string): Promise<void> {
    return trees.rowMenu(this.page, row, item);
  }

  /** Opens a row's menu, reads its entries and closes it again. */
  async rowMenuItems(row: Wanted): Promise<string[]> {
    const entries = await trees.openRowMenu(this.page, row);
    await trees.closeMenu(this.page);
    return entries;
  }

  rowButton(row: Wanted, name: string): Promise<void> {
    return trees.rowButton(this.page, row, name);
  }

  hover(row: Wanted): Promise<string> {
    return trees.hover(this.page, row);
  }

  viewMessage(viewTitle: string): Promise<string> {
    return trees.viewMessage(this.page, viewTitle);
  }

  welcomeText(viewTitle: string): Promise<string> {
    return trees.welcomeText(this.page, viewTitle);
  }

  notifications(): Promise<prompts.Notification[]> {
    return prompts.notifications(this.page);
  }

  waitForNotification(wanted: Wanted, timeout?: number): Promise<string> {
    return prompts.waitForNotification(this.page, wanted, timeout);
  }

  clearNotifications(): Promise<void> {
    return prompts.clearNotifications(this.page);
  }

  notificationButton(text: string): Promise<void> {
    return prompts.notificationButton(this.page, text);
  }

  /** Closes what asks something, as Escape does: dialogs, boxes and menus. */
  async leaveQuestions(): Promise<void> {
    const open = this.page.locator(".monaco-dialog-box, .quick-input-widget, .monaco-menu").filter({ visible: true });
    for (let turn = 0; turn < 5 && (await open.count()) > 0; turn += 1) await this.page.keyboard.press("Escape");
  }

  dialog(): Promise<prompts.Dialog> {
    return prompts.dialog(this.page);
  }

  dialogButton(text: string): Promise<void> {
    return prompts.dialogButton(this.page, text);
  }

  /** The inside of the web view in sight: the extension's page is two frames deep. */
  webview(): FrameLocator {
    return this.page.frameLocator("iframe.webview.ready:visible").frameLocator("#active-frame");
  }

  /** Closes every tab once what was saved is saved: a tab whose save is under way looks saved, and would be asked about. */
  async closeAllEditors(): Promise<void> {
    await this.page.locator('.activitybar a[aria-label*="unsaved file"]').waitFor({ state: "hidden", timeout: 60_000 });
    await this.command("View: Close All Editors");
  }

  /** What can be done with a file, above its lines. */
  codeLens(name: string): Locator {
    return this.page.locator(".codelens-decoration a", { hasText: name }).first();
  }

  /** Presses it once the editor has stopped drawing it again: a press on the one before is lost. */
  async pressCodeLens(name: string): Promise<void> {
    const lens = this.codeLens(name);
    await lens.waitFor();
    const pressSettled = async () => {
      const found = await lens.elementHandle({ timeout: 3000 }).catch(() => null);
      await this.page.waitForTimeout(SETTLED);
      if (!(await found?.isVisible())) return undefined;
      return press(lens).then(
        () => true,
        () => undefined,
      );
    };
    if (!(await eventually(this.page, pressSettled, PATIENCE))) throw new Error(`${name} cannot be pressed`);
  }

  /** What a screen reader would read for each entry of the status bar, left to right. */
  async statusBar(): Promise<string[]> {
    const entries = this.page.locator(".part.statusbar .statusbar-item");
    return entries.evaluateAll((all) => all.map((entry) => entry.getAttribute("aria-label") ?? ""));
  }

  /** A picture of the window in `dist/pictures`. */
  async screenshot(name: string): Promise<string> {
    await mkdir(PICTURES, { recursive: true });
    const path = join(PICTURES, `${name}.png`);
    await this.page.screenshot({ path, animations: "disabled", caret: "hide" });
    return path;
  }
}
