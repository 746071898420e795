// Machines of one cluster, as a person: rented into a network, a file run on all of them, and deleted with it.
import assert from "node:assert/strict";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Workbench } from "../../editor/page.ts";
import { HAS_SSH, makeLaptop } from "../laptop.ts";
import { ownFolder, SOON, stage, step, until } from "../support.ts";

const folder = await ownFolder();
const laptop = await makeLaptop(folder, { usesKey: false });
const project = join(folder, "fine-tune");
await mkdir(project);
await writeFile(join(project, "train.py"), "print('trained')\n");
await writeFile(
  join(project, "shard.sh"),
  'echo "shard $CLOUD_GPU_RANK of $CLOUD_GPU_COUNT"\necho "$CLOUD_GPU_RANK" > shard.txt\n',
);

await mkdir(join(project, ".vscode"));
const task = (label: string, more: object) => ({ label, type: "cloudGpu", problemMatcher: [], ...more });
const tasks = [
  task("shards", { command: 'echo "task $CLOUD_GPU_RANK"; exit 5', instances: 2 }),
  task("too many", { command: "true", instances: 7 }),
];
await writeFile(join(project, ".vscode", "tasks.json"), JSON.stringify({ version: "2.0.0", tasks }));

const person = stage({
  signedIn: true,
  folder: project,
  sandbox: { ssh: HAS_SSH, speed: 60 },
  env: laptop.env,
  settings: laptop.settings,
  prepare: ({ world }) => {
    for (const { id, fate } of world.offers) if (fate !== "gone") world.setFate(id, "runs");
    laptop.addKey(world);
  },
});
const overlays = () => person().service.world.overlays.list();

/** Waits until the terminal shows this. Lines that are too long for it are one. */
async function shows({ page }: Workbench, text: RegExp, timeout = SOON): Promise<void> {
  const rows = page.locator(".terminal-wrapper.active .xterm-rows").last();
  const shown = async () => (await rows.allInnerTexts()).join("\n").replaceAll("\u00a0", " ").replaceAll("\n", "");
  await until(`the terminal shows ${text}`, async () => text.test(await shown()), timeout);
}

step("machines of one cluster come with a network of their own", "520-network", person, async ({ window }) => {
  await window.openContainer("Cloud GPU");
  await window.waitForRow(/^PyTorch/);
  await window.command("Cloud GPU: Launch Group from Template…");
  await window.quickPick(/^PyTorch/);
  await window.quickTitle(/2\/3/);
  await window.quickPick(/^Cluster 502/);
  await window.quickAnswer("2");
  await window.quickTitle(/3\/3/);
  const lines = (await window.quickItems()).map(({ label, description }) => `${label} ${description}`.trim());
  assert.ok(
    lines.some((line) => /^Network… \S+, created when you confirm$/.test(line)),
    lines.join("\n"),
  );
  assert.deepEqual(overlays(), []);
});

step("another network can be chosen, or none", "521-networks", person, async ({ window }) => {
  await window.quickPick(/^Network…/);
  await window.quickTitle(/Launch Group/);
  const lines = (await window.quickItems()).map(({ label }) => label);
  assert.deepEqual(lines, ["None", "New Network…"]);
  await window.screenshot("521-choice");
  await window.quickPick(/^New Network…/);
  await window.quickType("not a name");
  await window.quickAccept();
  await window.quickSays(/use up to 64 letters, digits, dots, hyphens, and underscores/);
  await window.quickAnswer("ring");
  await window.quickPick(/^Name…/);
  await window.quickAnswer("pair");
  await window.quickTitle(/3\/3/);
});

step("it is created with the group, which runs in it", "522-running", person, async ({ window }) => {
  await window.quickPick(/^Rent 2 instances/);
  const { detail } = await window.dialog();
  assert.match(detail, /Overlay network: ring, created when you confirm\./);
  await window.screenshot("522-question");
  await window.dialogButton("Rent");
  await window.waitForRow(/^Group pair, 2 of 2 ready/, 120_000);
  assert.deepEqual(
    overlays().map(({ name }) => name),
    ["ring"],
  );
});

