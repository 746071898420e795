// What costs money is never out of sight: at start-up, across a reload in the middle of destroying, when a wait is cancelled, when a
// machine dies, and when one leaves.
import assert from "node:assert/strict";
import { createInstance } from "../../src/sandbox/handlers/create-instance.ts";
import { SOON, stage, step, until } from "./support.ts";

const person = stage({ signedIn: true });
const image = "pytorch/pytorch:latest";

/** Rents machines as another program would: the editor has to find them. */
function rentElsewhere(count: number, label: (at: number) => string, fate: "runs" | "exited" = "runs"): void {
  const { world } = person().service;
  for (let at = 0; at < count; at += 1) {
    const offer = world.offers.find((one) => world.isRentable(one));
    assert.ok(offer);
    world.setFate(offer.id, fate);
    createInstance(world, offer.id, { image, runtype: "ssh_direct", label: label(at) });
  }
}

const held = () => person().service.world.instances().length;

step("the status bar says what is rented with the Explorer in front", "140-status", person, async ({ window }) => {
  rentElsewhere(6, (at) => `run ${at}`);
  await window.reload();
  const says = async () => (await window.statusBar()).some((entry) => /^6 rented/.test(entry));
  await until("the status bar says what is rented", says);
  assert.equal(
    await window.page.locator(".composite.title", { hasText: "Cloud GPU" }).count(),
    0,
    "no view of ours is open",
  );
});

step(
  "six are destroyed, the window is reloaded half way, and none goes on",
  "141-finished",
  person,
  async ({ window, service }) => {
    // One by one, as on a service without bulk calls: it takes long enough to be interrupted.
    service.faults.add("404-html@destroyInstances");
    await window.openContainer("Cloud GPU");
    await window.waitForRow(/^run 0, instance \d+, running/, 90_000);
    await window.clickRow(/^run 0, instance/);
    await window.page.keyboard.down("Shift");
    await window.clickRow(/^run 5, instance/);
    await window.page.keyboard.up("Shift");
    await window.rowMenu(/^run 3, instance/, "Destroy Instance…");
    assert.match((await window.dialog()).message, /^Destroy 6 instances/);
    await window.dialogButton("Destroy");
    await window.waitForRow(/^run \d, instance \d+, waiting to be destroyed/);
    await window.screenshot("141-queue");
    await until("the first ones are gone", () => held() <= 5);
    assert.ok(held() > 0, "there is something left to forget");
    await window.reload();
    await until("the others went as well", () => held() === 0);
    await window.waitForNotification(/^Destroyed instances? .*, as you confirmed before the window closed/, 90_000);
    service.faults.clear();
  },
);

step(
  "a dead machine says why, and is replaced in one confirmation",
  "142-replaced",
  person,
  async ({ window, service }) => {
    await window.clearNotifications();
    rentElsewhere(1, () => "night run", "exited");
    await window.openContainer("Cloud GPU");
    await window.command("Cloud GPU: Refresh");
    await window.waitForRow(/^night run, instance \d+, exited: /, 90_000);
    await window.screenshot("142-dead");
    const entries = await window.rowMenuItems(/^night run, instance/);
    assert.ok(entries.includes("Replace Instance…") && !entries.includes("Start Instance…"), entries.join("\n"));
    const [dead] = service.world.instances();
    assert.ok(dead);
    await window.rowMenu(/^night run, instance/, "Replace Instance…");
    const dialog = await window.dialog();
    assert.match(dialog.message, new RegExp(`^Destroy instance ${dead.id} and rent another .* for \\$\\d`));
    await window.screenshot("142-question");
    await window.dialogButton("Destroy and Rent");
    await until("another one is rented, and the dead one is gone", () => {
      const [now, ...more] = service.world.instances();
      return now !== undefined && now.id !== dead.id && more.length === 0;
    });
    await window.waitForRow(/^night run, instance \d+, /);
  },
);

step("whoever cancels the wait is asked what becomes of the machine", "143-cancelled", person, async ({ window }) => {
  await window.notificationButton("Cancel");
  const dialog = await window.dialog();
  assert.match(dialog.message, /^Instance \d+ is already rented for \$\d.*Destroy it\?$/);
  assert.deepEqual(dialog.buttons, ["Destroy", "Cancel", "Keep in Background"], "the last one is the default");
  await window.screenshot("143-question");
  await window.dialogButton("Destroy");
  await until("it is destroyed", () => held() === 0);
});

step("leaving the sandbox, where nothing is charged, asks nothing", "144-left", person, async ({ window }) => {
  await window.command("Cloud GPU: Sign Out");
  await window.page.getByText("Sign in").first().waitFor({ timeout: SOON });
});
