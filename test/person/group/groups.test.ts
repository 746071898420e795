// A group, as a person: chosen, reviewed, rented by one confirmation, seen as one row, renamed, given an end, and destroyed.
import assert from "node:assert/strict";
import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { eventually } from "../../editor/lists.ts";
import { HAS_SSH, makeLaptop } from "../laptop.ts";
import { ownFolder, SOON, stage, step } from "../support.ts";

const folder = await ownFolder();
const laptop = await makeLaptop(folder, { usesKey: false });
const project = join(folder, "project");
await mkdir(project, { recursive: true });

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
const creates = () =>
  person().requests.filter(({ method, path }) => method === "PUT" && path.startsWith("/api/v0/asks/"));

step("the machines are chosen by kind, and how many", "500-machines", person, async ({ window }) => {
  await window.openContainer("Cloud GPU");
  await window.waitForRow(/^PyTorch/);
  await window.command("Cloud GPU: Launch Group from Template…");
  assert.match(await window.quickTitle(/Launch Group from Template/), /1\/3/);
  await window.quickPick(/^PyTorch/);
  await window.quickTitle(/2\/3/);
  const lines = (await window.quickItems()).map(({ label, description }) => `${label} ${description}`);
  assert.ok(
    lines.some((line) => /^1× RTX 3090 \d+ machines · \$0\.\d+\/h to \$0\.\d+\/h$/.test(line)),
    lines.join("\n"),
  );
  assert.ok(lines.some((line) => /^Cheapest \d+ machines/.test(line)));
});

step("a count that isn't one is refused, with what it may be", "501-count", person, async ({ window }) => {
  await window.quickPick(/^1× RTX 3090/);
  await window.quickSays(/How many instances\? 2 to \d+/);
  for (const [typed, says] of [
    ["1", /enter a whole number from 2 to 64/],
    ["65", /enter a whole number from 2 to 64/],
    ["64", /only \d+ such machines are available/],
  ] as const) {
    await window.quickType(typed);
    await window.quickAccept();
    await window.quickSays(says);
  }
});

step(
  "the summary has the sum, a line for each machine, and what is decided together",
  "502-summary",
  person,
  async ({ window }) => {
    await window.quickAnswer("4");
    await window.quickTitle(/3\/3/);
    const lines = (await window.quickItems()).map(({ label, description }) => `${label} ${description}`.trim());
    for (const shape of [
      /^Rent 4 instances for \$\d+\.\d+\/h…/,
      /^Machines… 4 machines, each 1× RTX 3090$/,
      /^Must Run… all 4$/,
      /^Time Limit… 20 min$/,
      /^If Too Few Run… ask me/,
      /^Auto-Stop… no auto-stop$/,
      /^While running \$/,
      /^Disk… 32 GB each/,
      /^Name… pytorch.*-1$/,
      /^3 1× RTX 3090 \$0\.\d+\/h · /,
    ])
      assert.ok(
        lines.some((line) => shape.test(line.replaceAll(/\s+/g, " "))),
        `${shape} in\n${lines.join("\n")}`,
      );
  },
);

step("what must run, and what happens otherwise, can be changed on it", "503-changed", person, async ({ window }) => {
  await window.quickPick(/^Must Run…/);
  await window.quickPick(/^At Least…/);
  await window.quickAnswer("3");
  await window.quickPick(/^If Too Few Run…/);
  await window.quickPick(/^Destroy Them/);
  await window.quickPick(/^Name…/);
  await window.quickType("Sweep 7");
  await window.quickAccept();
  await window.quickSays(/use up to 41 lowercase letters, digits, and hyphens/);
  await window.quickAnswer("sweep-7");
  await window.quickPick(/^Auto-Stop…/);
  await window.quickPick(/^In 8 h/);
  await window.quickPick(/^Destroy It/);
  await window.quickTitle(/3\/3/);
  const lines = (await window.quickItems()).map(({ label, description }) => `${label} ${description}`.trim());
  for (const shape of [
    /^Must Run… at least 3 of 4$/,
    /^If Too Few Run… destroy all rented instances/,
    /^Name… sweep-7$/,
    /^Until the end at most \$/,
  ])
    assert.ok(
      lines.some((line) => shape.test(line)),
      `${shape} in\n${lines.join("\n")}`,
    );
  assert.equal(creates().length, 0);
});

step(
  "the question names the number and the sum; keeping it rents nothing",
  "504-question",
  person,
  async ({ window }) => {
    await window.quickPick(/^Rent 4 instances/);
    const { message, detail } = await window.dialog();
    assert.match(message, /^Rent 4 instances for \$\d\.\d+\/h\?$/);
    assert.match(detail, /Group “sweep-7”: 4 machines, each 1× RTX 3090\./);
    assert.match(
      detail,
      /Must be running within 20 min: at least 3 of 4\.\s*If too few are running by then: destroy all rented instances/,
    );
    await window.screenshot("504-question");
    await window.dialogButton("Cancel");
    await window.quickTitle(/3\/3/);
    assert.equal(creates().length, 0);
  },
);

