// The end of an instance, as a person: set in the summary and on the row, reminded of, put off, and carried out.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { eventually } from "../../../editor/lists.ts";
import { filesWith, ownFolder, SOON, sharedFolder, stage, step, until } from "../../support.ts";

const folder = await ownFolder();
const key = join(folder, "ssh", "id_ed25519");
const config = join(folder, "config");
await writeFile(config, "");
const HAS_SSH = spawnSync("ssh", ["-V"]).error === undefined;
if (HAS_SSH) {
  await mkdir(join(folder, "ssh"));
  assert.equal(spawnSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "laptop", "-f", key]).status, 0);
}

const person = stage({
  signedIn: true,
  sandbox: { ssh: HAS_SSH },
  env: { CLOUD_GPU_SSH_DIR: join(folder, "ssh", "cloud-gpu"), CLOUD_GPU_SSH_CONFIG: config },
  prepare: ({ world }) => {
    for (const { id, fate } of world.offers) if (fate !== "gone") world.setFate(id, "runs");
    if (HAS_SSH) world.account.sshKeys.push(spawnSync("cat", [`${key}.pub`], { encoding: "utf8" }).stdout.trim());
  },
});
/** The reminder of an end in a minute comes halfway. */
const MINUTE = 90_000;

step("the summary says that there is no end, and sets one", "400-summary", person, async ({ window }) => {
  await window.openContainer("Cloud GPU");
  await window.waitForRow(/^PyTorch/);
  await window.command("Cloud GPU: Launch Instance from Template…");
  await window.quickPick(/^PyTorch/);
  await window.quickTitle(/2\/3/);
  await window.quickPick(/^1× RTX 3090/);
  await window.quickTitle(/3\/3/);
  await window.quickPick(/^Auto-Stop… no auto-stop/);
  const times = (await window.quickItems()).map(({ label, description }) => `${label} ${description}`);
  assert.match(times[0] ?? "", /^In 1 h .*\d\d:\d\d, about \$0\.\d+ until then$/);
  await window.screenshot("400-when");
  await window.quickPick(/^In 8 h/);
  await window.screenshot("400-what");
  await window.quickPick(/^Stop It/);
  await window.quickTitle(/3\/3/);
  const lines = (await window.quickItems()).map(({ label, description }) => `${label} ${description}`);
  assert.ok(
    lines.some((line) => /^Auto-Stop… 8 h after renting, stops \(if VS Code is open and signed in\)/.test(line)),
    lines.join("\n"),
  );
});

