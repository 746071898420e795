// Templates of strangers in forms, tabs and files, and a service that refuses to save them.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { openFile, SOON, until } from "../person/support.ts";
import { button, field, says } from "../person/template-form.ts";
import { FILE, say, step } from "./stage.ts";

const TYPED = "Typed by a person.";

export function templates(): void {
  step("the form: refused, then changed elsewhere; what was typed stays", "40-form", async (all) => {
    const { window, service, sandbox } = all;
    await window.rowMenu(/^My nightly/, "Edit Template");
    await says(window, /^Saved · hash/);
    await window.screenshot("hostile-40-open");
    await field(window, "Description").fill(TYPED);
    await field(window, "Description").blur();
    for (const mood of ["400", "200"] as const) {
      service.mood = mood;
      await button(window, "Save").click();
      await says(window, /^Not saved/);
      assert.equal(await field(window, "Description").inputValue(), TYPED);
      service.mood = "obliging";
    }
    await window.screenshot("hostile-40-refused");
    const { templates: library, account } = sandbox.world;
    const mine = library.list().find(({ name }) => name?.startsWith("My nightly"));
    assert.ok(mine);
    library.edit(mine.hash_id, { desc: "Theirs [x](command:workbench.action.terminal.new)" }, account.id);
    await button(window, "Save").click();
    await says(window, /changed (this template|elsewhere)|was changed/i);
    assert.equal(await field(window, "Description").inputValue(), TYPED);
    await window.command("View: Close Editor");
    await say(window, /unsaved changes/);
  });

  step("a stranger's form", "41-stranger", async ({ window }) => {
    await window.rowMenu(/^ComfyUI/, "Duplicate Template");
    await says(window, /Not created yet|Unsaved changes/);
    await window.screenshot("hostile-41-open");
    await window.command("View: Close Editor");
    await say(window, /unsaved changes/);
  });

  step("the editor's own “Failed to save” says what the service said", "42-script", async ({ window, service }) => {
    await window.rowMenu(/^My nightly/, "Edit Start Script");
    await window.page.locator(".tab.active", { hasText: "onstart.sh" }).waitFor({ timeout: SOON });
    const text = window.page.locator(".editor-instance .monaco-editor").first();
    await text.click();
    await window.page.keyboard.press("Control+a");
    await window.page.keyboard.insertText("#!/bin/bash\necho typed\n");
    service.mood = "400";
    await window.page.keyboard.press("Control+s");
    await window.dialogButton("Save");
    await window.waitForNotification(/^Failed to save/);
    await window.screenshot("hostile-42-failed");
    service.mood = "obliging";
    assert.equal(await window.page.locator(".tab.dirty").count(), 1);
    await text.locator(".view-line", { hasText: "echo typed" }).waitFor({ timeout: SOON });
    await window.clearNotifications();
    await window.command("File: Revert File");
    await window.page.locator(".tab.dirty").waitFor({ state: "detached", timeout: SOON });
    for (const [at, row] of [/^Scratch/, /^ComfyUI/].entries()) {
      await window.rowMenu(row, at === 0 ? "Edit Readme" : "Show Readme");
      // What opens late takes the focus, and with it the palette, away.
      await window.page
        .locator(".tab", { hasText: /readme\.md$/i })
        .nth(at)
        .waitFor({ timeout: SOON });
      await window.page.locator(".statusbar-item", { hasText: "Markdown" }).waitFor({ timeout: SOON });
    }
    await window.screenshot("hostile-42-readme");
    await window.closeAllEditors();
  });

  step("search, and a deletion that is refused", "43-search", async ({ window, service }) => {
    await window.command("Cloud GPU: Search Templates…");
    await window.page
      .locator('.quick-input-widget a.action-label[aria-label^="Search with the service"]')
      .first()
      .click();
    await window.quickPick("Add Filter…");
    await window.quickPick("recommended");
    await window.quickPick("eq");
    await window.quickTitle(/recommended is/);
    await window.quickAnswer("true");
    await window.quickPick("Search");
    await window.waitForRow(/^Search recommended = true, 8 templates/);
    await window.rowMenu(/^Search recommended/, "Clear Template Search");
    await window.rowMenu(/^Scratch/, "Delete Template…");
    await window.dialog();
    service.mood = "400";
    const { length } = service.writes;
    await window.dialogButton("Delete");
    // Progress is a message as well: what follows must not begin before the refusal.
    await until("it was asked for", () => service.writes.length > length);
    await say(window, /\S/);
    service.mood = "obliging";
    await window.waitForRow(/^Scratch/);
  });
}

export function files(): void {
  step("a stranger's file in Restricted Mode: its lenses and what is wrong with it", "50-file", async (all) => {
    const { window, folder, service } = all;
    const before = await readFile(join(folder, FILE), "utf8");
    const writes = service.writes.length;
    await openFile(window, FILE);
    await window.codeLens("Push").waitFor({ timeout: SOON });
    await window.command("View: Focus Problems (Errors, Warnings, Infos)");
    const problems = window.page.locator(".markers-panel .monaco-list-row");
    for (const said of [/can't be used/, /command:workbench/])
      await problems.filter({ hasText: said }).first().waitFor({ timeout: SOON });
    await window.screenshot("hostile-50-problems");
    await window.command("View: Toggle Panel Visibility");
    await window.pressCodeLens("Push");
    await say(window, /Nothing was sent/);
    await window.pressCodeLens("Launch");
    await say(window, /Nothing was sent/);
    await window.page.locator(".editor-instance .view-line span span", { hasText: "__proto__" }).first().hover();
    await window.page.locator(".monaco-hover:visible").first().waitFor({ timeout: SOON });
    await window.screenshot("hostile-50-hover");
    assert.equal(await readFile(join(folder, FILE), "utf8"), before);
    assert.equal(service.writes.length, writes);
    await window.closeAllEditors();
  });
}
