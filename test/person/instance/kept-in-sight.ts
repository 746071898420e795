// What costs money is never out of sight: at start-up, across a reload in the middle of destroying, when a wait is canceled, and
// when a machine dies.
import assert from "node:assert/strict";
import { type Clock, createRunningClock } from "../../../src/sandbox/base/clock.ts";
import { createInstance } from "../../../src/sandbox/handlers/create-instance.ts";
import type { Sandbox } from "../../../src/sandbox/start.ts";
import { type Person, step, until } from "../support.ts";

const image = "pytorch/pytorch:latest";

/** Rents machines as another program would: the editor has to find them. */
function rentElsewhere(
  { world }: Sandbox,
  count: number,
  label: (at: number) => string,
  fate: "runs" | "exited",
): void {
  for (let at = 0; at < count; at += 1) {
    const offer = world.offers.find((one) => world.isRentable(one));
    assert.ok(offer);
    world.setFate(offer.id, fate);
    createInstance(world, offer.id, { image, runtype: "ssh_direct", label: label(at) });
  }
}

/** The service's clock, twenty times as fast as ours. While it is held, no machine gets on with what it does. */
export function holdableClock(): Clock & { hold(): void; release(): void } {
  const running = createRunningClock(20);
  let heldAt: number | undefined;
  let late = 0;
  const now = () => heldAt ?? running.now() - late;
  const hold = () => {
    heldAt = now();
  };
  const release = () => {
    if (heldAt !== undefined) late = running.now() - heldAt;
    heldAt = undefined;
  };
  return { now, ahead: () => Math.max(0, now() - Date.now() / 1000), hold, release };
}

/** Six machines, rented before the window opens. */
export const rentSix = (service: Sandbox): void => rentElsewhere(service, 6, (at) => `run ${at}`, "runs");

/** The walk of a window that opens while six machines run; in the end there is none. */
export function walkKeptInSight(person: () => Person, clock: ReturnType<typeof holdableClock>): void {
  const held = () => person().service.world.listInstances().length;
  step("the status bar says what is rented with the Explorer in front", "140-status", person, async ({ window }) => {
    const says = async () => (await window.statusBar()).some((entry) => /^6 rented/.test(entry));
    await until("the status bar says what is rented", says);
    assert.equal(
      await window.page.locator(".composite.title", { hasText: "Cloud GPU" }).count(),
      0,
      "no view of ours is open",
    );
  });

  step("six are destroyed, the window is reloaded half way, and none goes on", person, async ({ window, service }) => {
    // One by one, as on a service without bulk calls, and slowly enough to be interrupted.
    for (const fault of ["404-html@destroyInstances", "slow@destroyInstance"] as const) service.faults.add(fault);
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
    service.faults.delete("slow@destroyInstance");
    await window.reload();
    await until("the others went as well", () => held() === 0);
    await window.waitForNotification(/^Destroyed instances? .*, as you asked before the window closed/, 90_000);
    service.faults.clear();
  });

  step("a dead machine says why, and is replaced in one confirmation", person, async ({ window, service }) => {
    await window.clearNotifications();
    rentElsewhere(service, 1, () => "lone run", "exited");
    await window.openContainer("Cloud GPU");
    await window.command("Cloud GPU: Refresh");
    await window.waitForRow(/^lone run, instance \d+, exited: /, 90_000);
    await window.screenshot("142-dead");
    const entries = await window.rowMenuItems(/^lone run, instance/);
    assert.ok(entries.includes("Replace Instance…") && !entries.includes("Start Instance…"), entries.join("\n"));
    const [dead] = service.world.listInstances();
    assert.ok(dead);
    await window.rowMenu(/^lone run, instance/, "Replace Instance…");
    const dialog = await window.dialog();
    assert.match(dialog.message, new RegExp(`^Destroy instance ${dead.id} and rent another .* for \\$\\d`));
    await window.screenshot("142-question");
    // However long the steps until the wait is canceled take: the machine isn't to be ready by then.
    clock.hold();
    await window.dialogButton("Destroy and Rent");
    await until("another one is rented, and the dead one is gone", () => {
      const [now, ...more] = service.world.listInstances();
      return now !== undefined && now.id !== dead.id && more.length === 0;
    });
    await window.waitForRow(/^lone run, instance \d+, /);
  });

  step("whoever cancels the wait is asked what becomes of the machine", person, async ({ window }) => {
    await window.notificationButton("Cancel");
    const dialog = await window.dialog();
    assert.match(dialog.message, /^Instance \d+ is already rented for \$\d.*Destroy it\?$/);
    assert.deepEqual(dialog.buttons, ["Destroy", "Cancel", "Keep in Background"], "the last one is the default");
    await window.screenshot("143-question");
    await window.dialogButton("Destroy");
    await until("it is destroyed", () => held() === 0);
    clock.release();
  });
}
