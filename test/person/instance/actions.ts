// What can be done to a rented machine from its row: stop, start, reboot, rename, bid; each asks once and tells what became of it.
import assert from "node:assert/strict";
import { createInstance } from "../../../src/sandbox/handlers/create-instance.ts";
import { eventually } from "../../editor/lists.ts";
import { type Person, SOON, step } from "../support.ts";

const image = "pytorch/pytorch:latest";

/** The walk of a window whose account has no machine. */
export function walkActions(person: () => Person): void {
  const mine = () => {
    const [instance] = person().service.world.listInstances();
    assert.ok(instance);
    return instance;
  };

  step(
    "a machine that runs can be stopped and rebooted, not started",
    "120-menu",
    person,
    async ({ window, service }) => {
      const { world } = service;
      const offer = world.offers.find((one) => world.isRentable(one) && one.minBid !== null);
      assert.ok(offer);
      world.setFate(offer.id, "runs");
      createInstance(world, offer.id, { image, label: "mine" });
      await window.openContainer("Cloud GPU");
      await window.waitForRow(/^mine, instance \d+, running/, 90_000);
      const entries = await window.rowMenuItems(/^mine, instance/);
      for (const entry of ["Stop Instance…", "Reboot Instance…", "Rename Instance…", "Destroy Instance…"])
        assert.ok(entries.includes(entry), entries.join("\n"));
      for (const entry of [
        "Start Instance…",
        "Change Bid…",
        "Stop Tracking Instance",
        "Show Start Script",
        "Show Readme",
        "Sandbox: Fail Instance…",
      ])
        assert.ok(!entries.includes(entry), entry);
    },
  );

  step("stopping says that the disk is billed on, and the row stops", "121-stop", person, async ({ window }) => {
    await window.rowMenu(/^mine, instance/, "Stop Instance…");
    const dialog = await window.dialog();
    assert.match(dialog.message, /^Stop instance \d+ “mine”\?$/);
    assert.match(dialog.detail, /the disk still costs \$0\.\d+\/h while stopped/);
    await window.screenshot("121-stop-question");
    await window.dialogButton("Stop");
    await window.waitForRow(/^mine, instance \d+, stopped/);
  });

  step("a start whose GPU is taken is queued, and said to be", "122-queued", person, async ({ window, service }) => {
    service.world.rentAway(mine().offer.id);
    await window.rowMenu(/^mine, instance/, "Start Instance…");
    assert.match((await window.dialog()).message, /^Start instance \d+ “mine” for \$0\.\d+\/h\?$/);
    await window.dialogButton("Start");
    await window.waitForNotification(/queued.*starts, and its GPU is billed, when the GPU is free/);
    await window.waitForRow(/^mine, instance \d+, waiting for its GPU/);
  });

  step("when it is free again it runs by itself", person, async ({ window, service }) => {
    await window.clearNotifications();
    service.world.giveBack(mine().offer.id);
    await window.command("Cloud GPU: Refresh");
    await window.waitForRow(/^mine, instance \d+, running/, 90_000);
  });

  step("a new name keeps the row", person, async ({ window }) => {
    await window.rowMenu(/^mine, instance/, "Rename Instance…");
    await window.quickTitle(/Rename Instance/);
    await window.quickAnswer("night run");
    await window.waitForRow(/^night run, instance \d+, running/);
    const renamed = async () => mine().label === "night run" || undefined;
    assert.ok(await eventually(window.page, renamed, SOON));
  });

  step("a reboot asks, and it comes back", person, async ({ window, requests }) => {
    await window.rowMenu(/^night run, instance/, "Reboot Instance…");
    assert.match((await window.dialog()).detail, /The disk is kept/);
    await window.dialogButton("Reboot");
    const sent = async () => requests.some(({ path }) => /\/reboot\//.test(path)) || undefined;
    assert.ok(await eventually(window.page, sent, SOON));
    await window.waitForRow(/^night run, instance \d+, running/, 90_000);
  });

  step(
    "Enter and a double click open a row, F2 renames it, and Delete asks",
    "126-keys",
    person,
    async ({ window }) => {
      const row = /^night run, instance/;
      const { keyboard } = window.page;
      const tab = window.page.locator('.tab[aria-label^="night run"]');
      await window.clickRow(row);
      assert.equal(await tab.count(), 0, "one click opens nothing");
      await keyboard.press("Enter");
      await tab.waitFor({ timeout: SOON });
      await window.command("View: Close All Editors");
      await tab.waitFor({ state: "detached", timeout: SOON });
      // A list that is drawn again between the two clicks takes neither; a person tries again.
      const opened = async () => {
        const found = await window.waitForRow(row);
        await found.dblclick({ timeout: 3000 }).catch(() => undefined);
        return tab.waitFor({ timeout: 5000 }).then(
          () => true,
          () => undefined,
        );
      };
      assert.ok(await eventually(window.page, opened, SOON));
      // The page takes the focus when it is there, a moment after its tab.
      await window.webview().getByRole("heading", { name: "night run" }).waitFor({ timeout: SOON });
      await window.command("View: Close All Editors");
      await tab.waitFor({ state: "detached", timeout: SOON });
      await window.clickRow(row);
      await keyboard.press("F2");
      await window.quickTitle(/Rename Instance/);
      await keyboard.press("Escape");
      await window.clickRow(row);
      await keyboard.press("Delete");
      assert.match((await window.dialog()).message, /^Destroy instance \d+ “night run”\?$/);
      await window.dialogButton("Keep");
      await window.clickRow(row);
      await keyboard.press("Delete");
      await window.dialog();
      assert.equal(await tab.count(), 0, "a click and Delete are no double click");
      await window.dialogButton("Keep");
      // From the palette, it is the selected one that is meant.
      await window.command("Cloud GPU: Rename Instance…");
      await window.quickAnswer("long run");
      await window.waitForRow(/^long run, instance/);
    },
  );
}
