// Signing in, and what an account has beside machines and templates: keys, volumes, jobs, tags, webhooks, workergroups.
import assert from "node:assert/strict";
import { KEY_IDS } from "../../src/sandbox/world/keys.ts";
import type { Workbench } from "../editor/page.ts";
import { fillJobs, openJobs, reviewJobs } from "../person/jobs-form.ts";
import { SOON } from "../person/support.ts";
import { field, says } from "../person/template-form.ts";
import { say, step } from "./stage.ts";

export function signingIn(): void {
  step("a refused sign-in says so under its box, and keeps what was typed", "01-refused", async (all) => {
    const { window, other, sandbox } = all;
    await window.openContainer("Cloud GPU");
    await window.command("Cloud GPU: Sign In…");
    await window.quickPick(/^Another Address/);
    await window.quickSays("Service address");
    await window.quickAnswer(other.url);
    await window.quickSays(/API key for/);
    other.mood = "sign-in";
    await window.quickRefused(sandbox.apiKey, /doesn't have permission/);
    assert.equal(await window.page.locator(".quick-input-box input").inputValue(), sandbox.apiKey);
    await window.screenshot("hostile-01-box");
    other.mood = "obliging";
    await window.quickAccept();
    await window.waitForRow(/^My nightly/);
  });

  step("two accounts with names like that", "02-accounts", async ({ window, service, sandbox, probe }) => {
    await window.command("Cloud GPU: Switch Account…");
    await window.quickPick(/^Another Account/);
    await window.quickPick(/^Another Address/);
    await window.quickSays("Service address");
    await window.quickAnswer(service.url);
    await window.quickSays(/API key for/);
    await window.quickAnswer(sandbox.apiKey);
    await window.waitForRow(/^1× lost/);
    const item = window.page.locator('.statusbar-item[aria-label^="Cloud GPU account"]');
    await item.waitFor({ timeout: SOON });
    await hoverStatus(window, "Cloud GPU account");
    await item.click();
    await window.quickTitle("Switch Account");
    assert.equal((await window.quickItems()).length, 5);
    await window.screenshot("hostile-02-switch");
    await window.quickPick(/^Rename /);
    await window.quickTitle("Rename Account");
    await window.screenshot("hostile-02-rename");
    await window.quickClose();
    await window.page.locator('.activitybar a.action-label[aria-label^="Accounts"]').click({ timeout: SOON });
    await window.page.locator(".monaco-menu a.action-menu-item").first().waitFor({ timeout: SOON });
    await window.screenshot("hostile-02-menu");
    await window.page.keyboard.press("Escape");
    // What follows is the stranger's doing; what loading costs isn't.
    await probe.ask("profile");
  });
}

export async function hoverStatus({ page }: Workbench, name: string): Promise<void> {
  await page.locator(`.statusbar-item[aria-label*="${name}"]`).hover({ timeout: SOON });
  await page.locator(".workbench-hover:visible").waitFor({ timeout: SOON });
}

export function account(): void {
  step("webhooks and workergroups as pages", "60-pages", async ({ window }) => {
    await window.rowMenu(/^Team chat/, "Show Webhook");
    const whole = window.webview().getByText("The service's full record").first();
    await window.page.locator(".tab.active", { hasText: /Team chat/ }).waitFor({ timeout: SOON });
    await whole.click({ timeout: SOON });
    await window.screenshot("hostile-60-webhook");
    await window.rowMenu(/^Workergroup 7701/, "Show Workergroup");
    await window.page.locator(".tab.active", { hasText: /Workergroup/ }).waitFor({ timeout: SOON });
    await whole.click({ timeout: SOON });
    await window.screenshot("hostile-60-workergroup");
    await window.rowMenu(/^Workergroup 7701/, "Copy Endpoint API Key…");
    await window.dialog();
    await window.dialogButton("Cancel");
    await window.rowMenu(/^Workergroup 7705/, "Open Template");
    await window.page.locator(".tab.active", { hasText: /^Template/ }).waitFor({ timeout: SOON });
    await window.closeAllEditors();
  });

  step("background jobs refused: the form stays, with the reason on it", "61-jobs", async ({ window, service }) => {
    await openJobs(window);
    await fillJobs(window, "123");
    for (const mood of ["400", "200"] as const) {
      service.mood = mood;
      await reviewJobs(window);
      await window.dialogButton("Replace");
      await says(window, /^Nothing was created\.$/);
      assert.equal(await field(window, "Image").inputValue(), "pytorch/pytorch:latest");
      await window.screenshot(`hostile-61-jobs-${mood}`);
    }
    service.mood = "obliging";
    await window.closeAllEditors();
    await window.clearNotifications();
    await window.waitForRow(/^Last response/);
  });

  step("a volume, a key: refused", "62-refused", async ({ window, service }) => {
    service.mood = "400";
    await window.command("Cloud GPU: Unlist Volume…");
    await window.quickPick(/^Another ID/);
    await window.quickAnswer("26000123");
    await window.quickSays(/Type 26000123/);
    await window.quickAnswer("26000123");
    await say(window, /^Couldn't unlist volume 26000123/);
    await window.command("Cloud GPU: Delete Account API Key…");
    await window.quickItems();
    await window.screenshot("hostile-62-keys");
    await window.quickPick(new RegExp(String(KEY_IDS.readOnly)));
    await window.dialog();
    await window.screenshot("hostile-62-key");
    await window.dialogButton("Delete");
    await say(window, /^Couldn't delete API key \d+/);
    service.mood = "obliging";
  });

  step("image tags, and a registry that talks back", "63-tags", async ({ window, sandbox }) => {
    await window.command("Cloud GPU: List Image Tags…");
    await window.quickAnswer("pytorch/pytorch");
    await window.quickItems();
    await window.quickClose();
    sandbox.faults.add("500@fetchImageTags");
    await window.command("Cloud GPU: List Image Tags…");
    await window.quickAnswer("pytorch/pytorch");
    await window.quickSays(/Press Enter to try again/);
    await window.quickClose();
    sandbox.faults.clear();
  });

  step("what was written to the output channel", "64-output", async ({ window }) => {
    await window.command("Output: Show Output Channels...");
    await window.quickPick(/^Cloud GPU/);
    // The editor from npm can't write log files, so the lines themselves show only in a desktop one.
    await window.page.locator(".part.panel .monaco-editor").first().waitFor({ timeout: SOON });
    await window.command("View: Toggle Panel Visibility");
  });
}
