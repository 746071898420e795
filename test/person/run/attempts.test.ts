// A task that continues on another instance without another question: agreed to in the summary, told when it happens, and one run at its end.
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { HAS_SSH, makeLaptop } from "../laptop.ts";
import { ownFolder, SOON, shows, stage, step } from "../support.ts";

const folder = await ownFolder();
const laptop = await makeLaptop(folder, { usesKey: true });
const project = join(folder, "training");
await mkdir(join(project, ".vscode"), { recursive: true });
const TRAIN = `mkdir -p out
if [ -e out/1.pt ]; then echo "continues as $CLOUD_GPU_ATTEMPT with $(cat out/1.pt)"; exit 0; fi
echo weights > out/1.pt
echo epoch 1
sleep 600
`;
await writeFile(join(project, "train.sh"), TRAIN);
const task = {
  ...{ label: "train", type: "cloudGpu", problemMatcher: [], command: "bash train.sh", instance: "new" },
  ...{ results: ["out/**"], resultsEveryMinutes: 1, maxPricePerHour: 0.4, image: "pytorch/pytorch" },
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
    world.account.credit = 1_000_000;
    for (const { id, fate } of world.offers) if (fate !== "gone") world.setFate(id, "runs");
  },
});

if (HAS_SSH) {
  step(
    "the summary rents nothing more unless a number of attempts is chosen",
    "287-lost",
    person,
    async ({ window }) => {
      await window.openContainer("Cloud GPU");
      await window.waitForRow(/^PyTorch/);
      await window.command("Tasks: Run Task");
      await window.quickPick("train");
      await window.quickPick(/^1× RTX A5000/);
      const labels = async () => (await window.quickItems()).map(({ label, description }) => `${label} ${description}`);
      assert.ok((await labels()).some((line) => /^If the Instance Is Lost… tell me, and rent nothing/.test(line)));
      await window.quickPick(/^If the Instance Is Lost/);
      assert.deepEqual(
        (await window.quickItems()).map(({ label }) => label),
        ["Tell Me, and Rent Nothing", ...[2, 3, 5, 10].map((count) => `Up to ${count} Attempts`)],
      );
    },
  );

  step("what is agreed to is in the summary", "288-attempts", person, async ({ window }) => {
    await window.quickPick("Up to 2 Attempts");
    const line = window.page.locator(".quick-input-list", { hasText: "2 attempts in all, each at most $0.40/h" });
    await line.waitFor({ timeout: SOON });
  });

  step("and in the question", "289-agree", person, async ({ window }) => {
    await window.quickPick(/^Rent 1× RTX A5000/);
    const { detail } = await window.dialog();
    assert.match(
      detail,
      /without asking, .*: 2 attempts in all, each at most \$0\.40\/h, and all of them within the run's limit/,
    );
    assert.match(detail, /The command goes on with the results downloaded by then\./);
  });

  step("a loss is told with the way to call it off", "290-another", person, async ({ window, service: { world } }) => {
    await window.dialogButton("Rent");
    await shows(window, /epoch 1/, 120_000);
    await window.toggleRow(/^1× RTX A5000, instance/);
    // A checkpoint that is only on its way doesn't go along.
    await window.waitForRow(/^Run train on instance \d+, results from /, 3 * SOON);
    for (const { id } of world.listInstances()) world.destroy(id);
    await window.waitForNotification(/^Instance \d+ seems to be lost\. .* attempt 2 of 2\./, 3 * SOON);
    await shows(window, /Press Ctrl\+C to rent nothing\./, SOON);
  });

  step("it continues without a question, as one run", "291-continued", person, async ({ window, service }) => {
    await shows(window, /continues as 2 with weights/, 240_000);
    await shows(window, /was destroyed.*Cost: .* for 2 instances\./, 3 * SOON);
    assert.deepEqual(service.world.listInstances(), []);
    await window.command("Cloud GPU: Show Runs…");
    const rows = (await window.quickItems()).map(({ label, description }) => `${label} ${description}`);
    assert.equal(rows.length, 1);
    assert.match(rows[0] ?? "", /train exit code 0 · .*attempt 2$/);
  });
}
