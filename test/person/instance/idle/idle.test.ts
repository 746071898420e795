// An instance that does nothing, as a person sees it: on its row, in one message, and ended by an order for when it's idle.
import assert from "node:assert/strict";
import { createInstance } from "../../../../src/sandbox/handlers/create-instance.ts";
import { stage, step } from "../../support.ts";

/** An instance is idle after a minute, and an order warns halfway to five. */
const [SOON, LATER] = [180_000, 300_000];

const person = stage({
  signedIn: true,
  settings: { "cloudGpu.idle.notifyAfterMinutes": 1, "cloudGpu.refresh.steadySeconds": 10 },
  prepare: ({ world }) => {
    const offer = world.offers.find((one) => world.isRentable(one));
    if (!offer) throw new Error("The market is empty.");
    world.setFate(offer.id, "runs");
    const { id } = createInstance(world, offer.id, { image: "a/b", runtype: "ssh_direct", label: "night run" });
    world.setGpuLoad(id, 1);
  },
});

step(
  "its row says how long it has been idle, and one message what it costs",
  "410-idle",
  person,
  async ({ window }) => {
    await window.openContainer("Cloud GPU");
    await window.waitForRow(/night run, instance \d+, running/, SOON);
    await window.waitForNotification(/^night run \(\d+\) has been idle for \d+ min\. It costs \$0\.\d+\/h\.$/, SOON);
    await window.waitForRow(/night run, instance \d+, running, .*idle \d+ min/);
    const buttons = await window.page.locator(".notification-list-item .monaco-button").allInnerTexts();
    assert.deepEqual(
      buttons
        .map((text) => text.trim())
        .filter(Boolean)
        .slice(0, 4),
      ["Stop…", "Destroy…", "Snooze 1 h", "Never for This Instance"],
    );
  },
);

step("its tooltip says who says so", "411-source", person, async ({ window }) => {
  await window.notificationButton("Snooze 1 h");
  await window.clearNotifications();
  const tooltip = await window.hover(/night run, instance/);
  assert.match(tooltip, /Idle for: \d+ min, all GPUs below 10% \(reported by the service\)/);
});

step("what happens when it's idle is set beside its end", "412-order", person, async ({ window }) => {
  await window.rowMenu(/night run, instance/, "Set Auto-Stop…");
  const entries = (await window.quickItems()).map(({ label, description }) => `${label} ${description}`);
  assert.ok(
    entries.some((line) => /^When It's Idle… idle \d+ min/.test(line)),
    entries.join("\n"),
  );
  await window.screenshot("412-set-end");
  await window.quickPick(/^When It's Idle…/);
  await window.screenshot("412-how-long");
  await window.quickPick(/^Another Time…/);
  await window.quickRefused("1 min", /Enter a duration between 5 min and 24 h\./);
  await window.quickAnswer("5 min");
  await window.screenshot("412-what");
  await window.quickPick(/^Destroy It/);
  await window.waitForRow(/night run, instance \d+, running, .*destroys after 5 min idle/);
});

step("before it ends, a warning keeps it running by one click", "413-warning", person, async (all) => {
  const { window, service, requests } = all;
  await window.waitForNotification(
    /^night run \(\d+\) is idle\. Cloud GPU will destroy it and its disk in \d+ min unless it's used\. Keep VS Code open\.$/,
    LATER,
  );
  await window.screenshot("413-soon");
  await window.notificationButton("Keep It Running");
  await window.waitForRow(/night run, instance \d+, running, .*destroys after 5 min idle/);
  assert.equal(service.world.listInstances().length, 1);
  assert.ok(requests.every(({ method, path }) => !(method === "DELETE" && path.includes("/instances/"))));
});

step("a second window shows it as well, and is silent", person, async ({ anotherWindow }) => {
  const other = await anotherWindow();
  await other.openContainer("Cloud GPU");
  await other.waitForRow(/night run, instance \d+, running, .*destroys after 5 min idle/, SOON);
  assert.deepEqual(
    (await other.notifications()).filter(({ message }) => /idle/.test(message)),
    [],
  );
  await other.page.close();
});

step("a stop that fails may become a destroy, and says what is lost", "415-or-destroy", person, async ({ window }) => {
  await window.rowMenu(/night run, instance/, "Set Auto-Stop…");
  await window.quickPick(/^When It's Idle….*after 5 min/);
  await window.quickPick(/^15 min/);
  const choice = (await window.quickItems()).find(({ label }) => label === "Stop, or Destroy If That Fails");
  assert.ok(choice, "it is offered");
  await window.screenshot("415-choices");
  await window.quickPick(/^Stop, or Destroy If That Fails/);
  await window.waitForRow(/night run, instance \d+, running, .*stops after 15 min idle/);
  const tooltip = await window.hover(/night run, instance/);
  assert.match(tooltip, /signed in\); destroyed if that fails only once self-stop is verified/);
});

step("it is taken back where it was set", "414-taken-back", person, async ({ window }) => {
  await window.rowMenu(/night run, instance/, "Set Auto-Stop…");
  await window.quickPick(/^When It's Idle….*after 15 min/);
  await window.quickPick(/^Remove Idle Timeout/);
  const without = async () => (await window.treeRows("Instances")).every((row) => !/after 15 min idle/.test(row));
  for (let waits = 0; waits < 100 && !(await without()); waits += 1) await window.page.waitForTimeout(100);
  assert.ok(await without());
});