step("after it, one row has them all, and says how many are ready", "505-row", person, async ({ window }) => {
  await window.quickPick(/^Rent 4 instances/);
  await window.dialogButton("Rent");
  await window.waitForRow(/^Group sweep-7, \d of 4 ready/, SOON);
  await window.screenshot("505-starting");
  await window.waitForRow(/^Group sweep-7, 4 of 4 ready, \$\d\.\d+\/h, destroys at /, 120_000);
  await window.waitForNotification(/^Group “sweep-7” is running: 4 instances at \$\d\.\d+\/h\.$/, SOON);
  assert.equal(creates().length, 4);
  assert.equal(
    new Set(
      person()
        .service.world.listInstances()
        .map(({ offer }) => offer.machine.id),
    ).size,
    4,
  );
  for (const rank of [0, 1, 2, 3]) await window.waitForRow(new RegExp(`^sweep-7/${rank}, instance \\d+, running`));
});

step("its tooltip says what was agreed", "506-tooltip", person, async ({ window }) => {
  const text = await window.hover(/^Group sweep-7/);
  assert.match(text, /Must run: at least 3 of 4/);
  assert.match(text, /Instances: 0: \d+, 1: \d+/);
});

if (HAS_SSH) {
  step("one command runs on all of them, in one terminal", "515-run", person, async ({ window }) => {
    await window.clearNotifications();
    await window.rowMenu(/^Group sweep-7/, "Run on Group…");
    await window.quickAnswer("echo machine $CLOUD_GPU_RANK of $CLOUD_GPU_COUNT");
    const rows = window.page.locator(".terminal-wrapper.active .xterm-rows");
    const shown = async () => {
      const text = (await rows.allInnerTexts()).join("\n").replaceAll("\u00a0", " ");
      const ranks = [0, 1, 2, 3].every((rank) => text.includes(`[${rank}] machine ${rank} of 4`));
      return (ranks && text.includes("4 instances ended with exit code 0.")) || undefined;
    };
    assert.ok(await eventually(window.page, shown, SOON), (await rows.allInnerTexts()).join("\n"));
  });

  step("the files that are handed over say what can't be used, and why", "516-files", person, async ({ window }) => {
    await window.rowMenu(/^Group sweep-7/, "Export Group Files…");
    await window.quickPick(/in this workspace/);
    await window.quickTitle(/^Export Group Files$/);
    const items = await window.quickItems();
    const ticked = items.filter(({ checked }) => checked).map(({ label }) => label);
    assert.deepEqual(ticked, ["hosts.json", "hosts.txt", "inventory.yml", "parallel.slf"]);
    assert.match(items.find(({ label }) => label === "ray.sh")?.description ?? "", /in the same overlay network/);
  });

  step("they are written into the workspace", "517-written", person, async ({ window }) => {
    await window.quickAccept();
    await window.waitForNotification(/^The files for 4 instances are in .*cloud-gpu.sweep-7\.$/, SOON);
    const place = join(project, "cloud-gpu", "sweep-7");
    const names = (await readdir(place)).filter((name) => !name.startsWith("."));
    assert.deepEqual(names.sort(), ["hosts.json", "hosts.txt", "inventory.yml", "parallel.slf"]);
    assert.equal(JSON.parse(await readFile(join(place, "hosts.json"), "utf8")).hosts.length, 4);
  });
}

step("renaming it, the only one, renames its instances", "507-renamed", person, async ({ window }) => {
  await window.clearNotifications();
  // No group is selected, and there is nothing to choose from.
  await window.clickRow(/^sweep-7\/1, instance/);
  await window.command("Cloud GPU: Rename Group…");
  await window.quickTitle(/^Rename Group$/);
  await window.quickAnswer("train-1");
  await window.waitForRow(/^Group train-1, 4 of 4 ready/, SOON);
  for (const rank of [0, 3]) await window.waitForRow(new RegExp(`^train-1/${rank}, instance \\d+`), SOON);
});

step("one end is set for all of them", "508-end", person, async ({ window }) => {
  await window.rowMenu(/^Group train-1/, "Set Auto-Stop of Group…");
  await window.quickPick(/^Extend Each by 1 h/);
  await window.waitForRow(/^Group train-1, .*destroys at /, SOON);
  await window.rowMenu(/^Group train-1/, "Set Auto-Stop of Group…");
  await window.quickPick(/^In 24 h/);
  await window.quickPick(/^Stop It/);
  await window.waitForRow(/^Group train-1, .*stops/, SOON);
  await window.waitForRow(/^train-1\/2, instance \d+, running, .*stops/, SOON);
});

step("one that is gone is counted", "509-gone", person, async ({ window }) => {
  await window.rowMenu(/^train-1\/1, instance/, "Destroy Instance…");
  await window.dialogButton("Destroy");
  await window.waitForRow(/^Group train-1, 3 of 4 ready, 1 no longer exists/, SOON);
});

step(
  "destroying it asks once, with every instance named, and the row goes",
  "510-destroy",
  person,
  async ({ window }) => {
    await window.rowMenu(/^Group train-1/, "Destroy Group…");
    const { message, detail } = await window.dialog();
    assert.match(message, /^Destroy group “train-1” \(3 instances, \$\d\.\d+\/h\)\?$/);
    for (const rank of [0, 2, 3]) assert.match(detail, new RegExp(`Instance \\d+ “train-1/${rank}”`));
    await window.screenshot("510-destroy");
    await window.dialogButton("Destroy");
    await window.page.getByText("This account has no instances").first().waitFor({ timeout: SOON });
    assert.equal(person().service.world.listInstances().length, 0);
  },
);
