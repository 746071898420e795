// Launches in one window: the first one goes well. Then the answer of a launch gets lost and the window is closed in the middle: one instance, found, shown and told.
import assert from "node:assert/strict";
import { readLaunchToken } from "../../../src/domain/instance/instance.ts";
import { eventually } from "../../editor/lists.ts";
import type { Workbench } from "../../editor/page.ts";
import { findExtensionHosts } from "../../editor/processes.ts";
import { SOON, stage, step, until } from "../support.ts";
import { walkByKeyboard } from "./by-keyboard.ts";
import { walkFirstLaunch } from "./first-launch.ts";

const person = stage({ signedIn: true });
walkFirstLaunch(person);
walkByKeyboard(person);

let sentBefore = 0;
const creates = () =>
  person()
    .requests.slice(sentBefore)
    .filter(({ method, path }) => method === "PUT" && path.startsWith("/api/v0/asks/"));

async function toTheSummary(window: Workbench, offer: RegExp): Promise<void> {
  await window.command("Cloud GPU: Launch Instance from Template…");
  await window.quickPick(/^PyTorch/);
  await window.quickTitle(/2\/3/);
  await window.quickPick(offer);
  await window.quickTitle(/3\/3/);
}

step("the request leaves, the answer never comes", person, async ({ window, service, requests }) => {
  sentBefore = requests.length;
  service.faults.add("endless-drip@createInstance");
  await window.openContainer("Cloud GPU");
  await window.waitForRow(/^PyTorch/);
  await toTheSummary(window, /^1× RTX 3090/);
  await window.quickPick(/^Rent 1× RTX 3090/);
  await window.dialogButton("Rent");
  assert.ok(await eventually(window.page, async () => creates().length > 0 || undefined, SOON), "the request left");
  service.faults.add("500@listInstances");
});

step(
  "the window is reloaded: the launch is open, in the list and in the status bar, with what is at risk",
  "51-unresolved",
  person,
  async ({ window }) => {
    await window.treeRows("Webhooks");
    await window.rowMenu(/^Team chat/, "Show Webhook");
    await window.webview().getByText("Delivery").waitFor({ timeout: SOON });
    await window.reload();
    assert.equal(await window.page.locator(".tab").count(), 0, "a page that held nothing is closed");
    await window.openContainer("Cloud GPU");
    await window.waitForRow(/^1× RTX 3090, launch, may have been rented, sent \d\d:\d\d/);
    const seen = async () =>
      (await window.statusBar()).some((entry) => /May have been rented.*at risk/.test(entry)) || undefined;
    assert.ok(await eventually(window.page, seen, SOON), "the status bar says it");
    assert.equal(creates().length, 1);
  },
);

step("its review says what is known and what can be done", "52-review", person, async ({ window }) => {
  await window.rowMenu(/^1× RTX 3090, launch/, "Review Unresolved Launch…");
  await window.quickTitle(/Review Unresolved Launch/);
  const lines = (await window.quickItems()).map(({ label, description }) => `${label} ${description}`.trim());
  for (const shape of [
    /^Check Now/,
    /^A machine was rented\. Enter its ID…/,
    /^Nothing was rented…/,
    /^What happens next .*won't send the request again/,
  ])
    assert.ok(
      lines.some((line) => shape.test(line)),
      `${shape} in\n${lines.join("\n")}`,
    );
});

step("a wrong id is refused by the mark in its label", "53-wrong-id", person, async ({ window }) => {
  await window.quickPick(/^A machine was rented\. Enter its ID…/);
  await window.quickType("7");
  await window.quickAccept();
  await window.page
    .getByText(/has no instance 7/)
    .first()
    .waitFor({ timeout: SOON });
  await window.quickClose();
});

step("a second window sees the same, and nothing is sent", person, async ({ anotherWindow, editor }) => {
  const before = await findExtensionHosts(editor.pid);
  const other = await anotherWindow();
  await other.openContainer("Cloud GPU");
  await other.waitForRow(/^1× RTX 3090, launch, may have been rented/);
  await other.screenshot("54-other-window");
  await other.page.close();
  // A page that is closed leaves its window running for a while, which would then tell what is told next.
  const left = async () => (await findExtensionHosts(editor.pid)).filter((pid) => !before.includes(pid));
  for (const pid of await left()) process.kill(pid, "SIGKILL");
  await until("the second window has ended", async () => (await left()).length === 0);
  assert.equal(creates().length, 1);
});

step(
  "once the list answers, the one instance is found, shown and told",
  "55-found",
  person,
  async ({ window, service }) => {
    service.faults.clear();
    await window.waitForRow(/1× RTX 3090, instance \d+, /, 90_000);
    await window.waitForNotification(/launch whose response was lost.*went through\. Instance \d+ is rented/);
    const instances = service.world.listInstances();
    assert.equal(instances.length, 1);
    assert.ok(readLaunchToken(instances[0]?.label ?? ""));
    assert.equal(creates().length, 1);
    const open = window.page.locator('.monaco-list-row[aria-label*=", launch, "]');
    await until("nothing is open any more", async () => (await open.count()) === 0);
  },
);

step(
  "Enter held down on the question in two windows at once rents one machine",
  person,
  async ({ window, anotherWindow, service }) => {
    await window.clearNotifications();
    const other = await anotherWindow();
    await other.openContainer("Cloud GPU");
    await other.waitForRow(/^PyTorch/);
    const before = creates().length;
    const held = service.world.listInstances().length;
    for (const one of [window, other]) await toTheSummary(one, /^1× RTX A4000|^1× RTX 3060/);
    // A key held down repeats: it opens the question and goes on pressing its default button.
    const hold = async ({ page }: Workbench) => {
      for (let time = 0; time < 60; time += 1) {
        await page.keyboard.down("Enter");
        await page.waitForTimeout(30);
      }
      await page.keyboard.up("Enter");
    };
    await Promise.all([hold(window), hold(other)]);
    for (const one of [window, other]) {
      const dialog = one.page.locator(".monaco-dialog-box");
      if (await dialog.isVisible()) await one.dialogButton("Rent");
    }
    const settled = async () => service.world.listInstances().length > held || undefined;
    assert.ok(await eventually(window.page, settled, SOON), "one was rented");
    await window.page.waitForTimeout(3000);
    const sent = creates().slice(before);
    const tokens = sent.map(({ body }) => readLaunchToken((body as { label?: string }).label));
    assert.equal(new Set(tokens).size, tokens.length, "no launch was sent twice");
    assert.equal(service.world.listInstances().length, held + 1, "both wanted the same machine, and one got it");
    await other.page.close();
  },
);
