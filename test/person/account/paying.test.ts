// Show Current Costs, as a person uses it: what bills and what it comes to, two destroyed by typing how many, and one that the
// service refuses to destroy at first.
import assert from "node:assert/strict";
import { createInstance } from "../../../src/sandbox/handlers/create-instance.ts";
import type { Sandbox } from "../../../src/sandbox/start.ts";
import type { Workbench } from "../../editor/page.ts";
import { type Person, SOON, stage, step, until } from "../support.ts";

const rentFour = ({ world }: Sandbox): void => {
  for (const label of ["train", "sweep", "notebook", "old data"]) {
    const offer = world.offers.find((one) => world.isRentable(one));
    assert.ok(offer);
    world.setFate(offer.id, "runs");
    createInstance(world, offer.id, { image: "pytorch/pytorch:latest", runtype: "ssh_direct", label });
  }
};
const person = stage({ signedIn: true, prepare: rentFour });
const TITLE = /^Show Current Costs · at least \$\d/;
const count = ({ service }: Person) => service.world.listInstances().length;

/** Whether the row's box is ticked. */
const tickOf = async (window: Workbench, name: string) =>
  (await window.quickItems()).find(({ label }) => label === name)?.checked;

async function tick(window: Workbench, name: string): Promise<void> {
  await window.quickPick(name);
  await until(`${name} is ticked`, async () => (await tickOf(window, name)) === true);
}

const press = ({ page }: Workbench, icon: string) =>
  page.locator(`.quick-input-titlebar .codicon-${icon}`).click({ timeout: SOON });

step("the status bar leads to everything that bills, and its total", "160-paying", person, async ({ window }) => {
  await window.openContainer("Cloud GPU");
  for (const name of ["train", "sweep", "notebook", "old data"])
    await window.waitForRow(new RegExp(`^${name}, instance \\d+, running`), 90_000);
  await window.page.locator('.statusbar-item[aria-label^="4 rented"]').click({ timeout: SOON });
  assert.match(await window.quickTitle(TITLE), /\/h$/);
  const items = await window.quickItems();
  const train = items.find(({ label }) => label === "train");
  assert.match(train?.description ?? "", /^\$\d+\.\d+\/h · running · \d+$/);
  assert.ok(items.some(({ separator }) => separator === "Volumes"));
  assert.ok(!items.some(({ description }) => /\$0\/h/.test(description)));
});

step("Enter alone asks what is to happen, and Back keeps the ticks", "161-enter", person, async (all) => {
  const { window } = all;
  const before = all.requests.filter(({ method }) => method !== "GET").length;
  await tick(window, "train");
  await window.page.keyboard.press("Enter");
  await window.quickTitle("1 instance selected");
  await window.screenshot("161-what");
  await window.quickBack();
  await window.quickTitle(TITLE);
  await until("the tick is there again", async () => (await tickOf(window, "train")) === true);
  assert.equal(all.requests.filter(({ method }) => method !== "GET").length, before);
});

step("two are destroyed once their number is typed, and nothing else will do", "162-gone", person, async (all) => {
  const { window } = all;
  await tick(window, "sweep");
  await window.screenshot("162-ticked");
  await press(window, "trash");
  await window.quickTitle("Destroy 2 Instances");
  await window.quickSays(/Type 2 to destroy 2 instances \(\$.*in total\)\. Everything on their disks/);
  await window.screenshot("162-number");
  await window.quickRefused("4", /Type 2, the number of instances/);
  await window.screenshot("162-wrong");
  assert.equal(count(all), 4);
  await window.quickAnswer("2");
  await window.quickTitle(TITLE);
  assert.equal(count(all), 2);
  const left = (await window.quickItems()).map(({ label }) => label);
  assert.ok(left.includes("notebook") && left.includes("old data"), left.join());
  assert.ok(!left.includes("train") && !left.includes("sweep"), left.join());
});