step("the networks are listed with their instances", "523-overlays", person, async ({ window }) => {
  await window.command("Cloud GPU: Show Overlay Networks…");
  await window.quickTitle(/^Overlay Networks$/);
  const [first] = await window.quickItems();
  assert.equal(first?.label, "ring");
  assert.match(first?.description ?? "", /^2 instances · cluster 502 · 10\.77\.\d+\.0\/24$/);
  await window.screenshot("523-list");
  await window.quickPick(/^ring/);
  await window.quickTitle(/Overlay Network ring/);
  const lines = (await window.quickItems()).map(({ label }) => label);
  assert.deepEqual(lines.slice(0, 2), ["pair/0", "pair/1"]);
  await window.quickClose();
});

if (HAS_SSH) {
  step(
    "a file can go to all of them, and the engines that fit are offered",
    "524-engines",
    person,
    async ({ window }) => {
      await window.clearNotifications();
      await window.command("View: Show Explorer");
      await window.rowMenu(/^train\.py/, "Run on a GPU…");
      await window.quickTitle(/Run train\.py on a GPU/);
      const places = (await window.quickItems()).map(({ label }) => label);
      assert.equal(places[0], "pair");
      await window.screenshot("524-places");
      await window.quickPick(/^pair/);
      const ways = (await window.quickItems()).map(({ label }) => label);
      assert.deepEqual(ways, [
        "Same Command on Each",
        "Same Command on Each, Continue on Failure",
        "torchrun",
        "Ray",
        "Ansible",
      ]);
      await window.screenshot("524-ways");
      await window.quickPick(/^torchrun/);
      await window.quickSays(/Command\./);
      await window.quickClose();
    },
  );

  step("one question, then it runs on each, with what each prints", "525-job", person, async ({ window }) => {
    await window.rowMenu(/^shard\.sh/, "Run on a GPU…");
    await window.quickPick(/^pair/);
    await window.quickPick(/^Same Command on Each/);
    await window.quickAccept();
    await window.quickPick(/^Keep Them Running/);
    const { message, detail } = await window.dialog();
    assert.match(message, /^Run this on 2 instances of group “pair”\?$/);
    assert.match(detail, /If it fails on one instance, Cloud GPU stops it on all of them\./);
    await window.screenshot("525-question");
    await window.dialogButton("Run");
    await shows(window, /\[0\] shard 0 of 2/, 60_000);
    await shows(window, /\[1\] shard 1 of 2/);
    await shows(window, /\[1\] Ended with exit code 0/, 60_000);
    await window.waitForNotification(/^“shard\.sh” succeeded on 2 instances\./, SOON);
    const places = (await readdir(join(project, ".cloud-gpu", "runs"))).sort();
    assert.equal(places.length, 2, places.join(" "));
    for (const [rank, place] of places.entries())
      assert.equal(await readFile(join(project, ".cloud-gpu", "runs", place, "shard.txt"), "utf8"), `${rank}\n`);
  });
}

if (HAS_SSH)
  step("a task runs on a group with as many instances, and fails with it", "527-task", person, async ({ window }) => {
    await window.clearNotifications();
    await window.command("Tasks: Run Task");
    await window.quickPick("shards");
    await window.dialogButton("Run");
    await shows(window, /\[[01]\] Ended with exit code 5.*terminated with exit code: 1/, 60_000);
    await window.command("Tasks: Run Task");
    await window.quickPick("too many");
    await shows(window, /No group of 7 instances is running\./);
  });

step("deleting the network takes its name, and its instances with it", "526-delete", person, async ({ window }) => {
  await window.clearNotifications();
  await window.openContainer("Cloud GPU");
  await window.command("Cloud GPU: Show Overlay Networks…");
  await window.quickPick(/^ring/);
  await window.quickPick(/^Delete Overlay Network…/);
  await window.quickSays(/Deleting the network also destroys 2 instances, including the disks \(\$\d.*pair\/0/);
  await window.screenshot("526-prompt");
  await window.quickType("rin");
  await window.quickAccept();
  await window.quickSays(/That doesn't match\. Type ring/);
  assert.equal(person().service.world.listInstances().length, 2);
  await window.quickAnswer("ring");
  await window.waitForNotification(/^Overlay network “ring” was deleted, and 2 instances with it\.$/, SOON);
  assert.equal(person().service.world.listInstances().length, 0);
  assert.deepEqual(overlays(), []);
});
