// A template file that says what to run leads to a summary for its own template, and the person chooses what comes back.
import assert from "node:assert/strict";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { RequestLine } from "../../../src/sandbox/http/request-line.ts";
import { HAS_SSH, makeLaptop } from "../laptop.ts";
import { ownFolder, stage, step } from "../support.ts";

const folder = await ownFolder();
const laptop = await makeLaptop(folder, { usesKey: true });
const project = join(folder, "trainer");
await mkdir(join(project, "data"), { recursive: true });
await writeFile(join(project, ".gitignore"), "data/\n");
await writeFile(join(project, "data", "in.txt"), "from the data\n");
const SECRET = "hf_walk4711Secret";
const command =
  'echo "token=$HF_TOKEN"; ' +
  "cat data/in.txt; mkdir -p out tmp; echo weights > out/model.bin; echo x > tmp/cache; echo 1 > loss.csv";
const run = { command, secrets: ["HF_TOKEN"], results: ["out/**"], dataFolders: ["data"] };
const file = join(project, "trainer.gpu-template.json");
const template = { name: "Trainer", image: "pytorch/pytorch", runtype: "ssh", use_ssh: true, ssh_direct: true };
await writeFile(file, JSON.stringify({ ...template, run }, null, 2));
await writeFile(join(project, "silent.gpu-template.json"), JSON.stringify({ ...template, name: "Silent" }));

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