step("one that is stopped stays, with its disk", "163-stopped", person, async ({ window }) => {
  await tick(window, "old data");
  await press(window, "debug-stop");
  assert.match((await window.dialog()).message, /^Stop instance \d+ “old data”\?$/);
  await window.dialogButton("Stop");
  await window.quickTitle(TITLE);
  await window.quickClose();
  await window.waitForRow(/^old data, instance \d+, stopped/);
  await window.command("Cloud GPU: Show Current Costs");
  await window.quickTitle(TITLE);
  const row = (await window.quickItems()).find(({ label }) => label === "old data");
  assert.equal(row?.separator, "Only the disk is billed");
  assert.match(row?.description ?? "", /^\$0\.\d+\/h · stopped/);
  const detail = async () => (await window.quickItems()).find(({ label }) => label === "old data")?.detail ?? "";
  // Nothing is known of it until it was seen twice.
  for (let tries = 0; !/^Its disk has cost /.test(await detail()); tries += 1) {
    assert.ok(tries < 20, "its disk's cost is known");
    await window.quickClose();
    await window.command("Cloud GPU: Show Current Costs");
    await window.quickTitle(TITLE);
  }
  assert.match(await detail(), /^Its disk has cost (at least )?<?\$0\.\d+ since \d\d:\d\d/);
  await window.screenshot("163-disk");
});

step("what the service refuses to destroy comes first, until it is gone", "164-failed", person, async (all) => {
  const { window, service } = all;
  for (const fault of ["403@destroyInstances", "403@destroyInstance"] as const) service.faults.add(fault);
  await tick(window, "notebook");
  await press(window, "trash");
  await window.dialogButton("Destroy");
  await window.quickTitle(TITLE);
  const [again, failed] = await window.quickItems();
  assert.deepEqual([again?.separator, again?.label], ["Still billed", "Try Again"]);
  assert.equal(failed?.label, "notebook");
  assert.match(failed?.detail ?? "", /^May still exist and cost money\. The API key/);
  assert.equal(count(all), 2);
});

step("and is destroyed by Try Again", "165-again", person, async (all) => {
  const { window, service } = all;
  service.faults.clear();
  await window.quickPick("Try Again");
  assert.match((await window.dialog()).message, /^Destroy instance \d+ “notebook”\?$/);
  await window.dialogButton("Destroy");
  await until("it is gone", () => count(all) === 1);
  await window.quickTitle(TITLE);
  const labels = (await window.quickItems()).map(({ label }) => label);
  assert.ok(!labels.includes("notebook") && !labels.includes("Try Again"), labels.join());
  await window.quickClose();
});

step("a volume can't be ticked, and a workergroup is shown", "166-workergroup", person, async ({ window }) => {
  await window.command("Cloud GPU: Show Current Costs");
  await window.quickTitle(TITLE);
  await window.quickPick("datasets");
  await until("its tick is taken back", async () => (await tickOf(window, "datasets")) === false);
  await window.page.locator('.quick-input-header [role="checkbox"]').first().click({ timeout: SOON });
  await until("all that can be ticked is", async () => {
    const ticked = (await window.quickItems()).filter(({ checked }) => checked).map(({ label }) => label);
    return ticked.join() === "old data";
  });
  await window.screenshot("166-all");
  await window.quickPick("Workergroup 7701");
  await window.page.locator(".tab.active", { hasText: "Workergroup 7701" }).waitFor({ timeout: SOON });
});

step(
  "an instance that is gone is rented again: its summary opens with what it costs now",
  "167-again",
  person,
  async (all) => {
    const { window } = all;
    const before = all.requests.filter(({ method }) => method === "PUT").length;
    await window.command("Cloud GPU: Launch Similar Instance…");
    await window.quickTitle("Launch Similar Instance");
    await window.screenshot("167-gone");
    const train = (await window.quickItems()).find(({ label }) => label === "train");
    assert.match(train?.description ?? "", /\$\d+\.\d+\/h · gone since \d\d:\d\d/);
    await window.quickPick("train");
    const title = await window.quickTitle(/^Launch Similar Instance · /);
    assert.match(title, /same price as before|\$\d.*\/h (more|less) than before/);
    assert.equal(all.requests.filter(({ method }) => method === "PUT").length, before, "nothing is rented yet");
  },
);
