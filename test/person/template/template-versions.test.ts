// Template files with the sidebar closed, and several hands on one template: two people on its start script, a reload with unsaved text, a window that died.
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { Locator } from "playwright-core";
import type { Workbench } from "../../editor/page.ts";
import { changeElsewhere, ownFolder, SOON, stage, step, storageFolder, storedTemplate, until } from "../support.ts";
import { field, says } from "../template-form.ts";
import { walkFileAlone } from "./file-alone.ts";
import { completeMerge, mergeMine } from "./merge-view.ts";

const folder = await ownFolder();
const person = stage({
  signedIn: true,
  folder,
  settings: {
    "files.autoSave": "off",
    "editor.minimap.enabled": false,
    "editor.autoIndent": "none",
    "security.workspace.trust.enabled": false,
  },
});

walkFileAlone(person, folder);

const MINE = /^My nightly/;
const OTHER = /^Scratch Ubuntu/;

const NAME = "My nightly fine-tune";
const stored = () => storedTemplate(person(), NAME);
const elsewhere = (change: Record<string, unknown>): void => changeElsewhere(person(), NAME, change);
const line = (window: Workbench, text: string): Locator =>
  window.page.locator(".editor-instance .view-line", { hasText: text }).first();
const about = (window: Workbench): Locator => field(window, "Description");

async function retype(window: Workbench, text: string): Promise<void> {
  await window.page.locator(".editor-instance .monaco-editor").first().click();
  await window.page.keyboard.press("Control+a");
  await window.page.keyboard.insertText(text);
}

async function describe(window: Workbench, text: string): Promise<void> {
  await about(window).fill(text);
  await about(window).blur();
  await says(window, /● Unsaved changes: Description/);
}

step(
  "a script two people changed: nothing is overwritten, both versions are shown",
  "70-merge",
  person,
  async (all) => {
    const { window } = all;
    await window.clearNotifications();
    await window.closeAllEditors();
    await window.openContainer("Cloud GPU");
    await window.waitForRow(MINE);
    elsewhere({ onstart: "#!/bin/bash\necho start\n" });
    await window.command("Cloud GPU: Refresh");
    await window.rowMenu(MINE, "Edit Start Script");
    await line(window, "echo start").waitFor({ timeout: SOON });
    await retype(window, "#!/bin/bash\necho mine\n");
    // Another language closes and opens the document; what its text is an edit of must survive that.
    await until("the language is Python", async () => {
      await window.command("Change Language Mode");
      // The editor's own list goes away when the focus does, which comes late on a busy machine.
      await window.quickPick(/^Python/, 5000).catch(() => {});
      return window.page.locator(".statusbar-item", { hasText: "Python" }).isVisible();
    });
    elsewhere({ onstart: "#!/bin/bash\necho theirs\n" });
    await window.page.keyboard.press("Control+s");
    await window.dialogButton("Save");
    await window.waitForNotification(/changed elsewhere\. Nothing was overwritten/);
    await window.page
      .locator(".merge-editor .view-line", { hasText: "echo theirs" })
      .first()
      .waitFor({ timeout: SOON });
    await window.page.locator(".merge-editor .view-line", { hasText: "echo mine" }).first().waitFor({ timeout: SOON });
    assert.equal(stored().onstart, "#!/bin/bash\necho theirs\n");
  },
);

step("a result that keeps neither change is asked about", person, async ({ window }) => {
  await window.clearNotifications();
  await completeMerge(window);
  const { message } = await window.dialog();
  assert.match(message, /Some conflicts are unresolved/);
  await window.screenshot("70-undecided-question");
  await window.dialogButton("Cancel");
  await window.page.locator(".merge-editor").waitFor({ timeout: SOON });
});

step("the merged script comes back to its tab, and is what is saved", person, async ({ window }) => {
  await mergeMine(window);
  await line(window, "echo mine").waitFor({ timeout: SOON });
  assert.equal(stored().onstart, "#!/bin/bash\necho theirs\n");
  await window.page.keyboard.press("Control+s");
  await until("saved", () => stored().onstart === "#!/bin/bash\necho mine\n");
});

