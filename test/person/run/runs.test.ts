// A file runs on a machine, its output comes as it is printed, its files come back, and a window that is closed ends nothing.
import assert from "node:assert/strict";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInstance } from "../../../src/sandbox/handlers/create-instance.ts";
import type { RequestLine } from "../../../src/sandbox/http/request-line.ts";
import { findExtensionHosts } from "../../editor/processes.ts";
import { HAS_SSH, makeLaptop } from "../laptop.ts";
import { ownFolder, shows, stage, step, until } from "../support.ts";

const folder = await ownFolder();
const laptop = await makeLaptop(folder, { usesKey: true });
const project = join(folder, "fine-tune");
await mkdir(project);
await writeFile(
  join(project, "train.sh"),
  'echo "epoch 1"\nmkdir -p out\necho weights > out/model.bin\necho "epoch 2"\n',
);
await writeFile(join(project, "long.sh"), 'echo "begun"\nwhile [ ! -e go ]; do sleep 0.2; done\necho "finished"\n');
await mkdir(join(project, ".vscode"));
const task = (label: string, more: object) => ({ label, type: "cloudGpu", problemMatcher: [], ...more });
const tasks = [
  task("train", { command: "echo from a task; exit 7", instance: 31_000_003 }),
  task("mistaken", { command: "true", instance: "mine" }),
];
await writeFile(join(project, ".vscode", "tasks.json"), JSON.stringify({ version: "2.0.0", tasks }));
await writeFile(join(project, ".env"), "HF_TOKEN=hf_none\n");

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

const isCreate = ({ method, path }: RequestLine) => method === "PUT" && path.startsWith("/api/v0/asks/");
const runsFolder = join(project, ".cloud-gpu", "runs");
const results = async () => (await readdir(runsFolder).catch(() => [])).filter((name) => !name.startsWith("."));

/** Ends the process that runs extensions, with no chance to say anything. */
async function killExtensionHost(editor: number): Promise<void> {
  const hosts = await findExtensionHosts(editor);
  assert.equal(hosts.length, 1, "one process runs extensions");
  for (const pid of hosts) process.kill(pid, "SIGKILL");
}

