// What can be done to a rented machine from its row: stop, start, reboot, rename, bid; each asks once and tells what became of it.
import assert from "node:assert/strict";
import { createInstance } from "../../src/sandbox/handlers/create-instance.ts";
import { eventually } from "../editor/lists.ts";
import { type Person, SOON, step } from "./support.ts";

const image = "pytorch/pytorch:latest";

/** The walk of a window whose account has no machine. */
export function walkActions(person: () => Person): void {
  const mine = () => {
    const [instance] = person().service.world.instances();
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
      for (const entry of ["Start Instance…", "Change Bid…", "Forget Instance"])
        assert.ok(!entries.includes(entry), entry);
    },
  );

  step("stopping says that the disk is billed on, and the row stops", "121-stop", person, async ({ window }) => {
    await window.rowMenu(/^mine, instance/, "Stop Instance…");
    const dialog = await window.dialog();
    assert.match(dialog.message, /^Stop instance \d+ “mine”\?$/);
    assert.match(dialog.detail, /its disk is billed on, \$0\.\d+\/h/);
    await window.screenshot("121-stop-question");
    await window.dialogButton("Stop");
    await window.waitForRow(/^mine, instance \d+, stopped/);
  });

  step("a start whose GPU is taken is queued, and said to be", "122-queued", person, async ({ window, service }) => {
    service.world.rentAway(mine().offer.id);
    await window.rowMenu(/^mine, instance/, "Start Instance…");
    assert.match((await window.dialog()).message, /^Start instance \d+ “mine” for \$0\.\d+\/h\?$/);
    await window.dialogButton("Start");
    await window.waitForNotification(/queued.*starts, and is billed, when that ends/);
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
    assert.match((await window.dialog()).detail, /ends and starts anew\. Its disk stays/);
    await window.dialogButton("Reboot");
    const sent = async () => requests.some(({ path }) => /\/reboot\//.test(path)) || undefined;
    assert.ok(await eventually(window.page, sent, SOON));
    await window.waitForRow(/^night run, instance \d+, running/, 90_000);
  });
}