step("an idle timeout holds beside it", "400-idle", person, async ({ window }) => {
  await window.quickPick(/^Auto-Stop… 8 h/);
  await window.quickPick(/^When It's Idle… when its GPUs are idle/);
  await window.quickPick(/^30 min/);
  await window.quickPick(/^Stop It/);
  await window.quickTitle(/3\/3/);
  const lines = (await window.quickItems()).map(({ label, description }) => `${label} ${description}`);
  assert.ok(
    lines.some((line) => /^Auto-Stop… 8 h after renting, stops .*; stops after 30 min idle \(if VS Code/.test(line)),
    lines.join("\n"),
  );
});

step("the question before renting says both, and the row shows them", "401-row", person, async ({ window }) => {
  await window.quickPick(/^Rent 1× RTX 3090/);
  const { detail } = await window.dialog();
  assert.match(detail, /Cloud GPU stops it at .*\d\d:\d\d.* if VS Code is open and signed in to this account\./);
  assert.match(detail, /Cloud GPU stops it after 30 min idle if VS Code is open and signed in to this account\./);
  await window.screenshot("401-question");
  await window.dialogButton("Rent");
  await window.waitForRow(/1× RTX 3090, instance \d+, running, .*stops at .*\d\d:\d\d/, 60_000);
  await window.clearNotifications();
  const tooltip = await window.hover(/1× RTX 3090, instance/);
  assert.match(tooltip, /Auto-stop: .*\d\d:\d\d.*, stops \(if VS Code is open and signed in\)/);
  await window.waitForRow(/1× RTX 3090, instance \d+, .*stops after 30 min idle/);
});

step("what can't be read as an end is refused with a way out", "402-refused", person, async ({ window }) => {
  await window.rowMenu(/1× RTX 3090, instance/, "Set Auto-Stop…");
  await window.quickPick(/^Another Time…/);
  await window.quickRefused("soon", /Enter a duration \(90 min, 8 h, 2 d\) or a time \(18:00/);
});

step("an end in a minute is reminded of, and put off by one click", "403-reminder", person, async ({ window }) => {
  await window.quickAnswer("1 min");
  await window.quickPick(/^Destroy It/);
  await window.waitForRow(/1× RTX 3090, instance \d+, running, .*destroys at .*\d\d:\d\d/);
  await window.waitForNotification(/ and its disk will be destroyed at .*\d\d:\d\d if VS Code is open/, MINUTE);
  await window.screenshot("403-soon");
  await window.notificationButton("Extend 1 h");
  await window.screenshot("403-extended");
});

step("at its end it is destroyed by one request, and that is told", "404-ended", person, async (all) => {
  const { window, service, requests } = all;
  const deletes = () => requests.filter(({ method, path }) => method === "DELETE" && path.includes("/instances/"));
  assert.equal(deletes().length, 0);
  await window.rowMenu(/1× RTX 3090, instance/, "Set Auto-Stop…");
  await window.quickPick(/^Another Time…/);
  await window.quickAnswer("1 min");
  await window.quickPick(/^Destroy It/);
  await window.waitForNotification(/was destroyed at its end time \(.*\d\d:\d\d\)/, MINUTE);
  assert.equal(service.world.listInstances().length, 0);
  assert.equal(deletes().length, 1);
  const noRow = async () => (await window.treeRows("Instances")).every((row) => !row.includes("RTX 3090")) || undefined;
  assert.ok(await eventually(window.page, noRow, SOON), "its row is gone");
});

if (HAS_SSH) {
  step("an instance can be told to end itself, with this computer off", "405-itself", person, async ({ window }) => {
    await window.clearNotifications();
    await window.command("Cloud GPU: Launch Instance from Template…");
    await window.quickPick(/^PyTorch/);
    await window.quickTitle(/2\/3/);
    await window.quickPick(/^1× RTX 3090/);
    await window.quickTitle(/3\/3/);
    await window.quickPick(/^Auto-Stop… no auto-stop/);
    // A time that isn't in the list can be typed into it, also one that another row names as an example.
    await window.quickType("90 min");
    await until("it comes first", async () => (await window.quickItems())[0]?.label === "In 90 min");
    await window.quickType("5pm tomorrow");
    await until("what can't be read is answered", async () =>
      /^Enter a duration \(90 min, 8 h, 2 d\)/.test((await window.quickItems())[0]?.label ?? ""),
    );
    await window.screenshot("405-unread");
    // Prices and times beside the rows hold the number as well.
    await window.quickType("4");
    await until("a number is hours", async () => (await window.quickItems())[0]?.label === "In 4 h");
    await window.quickPick(/^In 4 h/);
    await window.screenshot("405-what");
    await window.quickPick(/^Destroy \(from the Instance\)/);
    await window.quickTitle(/3\/3/);
    const lines = (await window.quickItems()).map(({ label, description }) => `${label} ${description}`);
    assert.ok(
      lines.some((line) => /^Auto-Stop… 4 h after renting, destroys itself, even if this computer is off/.test(line)),
      lines.join("\n"),
    );
    const script = lines.find((line) => line.startsWith("onstart"));
    assert.match(
      script ?? "",
      /echo \d+ DELETE .*CONTAINER_API_KEY.*this launch: the first lines stop or destroy the instance/,
    );
    await window.quickPick(/^Show Full Summary/);
    await window.page.getByText("Press Escape or close this tab").waitFor({ timeout: SOON });
    await window.page.locator(".quick-input-widget").waitFor({ state: "hidden", timeout: SOON });
    await window.screenshot("405-summary");
    await window.page.locator(".editor-instance .view-lines").first().click();
    await window.page.keyboard.press("Escape");
    await window.quickTitle(/3\/3/);
  });

  step("the row says that it does once it has shown it", "406-armed", person, async ({ window }) => {
    await window.quickPick(/^Rent 1× RTX 3090/);
    const { detail } = await window.dialog();
    assert.match(detail, /Destroys itself and its disk at .*, even if this computer is off\. Cloud GPU verifies this/);
    await window.screenshot("406-question");
    await window.dialogButton("Rent");
    await window.waitForRow(/1× RTX 3090, instance \d+, running, .*destroys itself at .*\d\d:\d\d/, 90_000);
    await window.clearNotifications();
    const tooltip = await window.hover(/1× RTX 3090, instance/);
    assert.match(tooltip, /Auto-stop: .*\d\d:\d\d.*, destroys itself, even if this computer is off/);
    await window.screenshot("406-tooltip");
  });

  step("its end is moved on the instance itself, and carried out there", "407-itself", person, async (all) => {
    const { window, service, requests, editor } = all;
    const [instance] = service.world.listInstances();
    assert.ok(instance);
    await window.rowMenu(/1× RTX 3090, instance/, "Set Auto-Stop…");
    await window.quickPick(/^Another Time…/);
    await window.quickAnswer("1 min");
    await window.screenshot("407-what");
    await window.quickPick(/^Destroy It/);
    await window.waitForRow(/1× RTX 3090, instance \d+, running, .*destroys itself at .*\d\d:\d\d/);
    await window.waitForNotification(
      /no longer exists\. It was scheduled to destroy itself at .*\d\d:\d\d\./,
      2 * MINUTE,
    );
    assert.equal(service.world.listInstances().length, 0);
    assert.ok(requests.some(({ method, path }) => method === "DELETE" && path.endsWith(`/${instance.id}/`)));
    // Nothing is sent that wasn't written down as an order before.
    const orders = filesWith(join(sharedFolder(editor), "orders"), '"kind"');
    assert.ok(orders.length > 0, "there is one of the instance before");
    assert.ok(
      orders.every((file) => !readFileSync(file, "utf8").includes(`"id":${instance.id}`)),
      "the window sent nothing of its own",
    );
  });
}
