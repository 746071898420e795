// Renting from a hostile market and handling machines whose service refuses everything.
import assert from "node:assert/strict";
import type { Workbench } from "../editor/page.ts";
import { SOON, until } from "../person/support.ts";
import { say, step } from "./stage.ts";

async function tab({ page }: Workbench, name: RegExp): Promise<void> {
  await page.locator(".tab.active", { hasText: name }).waitFor({ timeout: SOON });
}

export function launching(): void {
  step("from a template: picker, filters, offers", "20-picker", async ({ window }) => {
    await window.command("Cloud GPU: Launch Instance from Template…");
    const items = await window.quickItems();
    // A Docker image of one's own, and every template that the stage names.
    assert.equal(items.length, 16);
    await window.quickPick(/^My nightly/);
    await window.quickTitle(/2\/3/);
    await window.quickPick(/^Filters…/);
    await window.quickTitle("Filters");
    await window.quickPick(/^GPU /);
    await window.quickTitle("GPU");
    await window.screenshot("hostile-20-gpus");
    await window.quickBack();
    await window.quickTitle("Filters");
    await window.quickPick(/^Show \d+ offers?/);
  });

  step("the summary, in full and beside its template", "21-summary", async ({ window }) => {
    await window.quickPick(/^1× /);
    await window.quickTitle(/3\/3/);
    await window.quickItems();
    await window.quickPick(/^Show Full Summary…/);
    await tab(window, /Summary/);
    await window.command("Cloud GPU: Back to Summary");
    await window.quickTitle(/3\/3/);
    await window.quickPick(/^Compare with Template…/);
    await tab(window, /Template/);
    await window.command("Cloud GPU: Back to Summary");
    await window.quickTitle(/3\/3/);
  });

  step("refused, in a stranger's words", "22-refused", async ({ window, service, sandbox }) => {
    const before = sandbox.world.listInstances().length;
    for (const mood of ["400", "200"] as const) {
      await window.quickPick(/^Rent 1× /);
      const { message } = await window.dialog();
      assert.match(message, /^Rent 1× /);
      await window.screenshot(`hostile-22-modal-${mood}`);
      service.mood = mood;
      await window.dialogButton("Rent");
      await window.waitForNotification(/No rental was found, so most likely nothing was rented/);
      await window.screenshot(`hostile-22-refused-${mood}`);
      service.mood = "obliging";
      await window.notificationButton("Review Again…");
      await window.quickPick(/^1× /);
      await window.quickTitle(/2\/2/);
    }
    assert.equal(sandbox.world.listInstances().length, before);
  });

  step("rented: progress with a hostile status, then running", "23-rented", async ({ window, sandbox }) => {
    for (const offer of sandbox.world.offers) if (offer.fate !== "gone") sandbox.world.setFate(offer.id, "runs");
    await window.quickPick(/^Rent 1× /);
    await window.dialogButton("Rent");
    await window.waitForNotification(/^Renting 1× .*instance \d+, .* \(/);
    await window.screenshot("hostile-23-progress");
    await window.waitForNotification(/^Instance .+ is running at /);
    await window.clearNotifications();
    await window.closeAllEditors();
  });

  step("from an offer, with a template nobody can search by", "24-offer", async ({ window }) => {
    await window.rowMenu(/^PyTorch/, "Launch Instance from Template…");
    await window.quickSays(/not a valid search key/);
    await window.quickClose();
    await window.rowMenu(/^ComfyUI/, "Launch Instance from Template…");
    await window.quickTitle(/1\/2/);
    await window.quickPick(/^Filters…/);
    await window.quickTitle("Filters");
    await window.quickItems();
    await window.screenshot("hostile-24-filters");
    await window.quickClose();
    await window.command("Cloud GPU: Launch Instance from Offer…");
    await window.quickPick(/^1× /);
    await window.quickSays(/A Docker Image/);
    await window.quickPick(/^Scratch/);
    await window.quickSays(/Disk size in GB/);
    await window.quickClose();
  });

  step("a launch nobody knows of: its review, and an id that is not it", "25-review", async ({ window }) => {
    await window.rowMenu(/^1× lost/, "Review Unresolved Launch…");
    await window.quickTitle(/Review Unresolved Launch/);
    await window.quickItems();
    await window.quickPick(/^A machine was rented/);
    await window.quickRefused("31000001", /31000001/);
    await window.quickClose();
    await window.rowMenu(/^1× lost/, "Review Unresolved Launch…");
    await window.quickPick(/^Nothing was rented/);
    await window.dialog();
    await window.dialogButton("Cancel");
  });
}

export function instances(): void {
  type Moods = readonly ("400" | "200")[];
  const refused = (row: RegExp, item: string, go: string, says: RegExp, moods: Moods = ["400", "200"]) =>
    step(`${item} refused`, `30-${go.toLowerCase().replace(" ", "-")}`, async ({ window, service, sandbox }) => {
      const before = sandbox.world.listInstances().length;
      for (const mood of moods) {
        await window.rowMenu(row, item);
        await window.dialog();
        service.mood = mood;
        await window.dialogButton(go);
        await say(window, says);
        service.mood = "obliging";
      }
      assert.equal(sandbox.world.listInstances().length, before);
    });
  refused(/^runner/, "Reboot Instance…", "Reboot", /^Instance .* \(\d+\): /);

  step("another name, another bid: refused, and what was typed stays", "31-typed", async ({ window, service }) => {
    service.mood = "400";
    await window.rowMenu(/^runner/, "Rename Instance…");
    await window.quickRefused("night run", /\S/);
    assert.equal(await window.page.locator(".quick-input-box input").inputValue(), "night run");
    await window.quickClose();
    await window.rowMenu(/^bidder/, "Change Bid…");
    await window.quickSays(/Your bid in dollars per hour|per hour/);
    await window.quickAnswer("3.5");
    await window.dialog();
    await window.dialogButton("Change Bid");
    await say(window, /\S/);
    service.mood = "obliging";
  });

  step("a dead machine's replacement; a machine's page", "32-dead", async ({ window }) => {
    await window.rowMenu(/^dead one/, "Replace Instance…");
    const dialog = window.page.locator(".monaco-dialog-box");
    const note = window.page.locator(".notification-list-item");
    await until("asked or told", async () => (await dialog.isVisible()) || (await note.first().isVisible()));
    if (await dialog.isVisible()) await window.dialogButton("Cancel");
    else await window.clearNotifications();
    await window.rowMenu(/^dead one/, "Show Instance");
    await window.webview().getByText("The service's full record").first().waitFor({ timeout: SOON });
    await window.closeAllEditors();
  });

  // Whether it was carried out all the same is looked for, for ten seconds.
  refused(/^bidder/, "Stop Instance…", "Stop", /may still be running/, ["200"]);
  refused(/^runner/, "Destroy Instance…", "Destroy", /may still exist/, ["400"]);
}