if (HAS_SSH) {
  step("a template file that doesn't say what to run says how to", person, async ({ window }) => {
    await window.openContainer("Cloud GPU");
    await window.waitForRow(/^PyTorch/);
    await window.command("View: Show Explorer");
    await window.rowMenu(/^silent\.gpu-template/, "Run on a GPU…");
    await window.waitForNotification(/^This template file doesn't say what to run\. Add "run": /);
    await window.clearNotifications();
  });

  step("one that does is pushed first, without what it says to run", person, async ({ window, service, requests }) => {
    await window.rowMenu(/^trainer\.gpu-template/, "Run on a GPU…");
    await window.notificationButton("Push and Launch…");
    await window.dialogButton("Create");
    await window.quickTitle(/^Secret HF_TOKEN/);
    const text = await readFile(file, "utf8");
    assert.deepEqual([JSON.parse(text).run, typeof JSON.parse(text).$sync.hash], [run, "string"]);
    assert.doesNotMatch(JSON.stringify(service.world.templates ?? ""), /model\.bin/);
    assert.equal(requests.filter(isCreate).length, 0);
  });

  step("a secret that it names is asked for before anything is rented", "274-secret", person, async ({ window }) => {
    await window.quickTitle(/^Secret HF_TOKEN of “trainer”$/);
    await window.screenshot("274-secret-asked");
    await window.quickRefused("", /^Enter the value\.$/);
    await window.quickAnswer(SECRET);
    await window.quickTitle(/2\/3/);
  });

  step(
    "the summary has its command, its secrets, its data and its results, which can be changed",
    "275-summary",
    person,
    async ({ window }) => {
      await window.quickPick(/^1× RTX 3090/);
      await window.quickPick(/^Results/);
      await window.quickRefused("../elsewhere", /isn't inside the uploaded folder/);
      await window.quickAnswer("out/**, *.csv");
      const lines = (await window.quickItems()).map(({ label, description }) => `${label} ${description}`.trim());
      for (const shape of [
        /^Runs Trainer/,
        /^Command… echo "token=\$HF_TOKEN"; cat data\/in\.txt/,
        /^Secrets… HF_TOKEN/,
        /^Data data: 1 file \(14 B\)/,
        /^Results… only out\/\*\*, \*\.csv/,
      ])
        assert.ok(
          lines.some((line) => shape.test(line)),
          `${shape} in\n${lines.join("\n")}`,
        );
    },
  );

  step(
    "one confirmation rents it, and says that everything else is lost with it",
    "276-confirm",
    person,
    async ({ window }) => {
      await window.quickPick(/^Rent 1× RTX 3090/);
      const { detail } = await window.dialog();
      assert.match(detail, /Only files that match out\/\*\*, \*\.csv are downloaded; everything else is deleted/);
      assert.match(detail, /Data folders: data: 1 file \(14 B\)\./);
      assert.match(detail, /The command gets the secret HF_TOKEN\. Whoever owns the machine could read it\./);
    },
  );

  step("what comes back is what was chosen, and what doesn't is named", "277-ended", person, async (stands) => {
    const { window, service } = stands;
    await window.dialogButton("Rent");
    await window.waitForNotification(
      /^“trainer\.gpu-template\.json”: Ended with exit code 0 .* Results: 2 files .* Not downloaded: tmp\/cache\. Instance \d+ was destroyed\./,
      120_000,
    );
    assert.deepEqual(service.world.listInstances(), []);
    const runs = join(project, ".cloud-gpu", "runs");
    const [made = ""] = (await readdir(runs)).filter((name) => !name.startsWith("."));
    assert.deepEqual((await readdir(join(runs, made))).sort(), ["loss.csv", "out", "run.log"]);
    const log = await readFile(join(runs, made, "run.log"), "utf8");
    assert.match(log, /^token=••••\nfrom the data$/m);
  });

  step("what is kept can be listed, added to, and forgotten", "277-secrets", person, async ({ window }) => {
    await window.clearNotifications();
    await window.command("Cloud GPU: Manage Run Secrets…");
    await window.quickTitle(/^Manage Run Secrets$/);
    await window.quickPick(/^Add Secret for “trainer”…/);
    await window.quickRefused("HF-TOKEN", /^“HF-TOKEN” can't be the name of a variable\.$/);
    await window.quickRefused("HF_TOKEN", /^HF_TOKEN is kept already\. Replace its value instead\.$/);
    await window.quickAnswer("WANDB_API_KEY");
    await window.quickAnswer("4711");
    await window.waitForNotification(/^WANDB_API_KEY is shorter than 8 characters, so it isn't masked/);
    await window.quickTitle(/^Manage Run Secrets$/);
    await window.screenshot("277-secrets-kept");
    const rows = (await window.quickItems()).map(({ label }) => label);
    assert.deepEqual(rows, ["HF_TOKEN", "WANDB_API_KEY", "Add Secret for “trainer”…"]);
    await window.quickPick("WANDB_API_KEY");
    await window.quickPick("Forget");
    await window.waitForNotification(/^WANDB_API_KEY is no longer kept on this computer\.$/);
    await window.page.keyboard.press("Escape");
    await window.clearNotifications();
  });

  step(
    "what becomes of the instance is chosen from three, each with what it means and costs",
    "278-afterward",
    person,
    async ({ window }) => {
      await window.clearNotifications();
      await window.command("View: Show Explorer");
      await window.rowMenu(/^trainer\.gpu-template/, "Run on a GPU…");
      await window.quickPick(/^1× RTX 3090/);
      await window.quickPick(/^When It Finishes/);
      await window.quickTitle(/Run trainer\.gpu-template\.json on a GPU/);
      const rows = await window.quickItems();
      assert.deepEqual(
        rows.map(({ label }) => label),
        ["Destroy It", "Stop It", "Keep It Running"],
      );
    },
  );

  step("a limit below the price of the offer is refused, and says what to do", "279-limit", person, async (stands) => {
    const { window, requests } = stands;
    const before = requests.filter(isCreate).length;
    await window.quickPick("Stop It");
    await window.quickTitle(/3\/3/);
    await window.quickPick(/^Limit/);
    await window.quickAnswer("2 h, $0.01/h");
    await window.quickTitle(/3\/3/);
    const rows = await window.quickItems();
    const lineOf = (name: string) => rows.find(({ label }) => label.startsWith(name))?.description ?? "";
    assert.match(lineOf("When It Finishes"), /^stop the instance after the run, and keep its disk for \$0\.\d+\/h$/);
    assert.match(lineOf("Limit"), /^2 h \(at most about .*\), at most \$0\.01\/h$/);
    await window.quickPick(/^Rent 1× RTX 3090/);
    await window.waitForNotification(
      /^This costs \$0\.\d+\/h, above the run's limit of \$0\.01\d*\/h\. Choose another machine, or change the limit\.$/,
    );
    await window.quickTitle(/3\/3/);
    assert.equal(requests.filter(isCreate).length, before);
  });

  step("the question says that the disk stays, and what it costs", "280-stop", person, async ({ window }) => {
    await window.quickPick(/^Limit/);
    await window.quickAnswer("2 h, $2/h");
    await window.quickTitle(/3\/3/);
    await window.quickPick(/^Rent 1× RTX 3090/);
    const { detail } = await window.dialog();
    assert.match(detail, /After the command ends, Cloud GPU downloads the results and stops the instance/);
    assert.match(
      detail,
      /The disk and its data cost \$0\.\d+\/h \(\$0\.\d+ per day\) until you destroy the instance\./,
    );
    assert.match(detail, /Only machines up to \$2\.00\/h are rented for this run\./);
  });

  step("after the run it is stopped, and its disk's price is said", "281-stopped", person, async (stands) => {
    const { window, service } = stands;
    await window.dialogButton("Rent");
    await window.waitForNotification(
      /^“trainer\.gpu-template\.json”: Ended with exit code 0 .* Instance \d+ was stopped\. Its disk costs \$0\.\d+\/h until you destroy the instance\./,
      120_000,
    );
    const [instance, ...others] = service.world.listInstances();
    assert.deepEqual([instance?.intended, others.length], ["stopped", 0]);
  });
}