/** The editor writes down which tabs are open once a minute, and as a window closes where the browser leaves it the time. */
async function storesTab({ page }: Workbench, name: string): Promise<void> {
  const stored = `(async () => {
    for (const { name } of await indexedDB.databases()) {
      const asked = (request) => new Promise((done, fail) => {
        request.onsuccess = () => done(request.result);
        request.onerror = () => fail(request.error);
      });
      const database = await asked(indexedDB.open(name));
      const stores = [...database.objectStoreNames];
      const values = stores.map((store) => asked(database.transaction(store).objectStore(store).getAll()));
      const texts = (await Promise.all(values)).flat().filter((value) => typeof value === "string");
      const found = texts.some((text) => text.includes("fileEditorInput") && text.includes(${JSON.stringify(name)}));
      database.close();
      if (found) return true;
    }
    return false;
  })()`;
  await until(`the tab ${name} is written down`, () => page.evaluate<boolean>(stored), 2 * SOON);
}

step(
  "an unsaved script is there again after a reload, and still no one's change is overwritten",
  person,
  async ({ window }) => {
    const tab = (state: string) => window.page.locator(`.tab[aria-label*="· onstart.sh"]${state}`);
    await tab(":not(.dirty)").waitFor({ timeout: SOON });
    const readme = window.page.locator(".tab", { hasText: "README.md" });
    await window.rowMenu(MINE, "Edit Readme");
    await readme.waitFor({ timeout: SOON });
    await tab("").click();
    await retype(window, "#!/bin/bash\necho after the reload\n");
    await tab(".dirty").waitFor({ timeout: SOON });
    // As long as what it replaces: the editor itself would not notice.
    elsewhere({ onstart: "#!/bin/bash\necho hers\n" });
    // The editor puts unsaved text aside a second after the last key; who reloads before that is warned by the browser.
    await window.page.waitForTimeout(4000);
    await storesTab(window, "readme.md");
    await window.reload();
    // Which of the two was in front is a thing the editor remembers, or not.
    await tab(".dirty").click({ timeout: SOON });
    await line(window, "echo after the reload").waitFor({ timeout: SOON });
    await tab(".dirty").waitFor({ timeout: SOON });
    await window.openContainer("Cloud GPU");
    await window.waitForRow(MINE);
    assert.equal(await readme.count(), 1, "a tab with nothing unsaved comes back as well");
    await window.page.locator(".editor-instance .monaco-editor").first().click();
    await window.page.keyboard.press("Control+s");
    // The editor itself may notice first. Even what it then calls overwriting overwrites nothing.
    const newer = window.page.locator(".notification-list-item", { hasText: "The content of the file is newer" });
    await newer.or(window.page.locator(".monaco-dialog-box")).first().waitFor({ timeout: SOON });
    if (await newer.isVisible()) await newer.getByRole("button", { name: "Overwrite" }).click();
    await window.dialogButton("Save");
    await window.waitForNotification(/changed elsewhere\. Nothing was overwritten/);
    assert.equal(stored().onstart, "#!/bin/bash\necho hers\n");
    await window.clearNotifications();
    await mergeMine(window);
    await line(window, "echo after the reload").waitFor({ timeout: SOON });
    await window.page.keyboard.press("Control+s");
    await until("saved", () => stored().onstart === "#!/bin/bash\necho after the reload\n");
    await tab(":not(.dirty)").waitFor({ timeout: SOON });
    await window.closeAllEditors();
  },
);

/** The page hands over what is typed a moment after the last key; a window that ends within that moment takes it along. */
async function waitForDraft(typed: string): Promise<void> {
  const folder = join(storageFolder(person().editor), "drafts");
  await until(`“${typed}” is stored as a draft`, async () => {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
    const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
    const texts = await Promise.all(files.map((path) => readFile(path, "utf8").catch(() => "")));
    return texts.some((text) => text.includes(typed));
  });
}

test("a window that died has its draft again", async () => {
  const { window, anotherWindow } = person();
  await window.page.bringToFront();
  await window.openContainer("Cloud GPU");
  await window.rowMenu(OTHER, "Edit Template");
  await says(window, /^Scratch Ubuntu$/);
  await says(window, /^Saved · hash/);
  await describe(window, "Typed before the crash.");
  await waitForDraft("Typed before the crash.");
  const devtools = await window.page.context().newCDPSession(window.page);
  const died = window.page.waitForEvent("crash");
  void devtools.send("Page.crash").catch(() => {});
  await died;
  const next = await anotherWindow();
  await next.openContainer("Cloud GPU");
  await next.waitForRow(OTHER);
  await next.rowMenu(OTHER, "Edit Template");
  await says(next, /^Scratch Ubuntu$/);
  await says(next, /Restored your unsaved changes from/);
  assert.equal(await about(next).inputValue(), "Typed before the crash.");
  await next.screenshot("75-after-the-crash");
});
