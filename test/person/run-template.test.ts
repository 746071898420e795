// A template file that says what to run leads to a receipt for its own template, and the person chooses what comes back.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { RequestLine } from "../../src/sandbox/http/request-line.ts";
import { ownFolder, stage, step } from "./support.ts";

const folder = await ownFolder();
const key = join(folder, "ssh", "id_ed25519");
const config = join(folder, "config");
const project = join(folder, "trainer");
const HAS_SSH = spawnSync("ssh", ["-V"]).error === undefined;
for (const path of [join(folder, "ssh"), join(project, "data")]) await mkdir(path, { recursive: true });
if (HAS_SSH)
  assert.equal(spawnSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "laptop", "-f", key]).status, 0);
await writeFile(config, `Host *\n  IdentityFile ${key}\n  IdentitiesOnly yes\n`);
await writeFile(join(project, ".gitignore"), "data/\n");
await writeFile(join(project, "data", "in.txt"), "from the data\n");
const command =
  "cat data/in.txt; mkdir -p out tmp; echo weights > out/model.bin; echo x > tmp/cache; echo 1 > loss.csv";
const run = { command, results: ["out/**"], data: ["data"] };
const file = join(project, "trainer.gpu-template.json");
const template = { name: "Trainer", image: "pytorch/pytorch", runtype: "ssh", use_ssh: true, ssh_direct: true };
await writeFile(file, JSON.stringify({ ...template, run }, null, 2));
await writeFile(join(project, "silent.gpu-template.json"), JSON.stringify({ ...template, name: "Silent" }));

const person = stage({
  signedIn: true,
  sandbox: { ssh: true },
  folder: project,
  env: { CLOUD_GPU_SSH_DIR: join(folder, "ssh", "cloud-gpu"), CLOUD_GPU_SSH_CONFIG: config },
  settings: { "terminal.integrated.gpuAcceleration": "off", "security.workspace.trust.enabled": false },
  prepare: ({ world }) => {
    world.account.sshKeys.push(spawnSync("cat", [`${key}.pub`], { encoding: "utf8" }).stdout.trim());
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
    await window.quickTitle(/Run trainer\.gpu-template\.json on a GPU/);
    const text = await readFile(file, "utf8");
    assert.deepEqual([JSON.parse(text).run, typeof JSON.parse(text).$sync.hash], [run, "string"]);
    assert.doesNotMatch(JSON.stringify(service.world.templates ?? ""), /model\.bin/);
    assert.equal(requests.filter(isCreate).length, 0);
  });

  step(
    "the receipt has its command, its data and its results, which can be changed",
    "275-receipt",
    person,
    async ({ window }) => {
      await window.quickPick(/^1× RTX 3090/);
      await window.quickPick(/^Results/);
      await window.quickRefused("../elsewhere", /isn't inside the uploaded folder/);
      await window.quickAnswer("out/**, *.csv");
      const lines = (await window.quickItems()).map(({ label, description }) => `${label} ${description}`.trim());
      for (const shape of [
        /^Runs Trainer/,
        /^Command… cat data\/in\.txt/,
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
      assert.match(
        detail,
        /Only files that match out\/\*\*, \*\.csv come back; everything else is lost with the instance/,
      );
      assert.match(detail, /Data folders: data: 1 file \(14 B\)\./);
    },
  );

  step("what comes back is what was chosen, and what doesn't is named", "277-ended", person, async (stands) => {
    const { window, service } = stands;
    await window.dialogButton("Rent");
    await window.waitForNotification(
      /^“trainer\.gpu-template\.json”: Ended with exit code 0 .* Results: 2 files .* Not downloaded: tmp\/cache\. Instance \d+ was destroyed\./,
      120_000,
    );
    assert.deepEqual(service.world.instances(), []);
    const runs = join(project, ".cloud-gpu", "runs");
    const [made = ""] = (await readdir(runs)).filter((name) => !name.startsWith("."));
    assert.deepEqual((await readdir(join(runs, made))).sort(), ["loss.csv", "out", "run.log"]);
    assert.match(await readFile(join(runs, made, "run.log"), "utf8"), /from the data/);
  });
}
