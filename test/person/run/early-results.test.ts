// Checkpoints of a task come while it runs, its row says since when they are here, and they stay when its instance is taken away.
import assert from "node:assert/strict";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInstance } from "../../../src/sandbox/handlers/create-instance.ts";
import { HAS_SSH, makeLaptop } from "../laptop.ts";
import { ownFolder, SOON, shows, stage, step, until } from "../support.ts";

const folder = await ownFolder();
const laptop = await makeLaptop(folder, { usesKey: true });
const project = join(folder, "checkpoints");
await mkdir(join(project, ".vscode"), { recursive: true });
const TRAIN = `mkdir -p out
if [ -e out/1.pt ]; then echo "continues as $CLOUD_GPU_ATTEMPT with $(cat out/1.pt)"; echo more > out/2.pt; exit 0; fi
echo weights > out/1.pt
echo epoch 1
sleep 600
`;
await writeFile(join(project, "train.sh"), TRAIN);
const task = {
  ...{ label: "train", type: "cloudGpu", problemMatcher: [], command: "bash train.sh" },
  ...{ results: ["out/**"], resultsEveryMinutes: 1 },
};
await writeFile(join(project, ".vscode", "tasks.json"), JSON.stringify({ version: "2.0.0", tasks: [task] }));

const person = stage({
  signedIn: true,
  sandbox: { ssh: true },
  folder: project,
  env: laptop.env,
  settings: laptop.settings,
  prepare: ({ world }) => {
    laptop.addKey(world);
    for (const { id, fate } of world.offers) if (fate !== "gone") world.setFate(id, "runs");
  },
});

const runsFolder = join(project, ".cloud-gpu", "runs");
const results = async () => (await readdir(runsFolder).catch(() => [])).filter((name) => !name.startsWith("."));

if (HAS_SSH) {
  step(
    "the question says that results come while it runs",
    "280-early-question",
    person,
    async ({ window, service: { world } }) => {
      const offer = world.offers.find((one) => world.isRentable(one)) ?? assert.fail();
      createInstance(world, offer.id, { image: "a/b", runtype: "ssh_direct", label: "mine" });
      await window.openContainer("Cloud GPU");
      await window.command("Cloud GPU: Refresh");
      await window.waitForRow(/^mine, instance \d+, running/, 90_000);
      await window.command("Tasks: Run Task");
      await window.quickPick("train");
      await window.quickPick(/^mine/);
      assert.match((await window.dialog()).detail, /Results are also downloaded every 1 min while the command runs\./);
    },
  );

  step("its row says when they were downloaded, and they are here", "281-early-row", person, async ({ window }) => {
    await window.dialogButton("Run");
    await shows(window, /epoch 1/);
    await until("a checkpoint is here", async () => (await results()).length === 1, 3 * SOON);
    const [run = ""] = await results();
    assert.match(run, /^\d{8}-\d{6}-train$/);
    assert.equal(await readFile(join(runsFolder, run, "out/1.pt"), "utf8"), "weights\n");
    await window.openContainer("Cloud GPU");
    await window.toggleRow(/^mine, instance/);
    await window.waitForRow(/^Run train on instance \d+, results from .+ · running when last seen · .+/);
  });

  step("the list of runs leads to them", "282-early-list", person, async ({ window }) => {
    await window.command("Cloud GPU: Show Runs…");
    const rows = (await window.quickItems()).map(({ label, description }) => `${label} ${description}`);
    assert.match(rows[0] ?? "", /train running when last seen · .+ · results from /);
    await window.quickPick(/train/);
    assert.deepEqual(
      (await window.quickItems()).map(({ label }) => label),
      ["Reattach", "Reveal Results"],
    );
    await window.quickPick("Reveal Results");
    await window.waitForRow(/^out/);
  });

  step(
    "they stay when the instance is taken away, and the end says until when they go",
    "283-early-gone",
    person,
    async ({ window, service: { world } }) => {
      for (const { id } of world.listInstances()) world.destroy(id);
      await shows(window, /Results as of .*: 1 file \(8 B\) in \.cloud-gpu.*wasn't downloaded/, 3 * SOON);
      await window.waitForNotification(/Results as of .*: 1 file \(8 B\)/);
    },
  );

  step(
    "there it can be continued, and the summary says what goes along and what the earlier attempt cost",
    "284-continue",
    person,
    async ({ window }) => {
      await window.notificationButton("Continue on Another Instance…");
      // That the instance is gone takes two answers, a minute apart.
      const title = window.page.locator(".quick-input-title", { hasText: "Continue train on Another Instance" });
      await title.waitFor({ timeout: 120_000 });
      const lines = (await window.quickItems()).map(({ label, description }) => `${label} ${description}`.trim());
      for (const shape of [
        /^Attempt 2, earlier ones cost (?:less than|about) \$0\.\d+/,
        /^Results So Far 1 file \(8 B\), downloaded /,
        /^Command… bash train\.sh/,
        /^Results… only out\/\*\*, also every 1 min while it runs/,
      ])
        assert.ok(
          lines.some((line) => shape.test(line)),
          `${shape} in\n${lines.join("\n")}`,
        );
    },
  );

  step("one confirmation rents for it, and says the same", "285-confirm-continue", person, async ({ window }) => {
    await window.quickPick(/^Rent \d+× /);
    const { detail } = await window.dialog();
    assert.match(
      detail,
      /This is attempt 2\. The results so far, 1 file \(8 B\) from .*, are uploaded to the same places\./,
    );
    assert.match(detail, /The command sees CLOUD_GPU_ATTEMPT=2\./);
  });

  step(
    "it continues with them, and its end is that of all attempts",
    "286-continued",
    person,
    async ({ window, service }) => {
      await window.dialogButton("Rent");
      await shows(window, /continues as 2 with weights/, 120_000);
      await shows(window, /Results: 2 files \(13 B\) in .*was destroyed.*Cost: .* for 2 instances\./, 3 * SOON);
      assert.deepEqual(service.world.listInstances(), []);
      const [run = "", ...more] = await results();
      assert.deepEqual(more, [], "all of it is in one folder");
      assert.equal(await readFile(join(runsFolder, run, "out/2.pt"), "utf8"), "more\n");
      await window.command("Cloud GPU: Show Runs…");
      const rows = (await window.quickItems()).map(({ label, description }) => `${label} ${description}`);
      assert.equal(rows.length, 1);
      assert.match(rows[0] ?? "", /train exit code 0 · .*attempt 2$/);
    },
  );
}
