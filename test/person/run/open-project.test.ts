// A project is opened on an instance: from the palette, with one question the first time and none the next.
import assert from "node:assert/strict";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInstance } from "../../../src/sandbox/handlers/create-instance.ts";
import type { Workbench } from "../../editor/page.ts";
import { hasPip } from "../../probe-wheel.ts";
import { HAS_SSH, makeLaptop } from "../laptop.ts";
import { ownFolder, SOON, stage, step, until } from "../support.ts";

const folder = await ownFolder();
const laptop = await makeLaptop(folder, { usesKey: true });
const project = join(folder, "fine-tune");
const beside = join(folder, "remote-ssh");
const ROW = /^mine, instance \d+, running/;
await mkdir(project);
const FILES = {
  ...{ ".env": "HF_TOKEN=hf_none\n", "README.md": "# Fine-tune\n", "train.py": "print('training')\n" },
  ...{ "requirements.txt": "# nothing yet\n", "environment.yml": "name: fine-tune\n" },
};
for (const [name, text] of Object.entries(FILES)) await writeFile(join(project, name), text);

// Stands in for the extension that opens windows on other computers.
await mkdir(beside);
const manifest = {
  ...{ name: "open-remote-ssh", publisher: "jeanp413", version: "0.0.1", engines: { vscode: "^1.106.0" } },
  ...{ main: "./main.cjs", activationEvents: [], extensionKind: ["workspace"] },
};
await writeFile(join(beside, "package.json"), JSON.stringify(manifest));
await writeFile(join(beside, "main.cjs"), "exports.activate = () => {};\n");

const person = stage({
  signedIn: true,
  sandbox: { ssh: true },
  folder: project,
  beside,
  env: { ...laptop.env, CLOUD_GPU_REMOTE_WINDOWS: "1" },
  settings: { ...laptop.settings, "cloudGpu.connect.useSshConfig": "always" },
  prepare: ({ world }) => {
    laptop.addKey(world);
    const offer = world.offers.find((one) => world.isRentable(one));
    assert.ok(offer);
    for (const { id, fate } of world.offers) if (fate !== "gone") world.setFate(id, "runs");
    createInstance(world, offer.id, { image: "pytorch/pytorch", runtype: "ssh_direct", label: "mine" });
  },
});

const COMMAND = "Cloud GPU: Open This Project on Instance…";
let remote = "";

/** The window that opens on the machine. A browser keeps the folder alone. */
async function folderOfWindow(window: Workbench, act: () => Promise<void>): Promise<string | null> {
  const opened = window.page.context().waitForEvent("page", { timeout: 2 * SOON });
  await act();
  const page = await opened;
  const { searchParams } = new URL(page.url());
  await page.close();
  return searchParams.get("folder");
}

async function terminalShows({ page }: Workbench, text: RegExp): Promise<void> {
  const rows = page.locator(".terminal-wrapper.active .xterm-rows").last();
  const shown = async () => text.test((await rows.allInnerTexts()).join("\n").replaceAll("\u00a0", " "));
  // Python copies itself and its pip, which takes a busy machine minutes.
  await until(`the terminal shows ${text}`, shown, 3 * SOON);
}

if (HAS_SSH && hasPip()) {
  step("files that disagree are a choice", "260-environment", person, async ({ window }) => {
    await window.openContainer("Cloud GPU");
    await window.waitForRow(ROW, 90_000);
    await window.clearNotifications();
    await window.command(COMMAND);
    await window.quickTitle(/^Open Project on Instance$/);
  });

  step("what goes, where to, and what is installed is said before", "261-question", person, async ({ window }) => {
    await window.quickPick(/^requirements\.txt/);
    const { message, detail, buttons } = await window.dialog();
    assert.match(message, /^Upload 4 files \(\d+ B\) to instance \d+\?$/);
    assert.match(detail, /Not uploaded \(possible secrets\): \.env\./);
    assert.match(detail, /A terminal then installs what requirements\.txt says, beside what the image has\./);
    assert.deepEqual([...buttons].sort(), ["Cancel", "Open", "Show List"]);
    remote = /Destination: (\S+\/workspace\/fine-tune)\./.exec(detail)?.[1] ?? assert.fail(detail);
  });

  step("the window opens on the project", "262-opened", person, async ({ window }) => {
    assert.equal(await folderOfWindow(window, () => window.dialogButton("Open")), remote);
    assert.deepEqual((await readdir(remote)).filter((name) => name !== ".venv").sort(), [
      ...["README.md", "environment.yml", "requirements.txt", "train.py"],
    ]);
    await window.waitForNotification(/^Uploaded 4 files \(\d+ B\) to \S+\/fine-tune on instance \d+\./);
  });

  step("what it needs is installed in a terminal", "263-installed", person, async ({ window }) => {
    await terminalShows(window, /What the project needs is installed\. Its Python is \.venv\/bin\/python\./);
  });

  step("the next time nothing is asked, and what was changed there stays", "264-again", person, async ({ window }) => {
    assert.notEqual(remote, "", "it was opened before");
    await writeFile(join(remote, "train.py"), "print('edited there')\n");
    await writeFile(join(project, "README.md"), "# Fine-tune a model\n");
    await window.clearNotifications();
    assert.equal(await folderOfWindow(window, () => window.command(COMMAND)), remote);
    await window.waitForNotification(/^Uploaded 1 file .* Different on the instance, so left as is: train\.py\./);
    assert.equal(await readFile(join(remote, "train.py"), "utf8"), "print('edited there')\n");
    assert.equal(await readFile(join(remote, "README.md"), "utf8"), "# Fine-tune a model\n");
  });

  step("without an instance, the way to one is offered", "265-none", person, async ({ window }) => {
    await window.rowMenu(ROW, "Destroy Instance…");
    await window.dialogButton("Destroy");
    await window.page.getByRole("treeitem", { name: ROW }).waitFor({ state: "detached", timeout: SOON });
    await window.clearNotifications();
    await window.command(COMMAND);
    await window.waitForNotification(/^No running instance accepts SSH logins\./);
    assert.deepEqual((await window.notifications())[0]?.buttons, ["Launch Instance from Template…"]);
  });

  step("once a launched instance runs, its message leads there", "266-launched", person, async ({ window }) => {
    await window.notificationButton("Launch Instance from Template…");
    await window.quickPick(/^PyTorch/);
    await window.quickPick(/^1× /);
    await window.quickPick(/^Rent 1× /);
    await window.dialogButton("Rent");
    await window.waitForNotification(/^Instance .+ is running at/);
    const [running] = await window.notifications();
    assert.deepEqual(running?.buttons, ["Open Terminal", "Open This Project…", "Show Instance"]);
    await window.screenshot("266-running");
    await window.notificationButton("Open This Project…");
    const { message } = await window.dialog();
    assert.match(message, /^Upload 4 files \(\d+ B\) to instance \d+\?$/);
    await window.dialogButton("Cancel");
  });
}