if (HAS_SSH) {
  step(
    "where no instance is running, a file leads to an offer, and to a summary that says what follows",
    person,
    async ({ window, requests, service }) => {
      await window.openContainer("Cloud GPU");
      await window.waitForRow(/^PyTorch/);
      await window.command("View: Show Explorer");
      await window.rowMenu(/^train\.sh/, "Run on a GPU…");
      await window.quickTitle(/Run train\.sh on a GPU/);
      await window.quickPick(/^1× RTX 3090/);
      await window.quickTitle(/3\/3/);
      await window.screenshot("267-summary");
      const lines = (await window.quickItems()).map(({ label, description }) => `${label} ${description}`.trim());
      for (const shape of [
        /^Runs PyTorch/,
        /^Command… bash train\.sh/,
        /^Upload 3 files .*possible secrets\): \.env/,
        /^Limit… 24 h \(at most about \$\d+\.\d\d\)/,
        /^When It Finishes… destroy the instance/,
        /^If VS Code Is Closed… the instance tries to stop itself 1 hour after the command ends/,
      ])
        assert.ok(
          lines.some((line) => shape.test(line)),
          `${shape} in\n${lines.join("\n")}`,
        );
      assert.equal(requests.filter(isCreate).length, 0);
      // Its machine is to fail, and the next one isn't.
      const offer = lines.map((line) => /^Offer (\d+), machine/.exec(line)?.[1]).find(Boolean);
      service.world.setFate(Number(offer), "exited");
    },
  );

  step("its limit can be changed there, to a time, a sum or both", "274-limit", person, async ({ window }) => {
    await window.quickPick(/^Limit…/);
    await window.quickType("soon");
    await window.quickRefused("soon", /^Enter a time limit, a cost limit, or both, such as “8 h” or “8 h, \$5”\.$/);
    await window.quickAnswer("2 h, $5");
    await window.quickTitle(/3\/3/);
    const rows = await window.quickItems();
    const limit = rows.find(({ label }) => label.startsWith("Limit"));
    assert.match(limit?.description ?? "", /^2 h \(at most about \$\d+\.\d+\) or \$5\.00$/);
  });

  step("one confirmation rents it, and says what happens after the run", "268-confirm", person, async ({ window }) => {
    await window.quickPick(/^Rent 1× RTX 3090/);
    const { message, detail } = await window.dialog();
    assert.match(message, /^Rent 1× RTX 3090 for \$0\.\d+\/h\?$/);
    assert.match(detail, /Then Cloud GPU uploads 3 files .* and runs:\s*bash train\.sh/);
    assert.match(
      detail,
      /Cloud GPU stops the command after 2 h \(at most about .*\) or \$5\.00, counted from renting\./,
    );
    assert.match(
      detail,
      /After the command ends and its results are downloaded, .* the instance tries to stop itself an hour later\./,
    );
  });

  step(
    "where the machine fails, the run asks in its own terminal, and the row's Replace leads to the same question",
    person,
    async ({ window, service }) => {
      await window.dialogButton("Rent");
      const asks = /failed: .*1 {2}Destroy and Replace….*2 {2}Destroy….*Press the number of your choice/;
      await shows(window, asks, 120_000);
      await window.waitForNotification(/The run waits for your choice in its terminal\./);
      await window.screenshot("275-failed");
      assert.ok((await window.statusBar()).some((entry) => /Failed, but may still be billed:/.test(entry)));
      await window.openContainer("Cloud GPU");
      await window.rowMenu(/, instance \d+, exited/, "Replace Instance…");
      const { message, detail } = await window.dialog();
      assert.match(message, /^Destroy instance \d+ and rent another 1× RTX 3090/);
      assert.match(detail, /Then train\.sh runs on it, as you confirmed\./);
      await window.dialogButton("Not Now");
      // The first question may have begun to scroll away.
      await shows(window, new RegExp(`Press the number of your choice.*${asks.source}`));
      await window.page.locator(".terminal-wrapper.active .xterm").last().click();
      await window.page.keyboard.press("1");
      await window.dialog();
      await window.screenshot("276-replace");
      assert.equal(service.world.listInstances().length, 1);
    },
  );

  step(
    "the output comes, the results come, the instance is destroyed, and its cost is said",
    "269-destroyed",
    person,
    async ({ window, requests, service }) => {
      await window.dialogButton("Destroy and Rent");
      await shows(
        window,
        /If VS Code doesn't destroy it, the instance stops itself 1 hour after .*The run's limit stops the command at/,
        120_000,
      );
      await shows(window, /epoch 1.*epoch 2.*Ended with exit code 0/);
      await shows(window, /Results: 1 file \(8 B\).*Instance \d+ was destroyed\..*Cost: /);
      await window.waitForNotification(/^“train\.sh”: Ended with exit code 0 .* Instance \d+ was destroyed\. Cost: /);
      assert.equal(requests.filter(isCreate).length, 2, "one that failed, and one instead");
      assert.deepEqual(service.world.listInstances(), []);
      const [run = ""] = await results();
      assert.equal(await readFile(join(runsFolder, run, "out/model.bin"), "utf8"), "weights\n");
      await rm(join(project, ".cloud-gpu"), { recursive: true });
      await window.clearNotifications();
    },
  );

  step(
    "from the Explorer, a file runs after one question that says what goes and what it costs",
    "260-question",
    person,
    async ({ window, service: { world } }) => {
      const offer = world.offers.find((one) => world.isRentable(one));
      assert.ok(offer);
      createInstance(world, offer.id, { image: "a/b", runtype: "ssh_direct", label: "mine" });
      await window.openContainer("Cloud GPU");
      await window.command("Cloud GPU: Refresh");
      await window.waitForRow(/^mine, instance \d+, running/, 90_000);
      await window.command("View: Show Explorer");
      await window.rowMenu(/^train\.sh/, "Run on a GPU…");
      await window.quickPick(/^mine/);
      await window.quickTitle("Run train.sh on a GPU");
      await window.screenshot("260-command");
      await window.quickAccept();
      const { message, detail, buttons } = await window.dialog();
      assert.match(message, /^Run this on instance \d+\?$/);
      assert.match(detail, /^bash train\.shUploaded first: 3 files/);
      assert.match(detail, /keeps running at \$0\.\d+\/h until you stop or destroy it/);
      assert.match(detail, /possible secrets\): \.env/);
      assert.deepEqual([...buttons].sort(), ["Cancel", "Run", "Show List"]);
    },
  );

  step(
    "its output is in a terminal, its files are in a folder of the run, and its cost is said",
    "261-ended",
    person,
    async ({ window }) => {
      await window.dialogButton("Run");
      await shows(window, /epoch 1.*epoch 2.*Ended with exit code 0/);
      await shows(window, /Results: 1 file \(8 B\) in .*The instance keeps running at \$0\.\d+\/h/);
      await window.waitForNotification(/^“train\.sh”: Ended with exit code 0 after \d+ s\. Results: 1 file \(8 B\)/);
      const [run = ""] = await results();
      assert.match(run, /^\d{8}-\d{6}-train-sh$/);
      assert.equal(await readFile(join(runsFolder, run, "out/model.bin"), "utf8"), "weights\n");
      assert.match(await readFile(join(runsFolder, run, "run.log"), "utf8"), /epoch 1\nepoch 2\n$/);
    },
  );

  step(
    "a window that is reloaded in the middle offers to go on, and shows all that was printed",
    "262-reattached",
    person,
    async ({ window, service }) => {
      await window.clearNotifications();
      await window.rowMenu(/^long\.sh/, "Run on a GPU…");
      await window.quickPick(/^mine/);
      await window.quickTitle("Run long.sh on a GPU");
      await window.quickAccept();
      // It is agreed to what was shown, and this is another command.
      assert.match((await window.dialog()).detail, /^bash long\.sh/);
      await window.dialogButton("Run");
      await shows(window, /begun/);
      await window.reload();
      await window.waitForNotification(
        /^“long\.sh” was running on instance \d+ when its window was closed\.$/,
        120_000,
      );
      await window.notificationButton("Reattach");
      await shows(window, /\$ bash long\.sh.*begun/);
      const [machine] = service.world.listInstances();
      assert.ok(machine);
      await window.screenshot("262-again");
      await window.page.locator(".terminal-wrapper.active .xterm").last().click();
      await window.page.keyboard.press("Control+c");
      await shows(window, /Stopping the command.*Ended with exit code 143/);
    },
  );

  step("runs are listed with what became of them", "263-runs", person, async ({ window }) => {
    await window.clearNotifications();
    await window.command("Cloud GPU: Show Runs…");
    const rows = (await window.quickItems()).map(({ label, description }) => `${label} ${description}`);
    assert.match(rows[0] ?? "", /long\.sh exit code 143/);
    assert.match(rows[1] ?? "", /train\.sh exit code 0/);
    await window.quickPick(/train\.sh/);
    await window.quickPick("Open Output");
    await window.page.locator(".tab.active", { hasText: "run.log" }).waitFor();
  });

  step(
    "they are below their instance, and one that is over shows its output",
    "270-rows",
    person,
    async ({ window }) => {
      await window.openContainer("Cloud GPU");
      await window.toggleRow(/^mine, instance/);
      await window.waitForRow(/^Run long\.sh on instance \d+, exit code 143/);
      await window.rowMenu(/^Run train\.sh on instance \d+, exit code 0/, "Open Output");
      await window.page.locator(".tab.active", { hasText: "run.log" }).waitFor();
    },
  );

  step("Run Again runs the last one without a question", "264-again", person, async ({ window }) => {
    const before = (await results()).length;
    await writeFile(join(project, "long.sh"), "echo once more\n");
    await window.command("Cloud GPU: Run Again on a GPU");
    await shows(window, /once more.*Ended with exit code 0/);
    await until("it has a folder of its own", async () => (await results()).length === before + 1);
  });

  step(
    "a task runs the same way, and ends with the exit code of its command",
    "265-task",
    person,
    async ({ window }) => {
      await window.command("Tasks: Run Task");
      await window.quickPick("train");
      await window.dialogButton("Run");
      await shows(window, /from a task.*Ended with exit code 7/);
      await shows(window, /terminated with exit code: 7/);
    },
  );

  step(
    "a task with a mistake says what is wrong, and runs nothing",
    "266-mistake",
    person,
    async ({ window, service }) => {
      const before = (await results()).length;
      await window.command("Tasks: Run Task");
      await window.quickPick("mistaken");
      await shows(window, /Invalid “instance” in the task\. Enter an instance ID, “pick”, or “new”\./);
      assert.equal((await results()).length, before);
      assert.equal(service.world.listInstances().length, 1);
    },
  );

  step(
    "a window that is reloaded while its instance starts says that it was rented, and what it costs",
    "272-never-began",
    person,
    async ({ window, service: { world } }) => {
      await window.clearNotifications();
      await window.command("View: Show Explorer");
      await window.rowMenu(/^train\.sh/, "Run on a GPU…");
      await window.quickPick("Rent a GPU…");
      await window.quickPick(/^1× RTX 3090/);
      await window.quickPick(/^Rent 1× RTX 3090/);
      const creating = world.listInstances().length;
      await window.dialogButton("Rent");
      await until("it is rented", () => world.listInstances().length > creating);
      await window.waitForRow(/^1× RTX 3090, instance \d+, (?!running)/);
      await window.reload();
      await window.waitForNotification(
        /^Instance \d+ was rented for “train\.sh”, but the run never started\. Instance \d+ costs \$0\.\d+\/h until you destroy it\.$/,
        120_000,
      );
      assert.equal(world.listInstances().length, creating + 1);
    },
  );

  step(
    "who stops waiting and keeps the instance has nothing run on it, also not by what is offered later",
    "273-kept",
    person,
    async ({ window }) => {
      const before = (await results()).length;
      await window.clearNotifications();
      await window.command("View: Show Explorer");
      await window.rowMenu(/^train\.sh/, "Run on a GPU…");
      await window.quickPick("Rent a GPU…");
      await window.quickPick(/^1× RTX 3090/);
      await window.quickPick(/^Rent 1× RTX 3090/);
      await window.dialogButton("Rent");
      await window.waitForRow(/^1× RTX 3090, instance \d+, (?!running)/);
      await window.notificationButton("Cancel");
      await window.dialogButton("Keep in Background");
      await window.waitForNotification(/^Instance .+ is running at \$0\.\d+\/h/);
      await window.notificationButton("Open Terminal");
      await shows(window, /root@C\.\d+/);
      assert.equal((await results()).length, before);
    },
  );

  // Other systems don't tell which process it is.
  const stepOnLinux = process.platform === "linux" ? step : () => undefined;
  stepOnLinux(
    "an extension host that is killed in the middle loses nothing: the command goes on, and is offered again",
    "271-killed",
    person,
    async ({ window, editor }) => {
      // The sandbox's machine is a part of this computer.
      const [counted, gone] = [join(folder, "counted"), join(folder, "gone")];
      const waits = `while [ ! -e '${gone}' ]; do sleep 0.2; done`;
      await writeFile(join(project, "count.sh"), `echo again >> '${counted}'\necho begun\n${waits}\necho over\n`);
      await window.clearNotifications();
      await window.command("View: Show Explorer");
      await window.rowMenu(/^count\.sh/, "Run on a GPU…");
      await window.quickPick(/^mine/);
      await window.quickTitle("Run count.sh on a GPU");
      await window.quickAccept();
      await window.dialogButton("Run");
      await shows(window, /bash count\.sh.*begun/);
      await killExtensionHost(editor.pid);
      const left = /^“count\.sh” was running on instance \d+ when its window was closed\.$/;
      await window.waitForNotification(left, 180_000);
      await window.notificationButton("Reattach");
      await shows(window, /\$ bash count\.sh.*begun/);
      await writeFile(gone, "");
      await shows(window, /over.*Ended with exit code 0/);
      assert.equal(await readFile(counted, "utf8"), "again\n", "it began once");
    },
  );
}
